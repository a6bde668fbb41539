"""The desk's own fixed sentences, in both languages."""

from collections.abc import Sequence
from typing import Literal

TEXTS: dict[str, dict[Literal["zh", "en"], str]] = {
    "missing": {
        "zh": "还缺一项信息：{what}。请补充一下。",
        "en": "One thing is missing: {what}. Please tell me.",
    },
    "no_excluding": {
        "zh": "目前不能按排除条件查询，请说明要查哪一种。",
        "en": "Leaving some out is not supported; please say which ones you want.",
    },
    "who": {"zh": "请问您指的是哪一位？请告诉我姓名。", "en": "Whom do you mean? Please tell me the name."},
    "no_such_day": {
        "zh": "没有“{said}”这一天，请换一个日期。",
        "en": "There is no such day as “{said}”; please name another one.",
    },
    "which_one": {
        "zh": "找到多个结果，请问是哪一个？{options}",
        "en": "There are several; which one do you mean? {options}",
    },
    "did_you_mean": {
        "zh": "您是想：\n{options}\n请回复序号，或者换个说法。",
        "en": "Did you mean:\n{options}\nPlease answer with its number, or say it in other words.",
    },
    "choose_from": {"zh": "可以是：{values}。", "en": " It can be: {values}."},
    "unknown": {
        "zh": "抱歉，我没有理解您的需求，没有执行任何操作。您可以这样说：{examples}",
        "en": "Sorry, I did not understand that, and nothing was done. You can say, for example: {examples}",
    },
    "unknown_here": {
        "zh": "抱歉，我没有理解您的需求，没有执行任何操作。",
        "en": "Sorry, I did not understand that, and nothing was done.",
    },
    "left_out": {
        "zh": "还有 {number} 项没有执行：一次最多执行 {most} 项，请分几次提出。",
        "en": "{number} more were left out: at most {most} are done at a time, so please ask for the rest separately.",
    },
    "capped": {
        "zh": "这个请求的步骤太多，先停在这里。",
        "en": "This request took too many steps, so I stopped here.",
    },
    "done_so_far": {"zh": "已完成：{what}", "en": "Done so far: {what}"},
    "dropped": {
        "zh": "（没有得到确认，未执行：“{what}”）",
        "en": '(Not carried out, as it was not confirmed: "{what}")',
    },
    "undone": {
        "zh": "因此撤销了之前完成的改动：",
        "en": "So what had been done before was undone:",
    },
    "stands": {"zh": "以下改动没有撤销，仍然有效：", "en": "This was not undone and stands:"},
    "stands_why": {"zh": "{what}（{why}）", "en": "{what} ({why})"},
    "never_undone": {"zh": "这一步无法撤销", "en": "it cannot be undone"},
    "undone_since": {"zh": "已撤销：{what}", "en": "undone since: {what}"},
    "nothing_done": {"zh": "没有执行任何操作。", "en": "Nothing was done."},
}


def with_dropped(said: str, dropped: Sequence[str], locale: Literal["zh", "en"]) -> str:
    """What is said, after a word on what waited for a yes and did not get it."""
    return "\n".join([text("dropped", locale, what="; ".join(dropped)), said]) if dropped else said


def text(key: str, locale: Literal["zh", "en"], **values: object) -> str:
    return TEXTS[key][locale].format(**values)
