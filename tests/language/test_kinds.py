"""The kinds of sentences that break systems like this one, read from end to end."""

from datetime import datetime
from typing import Any

import pytest

from config.lexicon import Grammar
from language.normalise import normalise
from language.pronouns import resolve
from tests.language.conftest import Cut, ReadText


def period(slots: dict[str, Any]) -> str:
    return f"{slots['period']['start']}..{slots['period']['end']}"


@pytest.mark.parametrize(
    "raw", ["看看上周的成交", "上一周卖了多少", "上星期的成交", "上個禮拜的成交", "上週成交", "sales last week"]
)
def test_synonyms_of_a_period_mean_the_same(reader: ReadText, raw: str) -> None:
    assert period(reader(raw).slots) == "2026-11-23..2026-11-29"


@pytest.mark.parametrize(
    ("raw", "span"),
    [
        ("上上周的成交", "2026-11-16..2026-11-22"),
        ("上上上周的成交", "2026-11-09..2026-11-15"),
        ("上上個月", "2026-09-01..2026-09-30"),
        ("大前天", "2026-11-27..2026-11-27"),
        ("the week before last", "2026-11-16..2026-11-22"),
    ],
)
def test_the_longest_time_word_wins(reader: ReadText, raw: str, span: str) -> None:
    assert period(reader(raw).slots) == span


@pytest.mark.parametrize(
    ("raw", "now", "span"),
    [
        ("下月排期", datetime(2027, 12, 15), "2028-01-01..2028-01-31"),
        ("上月业绩", datetime(2028, 1, 31), "2027-12-01..2027-12-31"),
        ("上月业绩", datetime(2028, 3, 30), "2028-02-01..2028-02-29"),
        ("这周业绩", datetime(2027, 1, 1), "2026-12-28..2027-01-03"),
        ("上季度业绩", datetime(2027, 3, 31), "2026-10-01..2026-12-31"),
    ],
)
def test_periods_cross_the_turn_of_the_year(reader: ReadText, raw: str, now: datetime, span: str) -> None:
    assert period(reader(raw, now=now).slots) == span


def test_eight_digits_are_a_day_and_eleven_an_identifier(reader: ReadText) -> None:
    assert period(reader("20250618的订单", "订单").slots) == "2025-06-18..2025-06-18"
    slots = reader("查订单20250618077", "订单").slots
    assert slots == {"order_no": ["20250618077"]}


@pytest.mark.parametrize(
    "raw", ["评分前四的课程", "前 4 名", "前４个", "top four courses", "the first 4", "最新的四条"]
)
def test_quantities_in_any_script(reader: ReadText, raw: str) -> None:
    assert reader(raw).slots == {"limit": 4}


def test_full_width_commas_join_identifiers(reader: ReadText, clauses: Cut) -> None:
    assert len(clauses("看订单３００１，３００２到哪了")) == 1
    assert reader("看订单３００１，３００２到哪了", "订单").slots == {"order_no": ["3001", "3002"]}


@pytest.mark.parametrize("raw", ["收拾一下本店的订单", "大陆的订单", "统一看一下订单", "万一有订单", "十足的订单"])
def test_numerals_inside_words_are_no_limit(reader: ReadText, raw: str) -> None:
    assert "limit" not in reader(raw, "订单").slots


@pytest.mark.parametrize(
    "raw", ["帮我看李雷的订单", "帮我看李雷 的 订单", "看李雷order", "李雷的orders", "看一下李雷訂單"]
)
def test_names_need_no_spaces(reader: ReadText, raw: str) -> None:
    noun = "order" if "order" in raw else "订单"
    assert reader(raw, noun).slots == {"people": ["李雷"]}


@pytest.mark.parametrize(
    "raw", ["across the border", "please reorder", "a statement", "the mayor", "someday", "a weekly", "hours"]
)
def test_english_words_inside_longer_ones_mean_nothing(reader: ReadText, raw: str) -> None:
    assert reader(raw).slots == {}


@pytest.mark.parametrize(
    "raw",
    [
        "别看订单",
        "订单先不看了",
        "我不需要看订单",
        "不用刪訂單",
        "please do not cancel the order",
        "I don't need orders",
    ],
)
def test_negated_requests_ask_for_nothing(clauses: Cut, raw: str) -> None:
    assert all(clause.negated for clause in clauses.clauses(raw))


def test_a_greeting_is_a_clause_of_its_own(clauses: Cut) -> None:
    assert clauses("早上好！今天有多少订单？") == ["早上好", "今天有多少订单"]
    assert clauses("谢谢，再看下统计") == ["谢谢", "看下统计"]


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("查詢張三的訂單", "查询张三的订单"),
        ("最近七天的統計", "最近七天的统计"),
        ("後天下午三點", "后天下午三点"),
        ("前兩個月", "前两个月"),
        ("訂單編號：1001", "订单编号：1001"),
    ],
)
def test_traditional_script_reads_as_simplified(reader: ReadText, traditional: str, simplified: str) -> None:
    assert reader(traditional).slots == reader(simplified).slots


def test_several_requests_keep_their_own_particulars(reader: ReadText, clauses: Cut) -> None:
    texts = clauses("查李雷上周的订单，再查韩梅梅这个月的前三条")
    assert [reader(text).slots["people"] for text in texts] == [["李雷"], ["韩梅梅"]]
    assert [reader(text).slots["period"]["name"] for text in texts] == ["lastWeek", "month"]


def test_a_follow_up_reads_with_what_was_remembered(reader: ReadText, grammar: Grammar) -> None:
    text, _ = resolve(normalise("他上周的订单呢"), {"person": "韩梅梅"}, grammar.pronouns)
    slots = reader.reader.read(text, datetime(2026, 11, 30), [(6, 8)]).slots
    assert slots["people"] == ["韩梅梅"]
    assert slots["period"]["name"] == "lastWeek"


@pytest.mark.parametrize(
    "raw", ["-。-", "？？？", "👍👍", "　\u200b", "SELECT * FROM orders; --", '{"a": [1]}', "/restart"]
)
def test_noise_holds_no_particulars(reader: ReadText, raw: str) -> None:
    slots = reader(raw).slots
    assert set(slots) <= {"content"}
