"""Finds the parts of a sentence that are meant literally: what to write down, and what to search for."""

import re
from collections.abc import Sequence

from language.found import Span

_LONGEST = 400
_KEYWORD = 40
_QUOTES = (("“", "”"), ("「", "」"), ("『", "』"), ("《", "》"), ("‘", "’"), ('"', '"'))
_QUOTED = re.compile("|".join(rf"{a}([^{a}{b}\n]{{1,{_LONGEST}}}){b}" for a, b in _QUOTES))
_COLON = re.compile(r"(?<=[^0-9\s])\s?[:：]\s?(?=[^\s/:：])|(?<=[0-9])[:：]\s(?=\S)")
_A_LABEL = re.compile(
    r"(?:编号|号码?|单号|电话|手机|时间|日期|状态|姓名|用户|客户|\b(?:id|no|time|date|phone|status|number|https?|customer|user))$",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"[\d\s,，、:：./-]*$")
_CONTENT_IS = re.compile(r"(?:内容|标题|事项|事情)(?:是|为|写)\s?|\b(?:content|text|title)(?: is)?:?\s", re.IGNORECASE)
_EDGE_BEFORE = re.compile(r"(?>(?:[\s,，]|在|于|的|要|去(?=\S{2})|(?:at|on|in|by|to)\b)+)", re.IGNORECASE)
_EDGE_AFTER = re.compile(r"(?:[\s,，]|在|于|(?<![A-Za-z])(?:at|on|in|by))+$", re.IGNORECASE)
_REMIND = re.compile(
    r"(?:提醒(?:我们|我|一下|下)|记得|备忘|帮我记(?:一下|下|录)?|记一下|记下|记录一下|"
    r"\bremind me(?: to| about| that)?|\bremember to)[\s,，:：]*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[。;；!！?？\n]|$")

_MARKED = re.compile(
    r"(?:关于|有关|(?:标题|内容|名称|名字|姓名|昵称|主题)?(?:里|中)?(?:包含|含有|带有)(?:了)?|(?:标题|名称|名字|姓名|昵称)(?:是|为|叫)|叫做|叫作|名叫|名为|"
    r"(?<![呼喊大尖])叫(?![什啥我你他她它人停醒怎车号]))\s?"
    r"|(?<!what )(?<!how )\babout\s|\b(?:named|called|titled|entitled|containing|contains|mentioning|matching)\s",
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
    """What is in quotes, follows a colon (to the end of the sentence), or follows "提醒我".

    `used`: dates and times; unless in quotes, they are no part of it where they stand at either end.
    """
    if (quoted := _QUOTED.search(text)) and not _ends_with_mark(text, quoted.start()):
        return quoted.span(quoted.lastindex or 0)
    for colon in _COLON.finditer(text):
        end = _sentence_end(text, colon.end())
        if not _A_LABEL.search(text, max(0, colon.start() - 10), colon.start()) and not _NUMBERS.match(
            text, colon.end(), end
        ):
            return _trimmed(text, colon.end(), end, used)
    if told := _CONTENT_IS.search(text):
        return _trimmed(text, told.end(), _sentence_end(text, told.end()), used)
    if remind := _REMIND.search(text):
        return _trimmed(text, remind.end(), _sentence_end(text, remind.end()), used)
    return None


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
