"""What the caller reads where a turn could not be brought to its end."""

from asyncio import CancelledError

from langgraph.errors import GraphRecursionError

from errors import StaleThread
from nodes.state import Locale

TOO_LONG = {
    "zh": "抱歉，这个请求用时过长，已经停止。请稍后再试，或者把请求拆小一些。",
    "en": "Sorry, this request took too long and was stopped. Please try again later, or ask for less at once.",
}
TOO_MANY_STEPS = {
    "zh": "抱歉，这个请求的步骤太多，已经停止。",
    "en": "Sorry, this request took too many steps and was stopped.",
}
WENT_WRONG = {
    "zh": "抱歉，处理这个请求时出了问题，没有完成。请稍后再试。",
    "en": "Sorry, something went wrong and this request was not completed. Please try again later.",
}
OVERTAKEN = {
    "zh": "抱歉，这个对话同时被别处改动，这个请求没有完成。请再发一次。",
    "en": "Sorry, this conversation was changed from elsewhere meanwhile and the request was not completed."
    " Please send it again.",
}
STOPPED = {
    "zh": "这个请求已按要求停止。",
    "en": "This request was stopped, as was asked.",
}


def apology(error: BaseException, locale: Locale) -> str:
    """Nothing of the error's own text is in it."""
    match error:
        case TimeoutError():
            return TOO_LONG[locale]
        case GraphRecursionError():
            return TOO_MANY_STEPS[locale]
        case StaleThread():
            return OVERTAKEN[locale]
        case CancelledError():
            return STOPPED[locale]
    return WENT_WRONG[locale]
