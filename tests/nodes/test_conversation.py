"""The message list stays bounded, whole and answerable."""

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langgraph.graph.message import add_messages

from nodes.conversation import SUMMARY_CHARS, fold, planned_calls, spoken, tidy, turns


def ask(n: int) -> HumanMessage:
    return HumanMessage(f"question {n}", id=f"h{n}")


def call(n: int, *keys: str, text: str = "") -> AIMessage:
    return AIMessage(text, id=f"c{n}", tool_calls=[tool_call(name="t", args={}, id=key) for key in keys])


def answered(key: str, artifact: object = None) -> ToolMessage:
    return ToolMessage("ok", tool_call_id=key, id=f"tool-{key}", artifact=artifact)


def said(n: int) -> AIMessage:
    return AIMessage(f"answer {n}", id=f"a{n}")


def after(messages: list[AnyMessage], rounds: int = 6) -> list[AnyMessage]:
    change, _ = tidy(messages, rounds)
    return add_messages(list(messages), list(change))  # type: ignore[return-value,arg-type]  # the reducer's own types


def test_whole_turns_fall_out_and_the_rest_stays_untouched() -> None:
    messages: list[AnyMessage] = []
    for n in range(8):
        messages += [ask(n), call(n, f"k{n}"), answered(f"k{n}"), said(n)]
    messages.append(ask(8))
    kept = after(messages, rounds=3)
    assert [m.id for m in kept] == ["h6", "c6", "tool-k6", "a6", "h7", "c7", "tool-k7", "a7", "h8"]


def test_an_unanswered_call_is_taken_out_of_its_message() -> None:
    kept = after([ask(1), call(1, "a", "b"), answered("a"), ask(2)])
    assert [c["id"] for m in kept if isinstance(m, AIMessage) for c in m.tool_calls] == ["a"]


def test_a_message_of_unanswered_calls_alone_goes() -> None:
    assert [m.id for m in after([ask(1), call(1, "a"), ask(2)])] == ["h1", "h2"]


def test_words_beside_unanswered_calls_stay() -> None:
    kept = after([ask(1), call(1, "a", text="let me see"), ask(2)])
    assert [(m.id, m.text) for m in kept] == [("h1", "question 1"), ("c1", "let me see"), ("h2", "question 2")]


def test_calls_that_could_not_be_read_go_too() -> None:
    bad = AIMessage(
        "x", id="c1", invalid_tool_calls=[invalid_tool_call(name="t", args="{", id="z")],
        additional_kwargs={"tool_calls": [{"id": "z"}]},
    )  # fmt: skip
    kept = after([ask(1), bad, ask(2)])[1]
    assert isinstance(kept, AIMessage)
    assert (kept.invalid_tool_calls, kept.additional_kwargs) == ([], {})


def test_an_answer_without_its_call_goes() -> None:
    assert [m.id for m in after([ask(1), answered("gone"), said(1), ask(2)])] == ["h1", "a1", "h2"]


def test_structured_results_do_not_travel_into_the_next_turn() -> None:
    kept = after([ask(1), call(1, "a"), answered("a", {"data": [1]}), said(1), ask(2)])[2]
    assert isinstance(kept, ToolMessage)
    assert kept.artifact is None


def test_tidy_changes_nothing_in_place() -> None:
    messages: list[AnyMessage] = [ask(1), call(1, "a"), answered("b", {"x": 1}), ask(2)]
    before = deepcopy(messages)
    tidy(messages, 6)
    assert messages == before


def test_the_summary_keeps_the_newest_lines_within_its_bound() -> None:
    dropped: list[list[AnyMessage]] = [[ask(n), AIMessage("x" * 500, id=f"a{n}")] for n in range(50)]
    summary = fold("the oldest line", dropped)
    assert len(summary) <= SUMMARY_CHARS
    assert "the oldest line" not in summary
    assert summary.splitlines()[-1].startswith("question 49 -> x")


def test_a_planner_that_speaks_is_heard_only_in_its_own_turn() -> None:
    assert spoken([ask(1), said(1), ask(2)]) is None
    assert spoken([ask(1), call(1, "a"), answered("a"), said(1)]) == said(1)
    assert planned_calls([ask(1), call(1, "a")])[0]["id"] == "a"


KINDS = st.lists(st.sampled_from("hcxta"), max_size=40)


def built(kinds: list[str]) -> list[AnyMessage]:
    """h: question, c: call that is answered, x: call that is not, t: stray answer, a: words."""
    messages: list[AnyMessage] = []
    for n, kind in enumerate(kinds):
        made: dict[str, list[AnyMessage]] = {
            "h": [ask(n)], "c": [call(n, f"k{n}"), answered(f"k{n}")], "x": [call(n, f"x{n}")],
            "t": [answered(f"s{n}")], "a": [said(n)],
        }  # fmt: skip
        messages += made[kind]
    return [*messages, ask(len(kinds))]


@given(KINDS, st.integers(1, 5))
def test_what_remains_is_bounded_and_every_call_has_its_answer(kinds: list[str], rounds: int) -> None:
    kept = after(built(kinds), rounds)
    assert len(turns(kept)) <= rounds
    assert not any(isinstance(m, RemoveMessage) for m in kept)
    asked = [c["id"] for m in kept if isinstance(m, AIMessage) for c in m.tool_calls]
    given_back = [m.tool_call_id for m in kept if isinstance(m, ToolMessage)]
    assert sorted(map(str, asked)) == sorted(given_back)
    assert kept[-1].id == f"h{len(kinds)}"


@given(KINDS, st.integers(1, 5))
def test_tidying_twice_changes_nothing_more(kinds: list[str], rounds: int) -> None:
    once = after(built(kinds), rounds)
    assert after(once, rounds) == once
