"""Tells which of the listed values a text means, and which it wants left out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from language.found import Span, overlaps
from language.matcher import Match, Matcher

_CHANGED = re.compile(
    r"[改变换设置更标][为成作到]|标记|设置?[为成]|更新[为成到]|\b(?:to|as|into)\b|->|→", re.IGNORECASE
)
_NOT = re.compile(
    r"(?:(?<!有)没有|(?<!有)没|尚未|从未|未|并?不是|(?<!是)不是|并非|非|不要|不看|不含|不包括|不包含|除了?|除去|除开|排除|去掉|剔除|过滤掉)"
    r"(?:那些|这些|所有|任何|全部)?(?:状态)?(?:是|为)?(?:被|已经)?\s?$"
    r"|(?:(?<=n)['’]t|(?<![a-z])(?:not|except(?:\sfor)?|without|excluding|exclude|minus|other\sthan|apart\sfrom|but\snot|non))"
    r"[\s-](?:(?:the|any|all|yet|been|be|already|those|ones|that|are|is|which|orders)\s){0,4}$",
    re.IGNORECASE,
)
_LONGEST_NOT = 40
_ALSO_NOT = re.compile(r"(?:的)?\s?(?:[,、，/]|和|与|及|跟|或|以及|或者|and|or|nor)\s?(?:已)?(?:the\s)?")
_IS_QUESTION = re.compile(r"(?:是不是|有没有|要不要|看不看)(?:被|已经|已)?\s?$")
_BESIDES = re.compile(r"(?:还|也|再)(?:要|想|看|查|有|给|列|需)")


@dataclass(frozen=True, kw_only=True)
class ValueSlots:
    """`wanted`: slot -> its value. `unwanted`: slot -> the values that are not to be there. `spans`: of all of them."""

    wanted: Mapping[str, str]
    unwanted: Mapping[str, Sequence[str]]
    spans: Sequence[Span]


def find_values(text: str, values: Matcher[Mapping[str, str]], used: Sequence[Span]) -> ValueSlots:
    """A word may be a value of several slots. Of several values of a slot the one that something is changed to counts,
    else the first. `used`: characters that mean something else."""
    wanted: dict[str, list[Match[Mapping[str, str]]]] = {}
    unwanted: dict[str, list[str]] = {}
    spans: list[Span] = []
    last: tuple[int, bool] | None = None
    for match in values.find(text):
        if overlaps(match.start, match.end, used):
            continue
        start = _negation(text, match.start)
        joined = last is not None and last[1] and _ALSO_NOT.fullmatch(text, last[0], match.start)
        left_out = bool(joined) or (start is not None and not _besides(text, start, match.end))
        if left_out and start is not None and not overlaps(start, match.start, [*used, *spans]):
            spans.append((start, match.end))
        else:
            spans.append((match.start, match.end))
        last = match.end, left_out
        for slot, value in match.value.items():
            if not left_out:
                wanted.setdefault(slot, []).append(match)
            elif value not in unwanted.setdefault(slot, []):
                unwanted[slot].append(value)
    return ValueSlots(
        wanted={slot: _chosen(text, some).value[slot] for slot, some in wanted.items()}, unwanted=unwanted, spans=spans
    )


def _chosen(text: str, some: Sequence[Match[Mapping[str, str]]]) -> Match[Mapping[str, str]]:
    return next((m for m in some[1:] if _CHANGED.search(text, some[0].end, m.start)), some[0])


def _negation(text: str, end: int) -> int | None:
    """Where the negation right before a value begins."""
    before = text[max(0, end - _LONGEST_NOT) : end]
    found = _NOT.search(before)
    if found is None or _IS_QUESTION.search(before):
        return None
    return end - len(before) + found.start()


def _besides(text: str, start: int, end: int) -> bool:
    """除了已取消的还要看已发货的: the first is wanted too."""
    return text.startswith("除", start) and bool(_BESIDES.search(text, end))
