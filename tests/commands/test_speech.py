"""What commands print stands in columns and does nothing to a terminal."""

from datetime import UTC, datetime, timedelta

import pytest

from commands.speech import age, table


def test_columns_stand_under_their_heads_also_in_chinese() -> None:
    assert table(("id", "tool", "note"), [("1", "订单", "a"), ("20", "x", "")]).splitlines() == [
        "id  tool  note",
        "1   订单  a",
        "20  x",
    ]


def test_what_would_move_the_cursor_is_left_out() -> None:
    assert table(("a",), [("x\x1b[2Jy\n",)]).splitlines() == ["a", "x [2Jy"]


@pytest.mark.parametrize(
    ("seconds", "said"), [(-5, "0 s"), (4, "4 s"), (119, "119 s"), (150, "2 min"), (7300, "2 h"), (260_000, "3 d")]
)
def test_an_age_has_the_unit_that_a_reader_would_choose(seconds: int, said: str) -> None:
    assert age(datetime.now(UTC) - timedelta(seconds=seconds)) == said
