"""Answers from the knowledge base, by rules over words: what it does not hold, it does not answer."""

import re
import unicodedata

from demo.rows import Pool, Record, fetch

LONGEST_QUESTION = 500
# The part of a question's content that an entry has to account for.
ENOUGH = 0.55
# Words without content, in both languages.
_PHRASES = (
    "请问", "你好", "您好", "谢谢", "麻烦", "一下", "为什么", "怎么样", "怎么办", "怎么", "怎样", "如何", "什么",
    "哪里", "在哪", "是不是", "能不能", "可不可以", "可以", "能否", "是否", "我想", "想要", "想问", "知道", "告诉",
    "帮我", "需要", "你们", "我们", "我的", "自己", "昨天", "今天", "刚才", "有没有", "了解", "这个", "那个", "应该",
    "关于", "问题", "买的", "支持",
)  # fmt: skip
_SINGLE = "我你您他她它的了吗呢吧啊呀嘛哦是有在要想能会可把给和与及也都就还这那个请问么去来后前时被让得地着过很太办"
_ENGLISH = """
    a an the i you he she it we they me my your our their his her its is are am was were be been do does did can could
    will would shall should may might must to of in on at for from by with and or if then so that this these those there
    here what which who whom how when where why please hi hello hey thanks thank tell know about any some have has had
    get got s t m re ve ll d not no"""
_WORDS = frozenset(_ENGLISH.split())
_CONTENT = re.compile(r"[a-z0-9]+|[㐀-鿿]")


class Answer(Record):
    """`score`: the part of the question's content that the entry accounts for, up to 1."""

    entry_no: int
    question: str
    answer: str
    score: float


class Entry(Record):
    entry_no: int
    question_zh: str
    answer_zh: str
    question_en: str
    answer_en: str
    needs: list[str]
    also: str


_ALL = """
    select entry_no, question_zh, answer_zh, question_en, answer_en, needs, also
    from demo.knowledge where tenant_id = %(tenant)s order by entry_no"""


class Knowledge:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def search(self, tenant: str, question: str, *, locale: str, limit: int = 3) -> list[Answer]:
        """The best answers first, in `locale` (zh or en); empty where the knowledge base does not hold the question."""
        entries = [Entry(**row) for row in await fetch(self._pool, _ALL, {"tenant": tenant})]
        return best(entries, question, locale=locale, limit=limit)


def best(entries: list[Entry], question: str, *, locale: str, limit: int) -> list[Answer]:
    """The entries of which every need is named and that account for enough of the question's content.

    More needs named is closer to what was asked; among equals the one that accounts for more of it comes first.
    """
    text = unicodedata.normalize("NFKC", question[:LONGEST_QUESTION]).lower()
    rated = [(len(entry.needs), score, entry) for entry in entries if (score := rate(entry, text)) >= ENOUGH]
    rated.sort(key=lambda one: (-one[0], -one[1], one[2].entry_no))
    english = locale == "en"
    return [
        Answer(
            entry_no=entry.entry_no,
            question=entry.question_en if english else entry.question_zh,
            answer=entry.answer_en if english else entry.answer_zh,
            score=round(score, 3),
        )
        for _, score, entry in rated[:limit]
    ]


def rate(entry: Entry, text: str) -> float:
    """The part of the text's content words that belongs to the entry, 0 where one of its needs is not named."""
    covered: set[int] = set()
    for group in entry.needs:
        found = [span for word in group.split("|") for span in _places(word, text)]
        if not found:
            return 0.0
        covered.update(position for span in found for position in range(*span))
    for word in (*filter(None, entry.also.split("|")), *_pairs(entry.question_zh), *_content_words(entry.question_en)):
        covered.update(position for span in _places(word, text) for position in range(*span))
    return _share(text, covered)


def _share(text: str, covered: set[int]) -> float:
    """Covered content over all content; a Latin word weighs as much as two Chinese characters."""
    idle = {position for phrase in _PHRASES for span in _places(phrase, text) for position in range(*span)}
    total = hit = 0
    for found in _CONTENT.finditer(text):
        word, at = found[0], found.start()
        weight = 2 if word.isascii() else 1
        if at in covered:
            total, hit = total + weight, hit + weight
        elif at not in idle and word not in _SINGLE and word not in _WORDS:
            total += weight
    return hit / total if total else 0.0


def _places(word: str, text: str) -> list[tuple[int, int]]:
    """Where a word stands; a Latin one only as a whole, or with a simple ending."""
    if word.isascii():
        return [m.span() for m in re.finditer(rf"(?<![a-z0-9]){re.escape(word)}(?:e?s|ed|ing)?(?![a-z0-9])", text)]
    return [(at, at + len(word)) for at in range(len(text)) if text.startswith(word, at)]


def _pairs(question: str) -> list[str]:
    """The neighbouring characters of a question that are content."""
    kept = question
    for phrase in _PHRASES:
        kept = kept.replace(phrase, " ")
    kept = "".join(" " if c in _SINGLE else c for c in kept)
    return [kept[n : n + 2] for n in range(len(kept) - 1) if re.fullmatch(r"[㐀-鿿]{2}", kept[n : n + 2])]


def _content_words(question: str) -> list[str]:
    return [word for word in re.findall(r"[a-z0-9]+", question.lower()) if word not in _WORDS]
