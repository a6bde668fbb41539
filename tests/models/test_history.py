"""Message lists that no vendor refuses, made by leaving out."""

import copy

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from models.history import sendable

IDS = st.sampled_from("abc")
MESSAGES = st.lists(
    st.one_of(
        st.builds(HumanMessage, st.sampled_from(["", "订单"])),
        st.builds(SystemMessage, st.just("be short")),
        st.builds(ToolMessage, st.just("3 个"), tool_call_id=IDS),
        st.builds(
            lambda text, ids: AIMessage(text, tool_calls=[tool_call(name="t", args={}, id=i) for i in ids]),
            st.sampled_from(["", "好的"]),
            st.lists(IDS, unique=True),
        ),
    )
)


@given(MESSAGES)
def test_every_call_is_followed_by_its_answers_and_every_answer_has_its_call(messages: list[BaseMessage]) -> None:
    before = copy.deepcopy(messages)
    due: list[str] = []
    for message in sendable(messages):
        if isinstance(message, ToolMessage):
            assert message.tool_call_id == due.pop(0)
            continue
        assert not due
        assert message.content or (isinstance(message, AIMessage) and message.tool_calls)
        due = [str(call["id"]) for call in message.tool_calls] if isinstance(message, AIMessage) else []
    assert not due
    assert messages == before


@given(MESSAGES)
def test_a_sendable_list_stays_as_it_is(messages: list[BaseMessage]) -> None:
    once = sendable(messages)
    assert sendable(once) == once


def test_an_answer_that_came_late_follows_its_call() -> None:
    asked = AIMessage("", tool_calls=[tool_call(name="t", args={}, id="a")], id="1")
    answer = ToolMessage("3 个", tool_call_id="a")
    assert sendable([asked, HumanMessage("?"), answer]) == [asked, answer, HumanMessage("?")]


def test_system_messages_at_the_beginning_become_one() -> None:
    sent = sendable([SystemMessage("a"), SystemMessage("b"), HumanMessage("c")])
    assert [m.content for m in sent] == ["a\n\nb", "c"]
