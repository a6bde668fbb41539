"""Every stage of reading is measured over every text."""

from bench.reading import TEXTS, reading, shown


def test_each_stage_has_a_median_for_each_text() -> None:
    tables = reading(repeats=2)
    assert len(tables["reading"]) >= 12
    assert all(row.us.keys() == TEXTS.keys() and min(row.us.values()) > 0 for row in tables["reading"])
    assert "dates and periods" in shown(tables)
    assert [len(text) for text in TEXTS.values()][2:] == [200, 200]
