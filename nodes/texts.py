"""The desk's own fixed sentences, in both languages."""

from typing import Literal

TEXTS: dict[str, dict[Literal["zh", "en"], str]] = {
    "missing": {
        "zh": "还缺一项信息：{what}。请补充一下。",
        "en": "One thing is missing: {what}. Please tell me.",
    },
    "which_one": {
        "zh": "找到多个结果，请问是哪一个？{options}",
        "en": "There are several; which one do you mean? {options}",
    },
    "unknown": {
        "zh": "抱歉，我没有理解您的需求，没有执行任何操作。您可以这样说：{examples}",
        "en": "Sorry, I did not understand that, and nothing was done. You can say, for example: {examples}",
    },
    "capped": {
        "zh": "这个请求的步骤太多，先停在这里。",
        "en": "This request took too many steps, so I stopped here.",
    },
    "done_so_far": {"zh": "已完成：{what}", "en": "Done so far: {what}"},
    "nothing_done": {"zh": "没有执行任何操作。", "en": "Nothing was done."},
}


def text(key: str, locale: Literal["zh", "en"], **values: str) -> str:
    return TEXTS[key][locale].format(**values)
