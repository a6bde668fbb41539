"""Finds the parts of a sentence that are meant literally: what to write down, and what to search for."""

import re
from collections.abc import Sequence
from functools import lru_cache

from language.found import Span
from language.matcher import is_latin
from language.normalise import fold

_LONGEST = 400
_KEYWORD = 40
_QUOTES = (("“", "”"), ("「", "」"), ("『", "』"), ("《", "》"), ("‘", "’"), ('"', '"'))
_APOSTROPHES = rf"(?<![A-Za-z0-9])'([^'\n]{{1,{_LONGEST}}})'(?![A-Za-z])"
_QUOTED = re.compile("|".join([*(rf"{a}([^{a}{b}\n]{{1,{_LONGEST}}}){b}" for a, b in _QUOTES), _APOSTROPHES]))
_COLON = re.compile(r"(?<=[^0-9\s])\s?[:：]\s?(?=[^\s/:：])|(?<=[0-9])[:：]\s(?=\S)")
_A_LABEL = re.compile(
    r"(?:编号|号码?|单号|电话|手机|时间|日期|状态|姓名|用户|客户|\b(?:id|no|time|date|phone|status|number|https?|customer|user))$",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"[\d\s,，、:：./-]*$")
_CONTENT_IS = re.compile(
    r"(?:内容|标题|事项|事情|主题|名称|名字)(?:是|为|写|叫)\s?|\b(?:content|text|title)(?: is)?:?\s", re.IGNORECASE
)
_EDGE_BEFORE = re.compile(r"(?>(?:[\s,，]|在|于|的|要|去(?=\S{2})|(?:at|on|in|by|to)\b)+)", re.IGNORECASE)
_EDGE_AFTER = re.compile(r"(?:[\s,，]|在|于|(?<![A-Za-z])(?:at|on|in|by))+$", re.IGNORECASE)
_REMIND = re.compile(
    r"(?:提醒(?:我们|我|一下|下)|记得(?:提醒我们?)?|备忘|帮我记(?:一下|下|录|住|着)?|记一下|记下|记录一下|"
    r"\bremind me(?: to| about| that)?|\bremember to)[\s,，:：]*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[。;；!！?？\n]|$")

_BREAK = r"(?<![,，。.;；!！?？\n])[,，。.;；!！?？\n]+\s*"
_COMMA = re.compile(r"[,，。;；!！?？\n]|$")
_NEAR = 40
# A colon behind one of these has to do with writing down.
_WRITES = re.compile(
    r"待办|代办|任务|日程|会议|行程|事项|提醒|备忘|记[一下录]|内容|标题|新[建增]|添加|增加|创建|安排|[建加写][一个条下]|"
    r"\b(?:todos?|to-dos?|tasks?|notes?|meetings?|events?|appointments?|remind|reminder|add|create|content|title)\b",
    re.IGNORECASE,
)
_TOLD_AFTER_COMMA = re.compile(r"[,，]\s*(?:内容|标题|事项|事情)(?:是|为|写|:|：)")
# Another request after what is written down: punctuation, a joint, and a word that asks for something.
_ANOTHER = re.compile(
    rf"{_BREAK}(?:(?:请|麻烦)?(?:再|然后|接着|另外|顺便|还有|此外|同时|并且?|最后|之后)再?"
    r"(?:请|麻烦|你|您)?(?:给我|帮我|帮忙)?\s?(?=[把将]|标记|查|看(?![书病剧展牙房医望电孩])|统计|列|搜|显示|新建|[建加][个一条]|"
    r"添加|创建|取消|删除|提醒我|告诉我|导出|汇总|帮我|给我)"
    r"|(?:and\s)?(?:then|also|afterwards|after that|besides|in addition|and)\s"
    r"(?:(?:also|please|can you|could you)\s){0,2}(?=(?:show|list|find|check|look|get me|give|tell me|add|create|"
    r"remind|search|display|cancel|delete|update|mark|how|what|who|which)\b))",
    re.IGNORECASE,
)
_MAKE_CHINESE = "新建|新增|新加|添加|增加|创建|建立|建|加|记录|记|安排|写|设置|设|预约|约"
_MAKE_ENGLISH = "add|create|make|new|set up|schedule|book|write|record"
_NO_CONTENT = re.compile(
    r"[里中上内]面?[\s,，。.!！?？]*$|[吗吧呢了]?[\s,，。.!！?？]*$|的|怎么|如何|怎样|吗|[时后](?=[,，怎如会能需出报]|$)|是(?:什么|怎)|有哪|功能|按钮|流程|方法|失败|"
    r"(?:please|thanks|thank you|for me|now|called|named|titled)\b",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?<![,，。.;；!！?？\s])[,，。.;；!！?？\s](?>(?:[,，。.;；!！?？\s]|谢谢[你您]?|多谢|拜托了?|麻烦[你您]?了?|"
    r"thanks|thank you|please)*)$",
    re.IGNORECASE,
)

_MARKED = re.compile(
    r"(?:关于|有关|(?:标题|内容|名称|名字|姓名|昵称|主题)?(?:里|中)?(?:包含|含有|带有)(?:了)?|(?:标题|名称|名字|姓名|昵称)(?:是|为|叫)|叫做|叫作|名叫|名为|"
    r"(?<![呼喊大尖])叫(?![什啥我你他她它人停醒怎车号]))\s?"
    r"|(?<![演听])讲(?![座师课义台笑故解话堂])(?=[^,，。的]{1,12}的)"
    r"|(?<!what )(?<!how )\babout\s"
    r"|\b(?:named|called|titled|entitled|containing|contains|mention(?:ing|s|ed)?|matching)\s",
    re.IGNORECASE,
)
_ENOUGH = re.compile(r"的|[,，。;；!！?？、\n]|吗|呢|$")
_ENOUGH_LATIN = re.compile(
    r"[,，。;；!！?？\n]|\.(?=\s|$)|\s(?:in|from|on|for|of|please|since|between|during|last|this|with|and|to)\b|$",
    re.IGNORECASE,
)
_SEARCH = re.compile(
    r"(?:搜索|搜一下|搜下|搜搜|搜|检索|\bsearch(?: for)?\b|\blook up\b)(?:一下|下|关键[词字])?\s?", re.IGNORECASE
)
_NO_KEYWORD = re.compile(r"[\W_]*$|(?:my|the|a|an|your|me|it|them|this|that|these|those|all)$", re.IGNORECASE)


def find_content(text: str, used: Sequence[Span]) -> Span | None:
    """What is in quotes, follows a colon or 内容是 (up to another request), or follows "提醒我".

    `used`: dates and times; unless in quotes, they are no part of it where they stand at either end.
    """
    return find_marked(text, used) or find_reminder(text, used)


def find_marked(text: str, used: Sequence[Span]) -> Span | None:
    """What is in quotes, or follows a colon or 内容是, up to another request."""
    if (quoted := _QUOTED.search(text)) and not _ends_with_mark(text, quoted.start()):
        return quoted.span(quoted.lastindex or 0)
    if colon := _content_colon(text):
        return _trimmed(text, colon, literal_end(text, colon), used)
    if told := _CONTENT_IS.search(text):
        return _trimmed(text, told.end(), literal_end(text, told.end()), used)
    return None


def find_reminder(text: str, used: Sequence[Span]) -> Span | None:
    """What follows "提醒我", to the end of the sentence."""
    remind = _REMIND.search(text)
    return _trimmed(text, remind.end(), _sentence_end(text, remind.end()), used) if remind else None


def find_after(text: str, nouns: tuple[str, ...], used: Sequence[Span]) -> Span | None:
    """What follows the thing to be made: "添加待办买牛奶", "create a todo to call Bob".

    `nouns` name such things; `used` as in `find_content`.
    """
    made = _making(nouns).search(fold(text))
    if made is None or _NO_CONTENT.match(text, made.end()):
        return None
    return _trimmed(text, made.end(), _sentence_end(text, made.end()), used)


def find_literals(text: str) -> list[Span]:
    """The pieces that are to be written down to the letter: nothing in them is cut off, or negates anything.

    From a colon, or from the comma before 内容是, up to another request; behind "提醒我" up to the next comma.
    """
    found: list[Span] = []
    at = 0
    while (start := _literal_start(text, at)) is not None:
        end = literal_end(text, start)
        found.append((start, end))
        at = end
    return [*found, *((m.end(), _clause_end(text, m.end())) for m in _REMIND.finditer(text))]


def _clause_end(text: str, start: int) -> int:
    comma = _COMMA.search(text, start, start + _LONGEST)
    return comma.start() if comma else len(text)


def literal_end(text: str, start: int) -> int:
    """Where another request begins after punctuation, or the text ends."""
    another = _ANOTHER.search(text, start)
    return another.start() if another else len(text)


def _literal_start(text: str, at: int) -> int | None:
    told = _TOLD_AFTER_COMMA.search(text, at)
    starts = [told.start()] if told and _WRITES.search(text, at, told.start()) else []
    for colon in _COLON.finditer(text, at):
        if _WRITES.search(text, max(at, colon.start() - _NEAR), colon.start()) and _is_content(text, colon):
            starts.append(colon.end())
            break
    return min(starts, default=None)


def _content_colon(text: str) -> int | None:
    return next((colon.end() for colon in _COLON.finditer(text) if _is_content(text, colon)), None)


def _is_content(text: str, colon: re.Match[str]) -> bool:
    return not _A_LABEL.search(text, max(0, colon.start() - 10), colon.start()) and not _NUMBERS.match(
        text, colon.end(), _sentence_end(text, colon.end())
    )


@lru_cache(maxsize=64)
def _making(nouns: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted(map(fold, nouns), key=len, reverse=True)
    chinese = "|".join(re.escape(n) for n in ordered if not is_latin(n[-1])) or "(?!)"
    english = "|".join(re.escape(n) for n in ordered if is_latin(n[-1])) or "(?!)"
    return re.compile(
        rf"(?:{_MAKE_CHINESE})(?:[一1]?[个条项场次份则]|一下|下|一|新的)?(?!的)[^,，。;；!！?？:：\s]{{0,8}}?"
        rf"(?:{chinese})(?:事项)?[\s,，:：\-—]*"
        rf"|(?<![a-z])(?:{_MAKE_ENGLISH})\s(?:(?:a|an|the|my|new|another|one)\s){{0,2}}"
        rf"(?:(?!(?:to|of|for|in|on|from)\s)[a-z-]{{1,20}}\s){{0,2}}?(?:{english})(?![a-z0-9])"
        r"[\s,，:：\-—]*(?:(?:for me )?(?:to|that says|about|saying)\s)?"
    )


def find_keyword(text: str, used: Sequence[Span]) -> Span | None:
    """What follows 关于, 叫, 包含, about, named and their like; after 搜索 only what means nothing else (`used`)."""
    for mark in _MARKED.finditer(text):
        span = _literal(text, mark.end())
        if span and not _NO_KEYWORD.match(text[slice(*span)]):
            return span
    if search := _SEARCH.search(text):
        span = _literal(text, search.end())
        if span:
            stops = [start for start, end in used if start < span[1] and end > span[0]]
            span = (span[0], min([span[1], *stops]))
            return span if span[0] < span[1] and not _NO_KEYWORD.match(text[slice(*span)]) else None
    return None


def _literal(text: str, start: int) -> Span | None:
    if quoted := _QUOTED.match(text, start):
        return quoted.span(quoted.lastindex or 0)
    if start >= len(text):
        return None
    limit = min(len(text), start + _KEYWORD)
    enough = (_ENOUGH_LATIN if text[start].isascii() else _ENOUGH).search(text, start, limit)
    end = enough.start() if enough else limit
    if text[start].isascii() and (link := text.find("的", start, end)) > 0:
        end = link
    return (start, end) if start < end else None


def _ends_with_mark(text: str, at: int) -> bool:
    return any(m.end() == at for m in _MARKED.finditer(text, max(0, at - 12), at))


def _sentence_end(text: str, start: int) -> int:
    found = _SENTENCE.search(text, start, min(len(text), start + _LONGEST))
    return found.start() if found else min(len(text), start + _LONGEST)


def _trimmed(text: str, start: int, end: int, used: Sequence[Span]) -> Span | None:
    """Without what is used already, and small words, at either end."""
    if thanks := _THANKS.search(text[start:end]):
        end = start + thanks.start()
    before = after = -1
    while (before, after) != (start, end) and start < end:
        before, after = start, end
        start = max([start, *(right for left, right in used if left <= start < right)])
        end = min([end, *(left for left, right in used if left < end <= right)])
        if edge := _EDGE_BEFORE.match(text, start, end):
            start = edge.end()
        if edge := _EDGE_AFTER.search(text[max(start, end - 8) : end]):
            end -= len(edge.group())
    return (start, end) if start < end else None
