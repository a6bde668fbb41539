"""What a planning model gets to see of a thread that several agents share."""

from collections.abc import Callable
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from auth.principal import Principal
from config.catalogue import Catalogue
from nodes.plan_by_model import seen_by
from tests.nodes.said import ask, planned, reply, result
from tools.registry import Registry

Seen = Callable[..., list[AnyMessage]]


@pytest.fixture(scope="module")
def seen(catalogue: Catalogue, registry: Registry) -> Seen:
    def by(messages: list[AnyMessage], *agents: str, who: Principal = Principal()) -> list[AnyMessage]:  # noqa: B008
        return seen_by([catalogue.agents[agent] for agent in agents], messages, registry, who)

    return by


def ids(messages: list[AnyMessage]) -> list[str]:
    return [str(m.id) for m in messages]


def test_another_agents_calls_and_their_answers_are_left_out_whole(seen: Seen) -> None:
    messages: list[AnyMessage] = [
        ask(1), planned(1, ("x", "list_orders"), ("y", "find_users")), result("x", "list_orders"),
        result("y", "find_users"), reply(1),
        ask(2), planned(2, ("z", "list_todos")), result("z", "list_todos"), reply(2),
        ask(3),
    ]  # fmt: skip
    assert ids(seen(messages, "todo")) == ["h1", "a1", "h2", "c2", "tool-z", "a2", "h3"]
    assert ids(seen(messages, "business")) == ["h1", "c1", "tool-x", "tool-y", "a1", "h2", "a2", "h3"]


def test_a_message_with_calls_of_two_agents_keeps_those_of_the_one(seen: Seen) -> None:
    raw = {"tool_calls": [{"id": "x"}, {"id": "z"}]}
    mixed = planned(1, ("x", "list_orders"), ("z", "list_todos"), additional_kwargs=raw)
    messages: list[AnyMessage] = [ask(1), mixed, result("x", "list_orders"), result("z", "list_todos"), ask(2)]
    before = deepcopy(messages)
    kept = seen(messages, "todo")
    assert messages == before
    assert ids(kept) == ["h1", "c1", "tool-z", "h2"]
    assert isinstance(kept[1], AIMessage)
    assert [c["id"] for c in kept[1].tool_calls] == ["z"]
    assert kept[1].additional_kwargs == {}


def test_the_current_turn_stays_whatever_it_called(seen: Seen) -> None:
    messages: list[AnyMessage] = [ask(1), planned(1, ("x", "list_orders")), result("x", "list_orders")]
    assert seen(messages, "todo") == messages


def test_words_beside_another_agents_calls_stay(seen: Seen) -> None:
    spoken = planned(1, ("x", "list_orders"), text="let me see")
    kept = seen([ask(1), spoken, result("x", "list_orders"), ask(2)], "todo")
    assert [(m.id, m.text) for m in kept] == [("h1", "question 1"), ("c1", "let me see"), ("h2", "question 2")]


def test_a_tool_that_is_gone_belongs_to_nobody(seen: Seen) -> None:
    assert ids(seen([ask(1), planned(1, ("x", "drop_tables")), result("x", "drop_tables"), ask(2)], "todo")) == [
        "h1", "h2",
    ]  # fmt: skip


def test_what_the_caller_may_not_use_is_not_seen(seen: Seen) -> None:
    reader = Principal(permissions=frozenset({"*:read"}))
    messages: list[AnyMessage] = [
        ask(1), planned(1, ("x", "list_orders"), ("y", "update_order_status")), result("x", "list_orders"),
        result("y", "update_order_status"), reply(1),
        ask(2),
    ]  # fmt: skip
    assert ids(seen(messages, "business", who=reader)) == ["h1", "c1", "tool-x", "a1", "h2"]
    assert ids(seen(messages, "business")) == ["h1", "c1", "tool-x", "tool-y", "a1", "h2"]


def test_a_call_that_was_refused_for_want_of_permission_is_not_seen_in_its_own_turn(seen: Seen) -> None:
    refused = result("y", "update_order_status")
    refused.artifact["reason"] = "not_permitted"
    messages: list[AnyMessage] = [ask(1), planned(1, ("y", "update_order_status")), refused]
    assert ids(seen(messages, "business")) == ["h1"]
    both = [ask(1), planned(1, ("x", "list_orders"), ("y", "update_order_status")), result("x", "list_orders"), refused]
    assert ids(seen(both, "business")) == ["h1", "c1", "tool-x"]


TOOLS = ("list_orders", "list_todos", "add_todo", "gone")
TURNS = st.lists(st.lists(st.lists(st.sampled_from(TOOLS), min_size=1, max_size=3), max_size=3), max_size=5)


@given(TURNS, st.sampled_from(["todo", "business", "contact"]))
def test_every_call_that_is_seen_has_its_answer(seen: Seen, made: list[list[list[str]]], agent: str) -> None:
    messages: list[AnyMessage] = []
    for n, rounds in enumerate(made):
        messages.append(ask(n))
        for r, tools in enumerate(rounds):
            keys = [(f"{n}-{r}-{i}", name) for i, name in enumerate(tools)]
            messages += [planned(n * 10 + r, *keys), *(result(key, name) for key, name in keys)]
        messages.append(reply(n))
    kept = seen([*messages, ask(99)], agent)
    asked = [c["id"] for m in kept if isinstance(m, AIMessage) for c in m.tool_calls]
    assert asked == [m.tool_call_id for m in kept if isinstance(m, ToolMessage)]
    assert kept[-1].id == "h99"
