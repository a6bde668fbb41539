"""Finds the people that a text names, Chinese by their surnames, others by how they stand in the sentence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from language.found import Found, Span, overlaps
from language.matcher import Matcher
from language.pinyin import is_pinyin_name

_LETTER = re.compile("[A-Za-z]")
_CJK = re.compile("[㐀-鿿]")
# What a name may follow directly; anything that is not Chinese, and what is taken, may stand before one as well.
_VERBS_BEFORE = (
    "查询 统计 分析 显示 列出 修改 更新 删除 取消 联系 通知 导出 汇总 告诉 关于 属于 "
    "来自 提醒 处理 了解 知道 名叫 名为 姓名 名字 查看 搜索 查找 看看 核对 以及 还有 "
    "呼叫 拨打 转给 发给 今天 昨天 姓 "
)
_BEFORE = (
    *"查看找搜问给和跟与及同把将让叫为替帮对向请约是的或下个位列有出到按从由除要想加去在那",
    *_VERBS_BEFORE.split(),
)
_AFTER = (
    *"的和跟与及或在是有最这那今昨前本上下近买付退发转打说订做写提报评登注消购花欠已未没还都也就要想会能可",
    *"们一所全总共名等吗呢吧啊呀了去来到从对把被给查看改过为他她并且再又先开约取领参加收寄什怎几多哪谁如回送催",
)
# What no given name holds; the second list only in its last place.
_NEVER_GIVEN = frozenset(
    "的了吗呢吧啊呀和与跟及或在是有被把给从到对向这那哪几谁什怎么个们您你我他她它已未没不就都也还要想会能可将让再又很太最"
)
_HONORIFIC = re.compile("先生|女士|小姐|老师|经理|主任|医生|同学|师傅|总(?![共计额数价量是结体部])")
_RARELY_LAST = frozenset(
    "写说开约见取领登参加请问找搜叫换买付退转打评订报做说查看改收寄欠花去来前后上下今昨的一所回送催"
)
_LONGEST_LATIN = 3
_WORD = r"[A-Z][a-zà-ÿ]+(?:-[A-Z][a-zà-ÿ]+)?"
_NAME = rf"{_WORD}(?:\s{_WORD}){{0,{_LONGEST_LATIN - 1}}}"
_POSSESSIVE = re.compile(rf"(?<![A-Za-z0-9'’])(?P<name>{_NAME}|[a-z]+)['’]s(?![A-Za-z])")
_AFTER_WORD = re.compile(
    rf"(?<![A-Za-z])(?:of|for|from|by|with|is|named|called|to|contact|call|tell|ask|meet|remind|and|find|customers?|users?|clients?)\s(?P<name>{_NAME})(?![A-Za-z0-9])"
)
_LOWER_AFTER_TITLE = re.compile(
    r"(?<![A-Za-z])(?i:customers?|users?|clients?|named|called)\s(?P<name>[a-z]{2,}(?:\s[a-z]{2,})?)"
    r"(?=['’]|$|[.,?!]|\s(?:last|this|next|today|yesterday|in|from|on|for|since|between)\b)"
)
_LOWER_PAIR = r"(?P<name>[a-z]{2,8}\s[a-z]{2,18})"
_LOWER_PINYIN = re.compile(
    rf"(?<![A-Za-z0-9'’])(?:(?i:of|for|from|by|with|customers?|users?|clients?|named|called|contact|call|tell|ask|remind)\s"
    rf"{_LOWER_PAIR}(?![A-Za-z0-9])|(?P<whose>[a-z]{{2,8}}\s[a-z]{{2,18}})(?=['’]s(?![A-Za-z])))"
)
_CAPITALS = re.compile(
    rf"(?<![A-Za-z0-9'’])(?P<name>{_WORD}\s{_WORD})(?=$|[.,?!]|\s(?P<things>orders?|purchases?|reviews?)?)"
)
_BESIDE_CHINESE = re.compile(rf"(?<![A-Za-z0-9])(?P<name>{_NAME})(?=\s?(?:的|最近|和|与|跟))")
_ASKED_OF = re.compile(rf"(?<![A-Za-z])(?:[Dd]id|[Dd]oes|[Hh]as|[Hh]ad)\s(?P<name>{_WORD}\s{_WORD})(?=\s[a-z])")
_LATIN = (
    (_ASKED_OF, True),
    (_LOWER_PINYIN, False),
    (_POSSESSIVE, True),
    (_AFTER_WORD, True),
    (_LOWER_AFTER_TITLE, True),
    (_BESIDE_CHINESE, True),
    (_CAPITALS, False),
)
"""Patterns, and whether what they find is a name whatever it is spelled like."""
_MOST_IN_A_ROW = 3
_NO_LONE_SURNAME = frozenset("小阿老单费于应成")


@dataclass(frozen=True, kw_only=True)
class Names:
    """`titles` stand before a name (用户, 客户); `not_names` only look like one (高价, 大陆)."""

    surnames: tuple[str, ...]
    not_names: tuple[str, ...]
    titles: tuple[str, ...]

    @cached_property
    def barred(self) -> Matcher[bool]:
        return Matcher(dict.fromkeys(self.not_names, True))

    @cached_property
    def never_latin(self) -> frozenset[str]:
        return frozenset(w.lower() for w in self.not_names if w.isascii())

    @cached_property
    def first_characters(self) -> dict[str, bool]:
        """Whether the surname of this first character may be two characters long."""
        return {s[0]: False for s in self.surnames} | {s[0]: True for s in self.surnames if len(s) > 1}

    @cached_property
    def single(self) -> frozenset[str]:
        return frozenset(s for s in self.surnames if len(s) == 1)

    @cached_property
    def before(self) -> tuple[str, ...]:
        return (*_BEFORE, *self.titles)


def find_people(text: str, names: Names, taken: Sequence[Span]) -> list[Found[str]]:
    """Names in text order. `taken`: what is already known to mean something else; a name may touch it."""
    # A plural of one of these is another word: Ines is nobody's "in".
    barred = [*taken, *((m.start, m.end) for m in names.barred.find(text) if m.end - m.start == len(m.word))]
    found = _chinese(text, names, barred)
    if _LETTER.search(text):
        found += _latin(text, names.never_latin, barred)
    return sorted(found, key=lambda f: f.start)


def _chinese(text: str, names: Names, barred: Sequence[Span]) -> list[Found[str]]:
    closed = bytearray(len(text))
    for start, end in barred:
        closed[start:end] = b"\x01" * (min(end, len(text)) - start)
    found: list[Found[str]] = []
    last_end = 0
    for at, character in enumerate(text):
        if at < last_end or character not in names.first_characters or closed[at]:
            continue
        beside = bool(found) and at == last_end
        if not beside and not _may_begin(text, at, closed, names.before):
            continue
        end = _whole_name(text, at, closed, names) or _lone_surname(text, at, closed, names)
        if end:
            found.append(Found(start=at, end=end, text=text[at:end], value=text[at:end]))
            last_end = end
    return found


def _whole_name(text: str, at: int, closed: bytearray, names: Names, depth: int = _MOST_IN_A_ROW) -> int:
    """The end of the name whose surname would begin here; 0 if none does. `depth`: names that may follow directly."""
    given = _given(text, at, names)
    if not given:
        return 0
    if end := _name_end(text, given, closed):
        return end
    for end in (given + 2, given + 1) if depth else ():
        surname = end < len(text) and not closed[end] and text[end] in names.first_characters
        if surname and _is_given(text, given, end, closed) and _whole_name(text, end, closed, names, depth - 1):
            return end
    return 0


def _given(text: str, at: int, names: Names) -> int:
    """Where the given name after a surname begins; 0 if no surname stands here."""
    length = 2 if names.first_characters.get(text[at]) and text[at : at + 2] in names.surnames else 1
    return at + length if length > 1 or text[at] in names.single else 0


def _lone_surname(text: str, at: int, closed: bytearray, names: Names) -> int:
    """用户王 looks for whoever is called so."""
    end = at + 1
    over = end == len(text) or closed[end] or text[end] == "的" or not _CJK.match(text, end)
    titled = text.endswith((*names.titles, "姓"), 0, at)
    return end if over and titled and text[at] in names.single and text[at] not in _NO_LONE_SURNAME else 0


def _may_begin(text: str, at: int, closed: bytearray, before: tuple[str, ...]) -> bool:
    return not at or bool(closed[at - 1]) or not _CJK.match(text, at - 1) or text.endswith(before, 0, at)


def _name_end(text: str, given: int, closed: bytearray) -> int:
    """The end of the longest given name of two or one characters that something ends; 0 if there is none."""
    if title := _HONORIFIC.match(text, given):
        return title.end()
    for length in (2, 1):
        end = given + length
        if not _is_given(text, given, end, closed):
            continue
        if end == len(text) or closed[end] or not _CJK.match(text, end) or text.startswith(_AFTER, end):
            return end
    return 0


def _is_given(text: str, start: int, end: int, closed: bytearray) -> bool:
    name = text[start:end]
    if len(name) < end - start or any(closed[start:end]) or not all(map(_CJK.match, name)) or _NEVER_GIVEN & set(name):
        return False
    return len(name) == 1 or name[-1] not in _RARELY_LAST


def _latin(text: str, never: frozenset[str], barred: Sequence[Span]) -> list[Found[str]]:
    found: list[Found[str]] = []
    for pattern, sure in _LATIN:
        for match in pattern.finditer(text):
            start, end = match.span(match.lastgroup if match.lastgroup == "whose" else "name")
            words = text[start:end].split(" ")
            while words and words[0].lower() in never:
                start += len(words.pop(0)) + 1
            if not words or words[-1].lower() in never or overlaps(start, end, barred):
                continue
            if not sure and not (is_pinyin_name(words) or _names_whose_things(match, words)):
                continue
            if not overlaps(start, end, (f.span for f in found)):
                found.append(Found(start=start, end=end, text=text[start:end], value=text[start:end]))
    return found


def _names_whose_things(match: re.Match[str], words: Sequence[str]) -> bool:
    """Bob Smith orders."""
    return len(words) > 1 and bool(match.groupdict().get("things"))
