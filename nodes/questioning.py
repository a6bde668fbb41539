"""Whether a clause asks something, so that what it names is not to be done."""

from collections.abc import Iterable, Sequence

from config.catalogue import Catalogue
from language.normalise import Text, fold
from language.particulars import rest
from nodes.reading import Rules, find_word, folded_word


def questioned(text: str, at: int, catalogue: Catalogue) -> bool:
    """Whether what stands at `at` is asked about, and not asked for: "什么时候改成已发货的", "取消了吗"."""
    words, folded = catalogue.lexicon.questions, _bare(text)
    return (
        _stands(folded[:at], words.before)
        or _stands(folded, words.anywhere)
        or folded.endswith(tuple(folded_word(word) for word in words.ending))
        or _opens(folded, words.opening)
    )


def wonders(text: str, catalogue: Catalogue) -> bool:
    """Whether a word that asks stands anywhere in the text."""
    words = catalogue.lexicon.questions
    return _stands(fold(text), (*words.anywhere, *words.before)) or questioned(text, 0, catalogue)


def asks(part: Text, rules: Rules) -> bool:
    """Whether a clause begins by asking for something ("查一下...", "今天有多少...")."""
    catalogue, text = rules.catalogue, part.text
    words = catalogue.lexicon.questions
    folded = fold(text)
    lead = [at for word in words.requesting if (at := find_word(folded, folded_word(word))) >= 0]
    if lead and not rest(text[: min(lead)], [], catalogue.particles):
        return True
    asking = [*words.before, *words.anywhere, *words.opening]
    found = [at for word in asking if (at := find_word(folded, folded_word(word))) >= 0]
    if found and not rest(text[: min(found)], rules.read(part.part(0, min(found))).spans, catalogue.particles):
        return True
    return bool(found) and _bare(text) != folded.rstrip()


def _bare(text: str) -> str:
    return fold(text).rstrip(" ?？。.!！")


def _stands(text: str, words: Iterable[str]) -> bool:
    return any(find_word(text, folded_word(word)) >= 0 for word in words)


def _opens(text: str, words: Sequence[str]) -> bool:
    return any(find_word(text[: len(word) + 1], folded_word(word)) == 0 for word in words)
