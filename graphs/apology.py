"""What the caller reads where a turn could not be brought to its end."""

from langgraph.errors import GraphRecursionError

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


def apology(error: BaseException, locale: Locale) -> str:
    """Nothing of the error's own text is in it."""
    if isinstance(error, TimeoutError):
        return TOO_LONG[locale]
    return (TOO_MANY_STEPS if isinstance(error, GraphRecursionError) else WENT_WRONG)[locale]
