"""Cuts a sentence into the things that it asks for, and marks those that it asks not to be done.

A connector is a word that is cut out. In `再|查` only the part before the bar is, and only where the rest
follows; `!再见` is a word that merely contains a connector.
"""

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from language.found import Span
from language.free_text import find_literals
from language.matcher import Matcher
from language.normalise import fold

_QUOTED = re.compile(
    r"“[^“”]{1,200}”|「[^「」]{1,200}」|『[^『』]{1,200}』|《[^《》]{1,200}》|\"[^\"]{1,200}\"|(?<![A-Za-z0-9])'[^'\n]{1,200}'(?![A-Za-z])"
)
_STOP = re.compile(r"[,，;；!！?？。\n]+|(?<!\.)\.++(?=\s|$|[⺀-鿿])")
_ABBREVIATION = re.compile(r"\b(?:no|mr|mrs|ms|dr|vs|etc|dept)$", re.IGNORECASE)
_LIST_BEFORE = re.compile(r"\d[号日]?\s*$")
_LIST_AFTER = re.compile(r"\s*[#№]?\d+(?![\d.]*\s*[^\W\d_]{0,2}[点:])")
_DAY_AFTER = re.compile(r"\s*\d{1,2}[号日]")
# What may stand around a negation without being a request of its own.
_LEAD_IN = re.compile(
    r"(?>(?:算了|我们|咱们|我|你们|你|您|请|麻烦|拜托|帮忙|帮我|给我|先|那么|那|就|也|都|可以|可|还是|这次|现在|暂时|目前|千万|其实|但是|但|而|想|要|"
    r"今天|明天|昨天|今日|本周|这周|本月|和|跟|与|了|吧|啊|呢|的|嗯|哦|好的|好|ok|okay|well|so|but|and|just|please|pls|i|we|you|now|today|"
    r"for now|[\s,，、~\-])+)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?>(?:不用|不要|不必|算了|再|去|给我|帮我|我|查询|查看|显示|查|看|管|弄|做|找|搜|要|用|说|列|改|动|删|发|送|办|理|它|他|她|这个|那个|这些|那些|一下|下|了|吧|啊|呀|"
    r"呢|啦|哈|嘛|的|着|先|也|都|谢谢|多谢|show|see|need|want|look|list|find|check|me|it|them|that|those|these|any|more|anymore|"
    r"to|at|please|thanks|thank you|now|[\s~])*)",
    re.IGNORECASE,
)

# "别看了看统计": 了 ends what is not wanted.
_DROPPED = re.compile(r"[看查管弄要找搜用]{1,2}了(?=[看查给找帮列统显])")
# "不查订单查用户", "don't show orders show users": an object, and then another verb with an object of its own.
_INSTEAD = re.compile(
    r"(?!\s?[给让叫帮对向把被替和])(?>(?:再|去|来|给我|帮我|我|查询|查看|显示|查|看|搜|要|用|说|列出)*)"
    r"[^,，。\s查看找搜要列让给帮]{2,12}?(?<![都就再也去来才时后前能会想只没不])了?\s?"
    r"(?=(?:我)?[想要]?(?:查询?|看看?|搜索?|找|只?要|列出|显示|给我|帮我|来[个点]|只看)[㐀-鿿]{2})(?!(?:查|看|找|搜)[过到了的出])"
    r"|\s(?:[\w'’-]+\s){1,5}?(?<!\bto\s)(?<!\bme\s)(?<!\bplease\s)(?<!\band\s)(?<!\byou\s)"
    r"(?=(?:(?:please|just|only)\s)?(?:show|list|give me|get me|find|display)\s\w)",
    re.IGNORECASE,
)
# "no orders": but "there are no orders" and "order no 3" say something else.
_NO = re.compile(
    r"(?<![a-z])(?<!there )(?<!is )(?<!are )(?<!was )(?<!were )(?<!have )(?<!has )(?<!had )(?<!with )"
    r"(?<!order )(?<!todo )(?<!task )(?<!event )(?<!meeting )(?<!id )(?<!or )(?<!say )(?<!me )no"
    r"(?=\s(?!(?:problem|one|idea|matter|need|later|longer|more|less|fewer|worries|doubt|way|thanks|thank|please|wait|"
    r"you|that|this|show|list|give|not|never)\b)[a-z]{3})"
)
# What somebody else does not want is told, and not asked for: 客户不要了.
_OTHERS = re.compile(
    r"(?:客户|客人|买家|顾客|用户|会员|学员|对方|人家|[他她]们?)(?:反悔|后悔|说|现在|已经|又|也|都|最后|突然|临时|改主意)*$"
    r"|[0-9]{6,}(?:号|这单|那单|这个|那个|的)?$"
)
_OTHERS_WANT = re.compile(r"不(?:要(?=了|货|这)|想(?=要|买|付)|打算(?=要|买|付)|再(?=要|买))")
# What leaves out a state belongs to what is asked for.
_KEEPS = re.compile(
    r"(?:except(?: for)?|without|other than|but not|excluding)\s(?:the\s|any\s|those\s)?"
    r"(?:[a-z]+(?:ed|id)|pending|hidden|draft)\b"
    r"|(?:不包括|不包含|不含)(?:那些|所有)?(?:[已未待没被]|取消|完成|草稿)"
)


@dataclass(frozen=True, kw_only=True)
class Clause:
    """`text` is the characters `start` to `end` of the sentence, without the white space and connectors around it."""

    start: int
    end: int
    text: str
    negated: bool


def split(
    text: str, *, connectors: Sequence[str], negations: Sequence[str], not_negations: Sequence[str]
) -> list[Clause]:
    """Clauses in spoken order; empty ones are left out. Words in quotes are never cut."""
    return splitter(tuple(connectors), tuple(negations), tuple(not_negations)).split(text)


@lru_cache(maxsize=16)
def splitter(connectors: tuple[str, ...], negations: tuple[str, ...], not_negations: tuple[str, ...]) -> "Splitter":
    return Splitter(connectors, negations, not_negations)


class Splitter:
    """`split` with its word lists prepared."""

    def __init__(self, connectors: Iterable[str], negations: Iterable[str], not_negations: Iterable[str]) -> None:
        joints: dict[str, int] = {}
        for connector in connectors:
            cut, _, kept = connector.removeprefix("!").partition("|")
            joints[cut + kept] = 0 if connector.startswith("!") else len(cut.rstrip())
        self._joints = Matcher(joints)
        self._negations = Matcher({**dict.fromkeys(negations, True), **dict.fromkeys(not_negations, False)})

    def split(self, text: str) -> list[Clause]:
        hidden = _hide_quotes(text)
        literals = find_literals(hidden)
        held = bytearray(len(hidden))
        negations: list[Span] = []
        for match in self._negations.find(hidden):
            held[match.start : match.end] = b"\x01" * (match.end - match.start)
            literal = any(start <= match.start < end for start, end in literals)
            told = _OTHERS_WANT.match(hidden, match.start) and _OTHERS.search(
                hidden, max(0, match.start - 12), match.start
            )
            if match.value and not literal and not told and not _KEEPS.match(hidden, match.start):
                negations.append((match.start, match.end))
        negations = sorted([*negations, *(m.span() for m in _NO.finditer(hidden))])
        clauses: list[Clause] = []
        ahead = deque(negations)
        for start, end in self._pieces(hidden, held, literals):
            while ahead and ahead[0][0] < start:
                ahead.popleft()
            if not ahead or ahead[0][1] > end:
                clauses.append(_clause(text, start, end))
                continue
            parts, bare = _negated(hidden, start, end, ahead[0])
            if bare and clauses:
                clauses[-1] = replace(clauses[-1], negated=True)
            clauses += [_clause(text, *part) for part in parts]
        return [c for c in clauses if c.text]

    def _pieces(self, text: str, held: bytearray, literals: Sequence[Span]) -> Iterable[Span]:
        """Cuts at full stops, commas and connectors; a connector that a negation holds or a colon precedes is none, and
        what is to be written down stays whole."""
        cuts = [(m.start(), m.end(), True) for m in _STOP.finditer(text) if not _inside_list(text, m)]
        cuts += [
            (joint.start, joint.start + joint.value, False)
            for joint in self._joints.find(text)
            if joint.value and not text.endswith(":", 0, joint.start) and not any(held[joint.start : joint.end])
        ]
        start = 0
        for left, right, stop in sorted(cuts):
            if any(begin <= left < end and (stop or begin < left) for begin, end in literals):
                continue
            if left < start or (not stop and text[start:left].strip() and _LEAD_IN.fullmatch(text, start, left)):
                continue
            if left > start:
                yield start, left
            start = right
        if start < len(text):
            yield start, len(text)


def _negated(text: str, start: int, end: int, negation: Span) -> tuple[list[tuple[int, int, bool]], bool]:
    """The parts of a clause with a negation, and whether that says no more than no.

    The negation holds to the end of the clause, or to 了 before another verb; what stands before it is asked for,
    unless it is the object of a negation that has none of its own ("订单不用查了").
    """
    left, right = negation
    lead_in = left == start or bool(_LEAD_IN.fullmatch(text, start, left))
    no_object = bool(_TAIL.fullmatch(text, right, end))
    over = _DROPPED.match(text, right, end) or _INSTEAD.match(text, right, end)
    stop = over.end() if over else end
    parts = [(start, stop, True)] if lead_in or no_object or over else [(start, left, False), (left, stop, True)]
    if over:
        parts.append((stop, end, False))
    return parts, lead_in and no_object


def _clause(text: str, start: int, end: int, negated: bool = False) -> Clause:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Clause(start=start, end=end, text=text[start:end], negated=negated)


def _hide_quotes(text: str) -> str:
    """The folded text with what stands in quotes blanked out, of the same length."""
    return _QUOTED.sub(lambda m: "\x00" * len(m.group()), fold(text))


def _inside_list(text: str, stop: re.Match[str]) -> bool:
    """A comma between numbers, or a full stop after an abbreviation."""
    before, after = text[max(0, stop.start() - 8) : stop.start()], text[stop.end() : stop.end() + 24]
    if stop.group() in (",", "，") and _LIST_BEFORE.search(before):
        days = before.rstrip().endswith(("号", "日"))
        return bool((_DAY_AFTER if days else _LIST_AFTER).match(after))
    return stop.group() == "." and bool(_ABBREVIATION.search(before))
