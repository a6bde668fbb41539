"""Finds the people that a text names, Chinese by their surnames, others by how they stand in the sentence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from language.found import Found, Span, overlaps
from language.matcher import Matcher

_LETTER = re.compile("[A-Za-z]")
_CJK = re.compile("[㐀-鿿]")
# What a name may follow directly; anything that is not Chinese, and what is taken, may stand before one as well.
_VERBS_BEFORE = (
    "查询 统计 分析 显示 列出 修改 更新 删除 取消 联系 通知 导出 汇总 告诉 关于 属于 "
    "来自 提醒 处理 了解 知道 名叫 名为 姓名 名字 查看 搜索 查找 看看 核对 以及 还有 "
    "呼叫 拨打 转给 发给 今天 昨天 "
)
_BEFORE = (
    *"查看找搜问给和跟与及同把将让叫为替帮对向请约是的或下个位列有出到按从由除要想加去在那",
    *_VERBS_BEFORE.split(),
)
_AFTER = (
    *"的和跟与及或在是有最这那今昨前本上下近买付退发转打说订做写提报评登注消购花欠已未没还都也就要想会能可",
    *"们一所全总共名等吗呢吧啊呀了去来到从对把被给查看改过为他她并且再又先开约取领参加收寄什怎几多哪谁如",
)
# What no given name holds; the second list only in its last place.
_NEVER_GIVEN = frozenset(
    "的了吗呢吧啊呀和与跟及或在是有被把给从到对向这那哪几谁什怎么个们您你我他她它已未没不就都也还要想会能可将让再又很太最"
)
_HONORIFIC = re.compile("先生|女士|小姐|老师|经理|主任|医生|同学|师傅|总(?![共计额数价量是结体部])")
_RARELY_LAST = frozenset("开约见取领登参加请问找搜叫换买付退转打评订报做说查看改收寄欠花去来前后上下今昨的一所")
_LONGEST_LATIN = 3
_WORD = r"[A-Z][a-zà-ÿ]+(?:-[A-Z][a-zà-ÿ]+)?"
_NAME = rf"{_WORD}(?:\s{_WORD}){{0,{_LONGEST_LATIN - 1}}}"
_POSSESSIVE = re.compile(rf"(?<![A-Za-z0-9'’])(?P<name>{_NAME}|[a-z]+)['’]s(?![A-Za-z])")
_AFTER_WORD = re.compile(
    rf"(?<![A-Za-z])(?:of|for|from|by|with|is|named|called|to|contact|call|tell|ask|meet|remind|and|find|customers?|users?|clients?)\s(?P<name>{_NAME})(?![A-Za-z0-9])"
)
_LOWER_AFTER_TITLE = re.compile(
    r"(?<![A-Za-z])(?:customers?|users?|clients?|named|called)\s(?P<name>[a-z]{2,}(?:\s[a-z]{2,})?)(?=['’]|$|[.,?!])"
)
_BESIDE_CHINESE = re.compile(rf"(?<![A-Za-z0-9])(?P<name>{_NAME})(?=\s?(?:的|最近|和|与|跟))")


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
    barred = [*taken, *((m.start, m.end) for m in names.barred.find(text))]
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
        if not _may_begin(text, at, closed, names.before):
            continue
        length = 2 if names.first_characters[character] and text[at : at + 2] in names.surnames else 1
        if length == 1 and character not in names.single:
            continue
        if end := _name_end(text, at + length, closed):
            found.append(Found(start=at, end=end, text=text[at:end], value=text[at:end]))
            last_end = end
    return found


def _may_begin(text: str, at: int, closed: bytearray, before: tuple[str, ...]) -> bool:
    return not at or bool(closed[at - 1]) or not _CJK.match(text, at - 1) or text.endswith(before, 0, at)


def _name_end(text: str, given: int, closed: bytearray) -> int:
    """The end of the longest given name of two or one characters that something ends; 0 if there is none."""
    if title := _HONORIFIC.match(text, given):
        return title.end()
    for length in (2, 1):
        end = given + length
        name = text[given:end]
        if len(name) < length or any(closed[given:end]) or not all(map(_CJK.match, name)) or _NEVER_GIVEN & set(name):
            continue
        if len(name) > 1 and name[-1] in _RARELY_LAST:
            continue
        if end == len(text) or closed[end] or not _CJK.match(text, end) or text.startswith(_AFTER, end):
            return end
    return 0


def _latin(text: str, never: frozenset[str], barred: Sequence[Span]) -> list[Found[str]]:
    found: dict[int, Found[str]] = {}
    for pattern in (_POSSESSIVE, _AFTER_WORD, _LOWER_AFTER_TITLE, _BESIDE_CHINESE):
        for match in pattern.finditer(text):
            start, end = match.span("name")
            words = text[start:end].split(" ")
            while words and words[0].lower() in never:
                start += len(words.pop(0)) + 1
            if words and start not in found and words[-1].lower() not in never and not overlaps(start, end, barred):
                found[start] = Found(start=start, end=end, text=text[start:end], value=text[start:end])
    return list(found.values())
