"""Latin words with two letters exchanged or one too many ("ordres", "alertts"), mended to words that are known."""

import re
from collections.abc import Collection, Iterator

from language.normalise import Text

_WORD = re.compile(r"[A-Za-z]{5,24}")


def mend(text: Text, known: Collection[str]) -> Text:
    """`known`: words in lower case. A word that is known, or that could be mended to several, stays as it is."""
    if not text.text.isascii() and not _WORD.search(text.text):
        return text
    for match in reversed(list(_WORD.finditer(text.text))):
        word = match.group().lower()
        if word in known or _is_name(match):
            continue
        meant = {other for other in _near(word) if other in known}
        if len(meant) == 1:
            text = text.replace(match.start(), match.end(), meant.pop())
    return text


def _is_name(match: re.Match[str]) -> bool:
    """A capital in the middle of a sentence: somebody may be called so."""
    before = match.string[: match.start()].rstrip(" ")
    return match.group()[0].isupper() and bool(before) and before[-1] not in ".!?\n" and before[-1].isascii()


def _near(word: str) -> Iterator[str]:
    """The word with two neighbours exchanged behind its first letter, or one of a double letter left out."""
    for at in range(1, len(word) - 1):
        if word[at] != word[at + 1]:
            yield f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}"
    for at in range(len(word) - 1):
        if word[at] == word[at + 1]:
            yield word[:at] + word[at + 1 :]
