"""The shipped grammar and small word lists, prepared once."""

from datetime import datetime
from pathlib import Path

import pytest
import yaml

from config.lexicon import Grammar
from language.clauses import Clause, splitter
from language.identifiers import Rule
from language.matcher import Matcher
from language.names import Names
from language.normalise import normalise
from language.particulars import Particulars, Reader

GRAMMAR = Path(__file__).parents[2] / "config" / "grammar.yaml"
NOW = datetime(2026, 11, 30, 10)
"""A Monday."""
STATUSES = {
    "pending_payment": ("待付款", "未付款", "没付款", "unpaid"),
    "to_ship": ("待发货", "未发货", "没发货"),
    "shipped": ("已发货", "shipped"),
    "completed": ("已完成", "completed"),
    "cancelled": ("已取消", "cancelled"),
}
RULES = (
    Rule(slot="order_no", nouns=("订单", "订单号", "单号", "order"), digits=(11,), dated=True),
    Rule(slot="todo_no", nouns=("待办", "todo")),
    Rule(slot="event_no", nouns=("会议", "日程", "meeting", "event")),
)


@pytest.fixture(scope="session")
def grammar() -> Grammar:
    return Grammar.model_validate(yaml.safe_load(GRAMMAR.read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def names(grammar: Grammar) -> Names:
    return Names(surnames=grammar.surnames, not_names=grammar.not_names, titles=grammar.name_titles)


@pytest.fixture(scope="session")
def reader(names: Names) -> "ReadText":
    done = {"done": ("已完成", "完成了"), "open": ("未完成",)}
    return ReadText(Reader(values={"order_status": STATUSES, "todo_done": done}, identifiers=RULES, names=names))


@pytest.fixture(scope="session")
def particles(grammar: Grammar) -> Matcher[bool]:
    return Matcher(dict.fromkeys(grammar.particles, True))


@pytest.fixture(scope="session")
def clauses(grammar: Grammar) -> "Cut":
    return Cut(grammar)


class ReadText:
    """Reads a text as typed; `taken` words are those that the caller has used."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def __call__(self, raw: str, *taken: str, now: datetime = NOW) -> Particulars:
        text = normalise(raw)
        spans = [(text.text.index(word), text.text.index(word) + len(word)) for word in taken]
        return self.reader.read(text, now, spans)


class Cut:
    """Cuts a text as typed; clauses as texts, those that are not wanted behind a minus."""

    def __init__(self, grammar: Grammar) -> None:
        self._splitter = splitter(grammar.connectors, grammar.negations, grammar.not_negations)

    def clauses(self, raw: str) -> list[Clause]:
        return self._splitter.split(normalise(raw).text)

    def __call__(self, raw: str) -> list[str]:
        return [("-" if c.negated else "") + c.text for c in self.clauses(raw)]
