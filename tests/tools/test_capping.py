"""Results that are too large keep their first rows."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tools.capping import capped, encoded, size


def bytes_of(value: Any) -> int:
    return size(encoded(value))


def test_the_longest_lists_lose_their_last_rows() -> None:
    data = {"total": 1_000, "rows": list(range(1_000)), "short": [1, 2, 3]}
    small = capped(data, 500)
    assert small["total"] == 1_000
    assert small["short"] == [1, 2, 3]
    assert small["rows"] == list(range(len(small["rows"])))
    assert bytes_of(small) <= 500 < bytes_of({**small, "rows": list(range(len(small["rows"]) + 2))})


def test_rows_with_endless_texts_keep_their_beginnings() -> None:
    small = capped({"rows": [{"text": "长" * 100_000}] * 3}, 64_000)
    assert [row["text"][:2] for row in small["rows"]] == ["长长"] * 3
    assert bytes_of(small) <= 64_000


def test_one_endless_text_keeps_its_beginning() -> None:
    small = capped({"text": "x" * 1_000_000}, 64_000)
    assert small["text"] == "x" * 4_000 + "…"


def test_nothing_is_left_where_nothing_can_be_cut() -> None:
    assert capped({str(n): n for n in range(1_000)}, 100) == {}


leaves = st.none() | st.integers() | st.text(max_size=60)
rows = st.lists(st.dictionaries(st.sampled_from("abc"), leaves | st.lists(leaves, max_size=5)), max_size=20)
json_data = st.dictionaries(st.text(max_size=5), leaves | rows, max_size=4)


@given(json_data, st.integers(min_value=2, max_value=300))
def test_it_always_fits(data: dict[str, Any], max_bytes: int) -> None:
    before = encoded(data)
    small = capped(data, max_bytes)
    assert bytes_of(small) <= max_bytes
    assert set(small) <= set(data)
    assert encoded(data) == before
