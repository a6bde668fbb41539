"""What the patterns may use, whatever Python they run on."""

import re
from pathlib import Path

import language


def test_no_group_is_repeated_possessively_which_re_gets_wrong_before_3_11_5() -> None:
    repeated = re.compile(r"\)(?:[*+?]|\{+[^{}]*(?:\{[^{}]*\})?[^{}]*\}+)\+")
    assert repeated.search(r"(?:ab){{0,9}}+")
    assert repeated.search(r"(?:ab)*+")
    folder = Path(str(language.__file__)).parent
    lines = [(path.name, line) for path in sorted(folder.glob("*.py")) for line in path.read_text("utf-8").splitlines()]
    assert [found for found in lines if repeated.search(found[1])] == []
