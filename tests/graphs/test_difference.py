"""What a replay did otherwise: found as data, told in both languages."""

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from graphs.difference import compared, summed
from graphs.difference_text import in_words, short, summary_in_words

Json = dict[str, Any]
CALL = {"tool": "list_orders", "arguments": {"start_date": "2026-11-30", "limit": None}, "status": "done"}
TRANSCRIPT: Json = {
    "turn_id": "t1",
    "status": "completed",
    "requests": [{"agent": "business", "intent": "order", "entities": {"limit": None, "person": "张三"}}],
    "decisions": [
        {"level": "route", "value": "business", "source": "keyword", "confidence": 0.95, "reason": "订单"},
        {"level": "intent", "value": ["order"], "source": "keyword", "confidence": 0.9, "reason": "订单"},
        {"level": "tools", "value": ["list_orders"], "source": "keyword", "confidence": 0.9, "reason": "round 1"},
    ],
    "calls": [CALL],
    "answer": "共有 12 个订单。\n前 3 个如下。",
    "usage": {"model_calls": 0, "input_tokens": 0, "output_tokens": 0},
}


def changed(**changes: Any) -> Json:
    return {**deepcopy(TRANSCRIPT), **changes}


def found(now: Json, before: Json = TRANSCRIPT) -> list[Json]:
    return [dict(difference) for difference in compared(5, before, now, "张三的订单")["differences"]]


def lines(now: Json, before: Json = TRANSCRIPT) -> tuple[list[str], list[str]]:
    """Chinese and English, without the line for the turn."""
    turn = compared(5, before, now, "张三的订单")
    zh, en = in_words(turn, "zh").splitlines()[1:], in_words(turn, "en").splitlines()[1:]
    return [line.strip() for line in zh], [line.strip() for line in en]


def test_a_turn_that_comes_out_the_same_has_no_difference() -> None:
    turn = compared(5, TRANSCRIPT, deepcopy(TRANSCRIPT), "张三的订单")
    assert (turn["turn"], turn["turn_id"], turn["question"]) == (5, "t1", "张三的订单")
    assert (turn["differences"], turn["changed"]) == ([], False)
    assert turn["recorded"] == turn["replayed"]
    assert in_words(turn, "zh") == "第 5 轮「张三的订单」：无变化"
    assert in_words(turn, "en") == 'turn 5 "张三的订单": no difference'


def test_what_nobody_reads_is_no_difference() -> None:
    sure = [{**decision, "confidence": 0.1, "reason": "other"} for decision in TRANSCRIPT["decisions"]]
    call = {**CALL, "id": "other", "elapsed_ms": 99.0, "arguments": {"start_date": "2026-11-30"}}
    requests = [{"agent": "business", "intent": "order", "entities": {"person": "张三", "period": None}}]
    assert found(changed(decisions=sure, calls=[call], requests=requests)) == []


def test_another_route_and_intent() -> None:
    now = changed(requests=[{"agent": "todo", "intent": "todo.query", "entities": {}}])
    assert found(now) == [
        {"what": "route", "recorded": ["business"], "replayed": ["todo"]},
        {"what": "intents", "recorded": ["order"], "replayed": ["todo.query"]},
    ]
    assert lines(now) == (
        ["智能体：business → todo", "意图：order → todo.query"],
        ["route: business -> todo", "intents: order -> todo.query"],
    )


def test_a_turn_without_requests_is_unknown() -> None:
    assert found(changed(requests=[]))[:2] == [
        {"what": "route", "recorded": ["business"], "replayed": []},
        {"what": "intents", "recorded": ["order"], "replayed": ["unknown"]},
    ]
    assert lines(changed(requests=[]))[1][0] == "route: business -> nothing"


def test_entities_are_compared_slot_by_slot_for_the_same_intent() -> None:
    period = {"name": "today", "start": "2026-11-30", "end": "2026-11-30"}
    now = changed(requests=[{"agent": "business", "intent": "order", "entities": {"person": "李四", "period": period}}])
    assert found(now) == [
        {"what": "entities", "intent": "order", "slot": "period", "recorded": None, "replayed": period},
        {"what": "entities", "intent": "order", "slot": "person", "recorded": "张三", "replayed": "李四"},
    ]
    assert lines(now)[0][1] == "order 的 person：张三 → 李四"


def test_a_request_more_does_not_shift_the_others() -> None:
    first = {"agent": "business", "intent": "user", "entities": {"limit": 2}}
    now = changed(requests=[first, *TRANSCRIPT["requests"]])
    assert [difference["what"] for difference in found(now)] == ["intents"]


def test_the_same_thing_asked_once_more_is_told() -> None:
    assert found(changed(requests=TRANSCRIPT["requests"] * 2)) == [
        {"what": "intents", "recorded": ["order"], "replayed": ["order", "order"]}
    ]


def test_who_decided_is_told() -> None:
    by_model = [{**decision, "source": "model"} for decision in TRANSCRIPT["decisions"][:2]]
    now = changed(decisions=[*by_model, TRANSCRIPT["decisions"][2]])
    (difference,) = found(now)
    assert difference["what"] == "decided_by"
    assert difference["replayed"] == ["route: model", "intent: model", "tools: keyword"]


def test_another_plan_and_other_calls() -> None:
    other = {"tool": "find_users", "arguments": {"keyword": "张三"}, "status": "not_executed"}
    plan = {**TRANSCRIPT["decisions"][2], "value": ["find_users"]}
    now = changed(decisions=[*TRANSCRIPT["decisions"][:2], plan], calls=[other])
    assert found(now) == [
        {"what": "plan", "recorded": [["list_orders"]], "replayed": [["find_users"]]},
        {
            "what": "call",
            "tool": "list_orders",
            "recorded": {"tool": "list_orders", "arguments": {"start_date": "2026-11-30"}, "status": "done"},
            "replayed": None,
        },
        {"what": "call", "tool": "find_users", "recorded": None, "replayed": other},
    ]
    assert lines(now) == (
        [
            "计划：list_orders → find_users",
            "不再调用：list_orders(start_date=2026-11-30)",
            "新增调用：find_users(keyword=张三)",
        ],
        [
            "plan: list_orders -> find_users",
            "no longer calls: list_orders(start_date=2026-11-30)",
            "calls besides: find_users(keyword=张三)",
        ],
    )


def test_a_call_with_other_arguments_is_one_difference() -> None:
    call = {**CALL, "arguments": {"start_date": "2026-11-29"}, "status": "not_executed"}
    (difference,) = found(changed(calls=[call]))
    assert (difference["recorded"]["arguments"], difference["replayed"]["arguments"]) == (
        {"start_date": "2026-11-30"},
        {"start_date": "2026-11-29"},
    )
    assert lines(changed(calls=[call]))[1] == [
        "arguments of list_orders: list_orders(start_date=2026-11-30) -> list_orders(start_date=2026-11-29)"
        " [done -> not_executed]"
    ]


def test_a_call_that_ends_otherwise() -> None:
    refused = changed(calls=[{**CALL, "status": "refused"}])
    assert lines(refused) == (["调用 list_orders 的状态：done → refused"], ["status of list_orders: done -> refused"])


def test_a_call_of_which_nothing_was_recorded_cannot_differ() -> None:
    for status in ("awaiting", "unknown"):
        before = changed(calls=[{**CALL, "status": status}])
        assert found(changed(calls=[{**CALL, "status": "not_executed"}]), before) == []


def test_a_reply_is_told_by_its_changed_lines() -> None:
    now = changed(answer="共有 12 个订单。\n前 5 个如下。")
    assert lines(now)[0] == ["回复：", "- 前 3 个如下。", "+ 前 5 个如下。"]
    assert lines(now)[1][0] == "reply:"


def test_a_long_reply_is_cut() -> None:
    now = changed(answer="\n".join(str(n) for n in range(100)))
    assert len(lines(now)[1]) < 20
    assert lines(now)[1][-1] == "…"


def test_another_end_of_the_turn() -> None:
    assert lines(changed(status="failed"))[0] == ["结果：completed → failed"]


def test_tokens_alone_change_no_turn() -> None:
    usage = {"model_calls": 2, "input_tokens": 100, "output_tokens": 20}
    turn = compared(5, TRANSCRIPT, changed(usage=usage), "张三的订单")
    assert [difference["what"] for difference in turn["differences"]] == ["tokens"]
    assert turn["changed"] is False
    assert in_words(turn, "en").splitlines() == [
        'turn 5 "张三的订单": the same but for its tokens',
        "  tokens: 0 model calls, 0 + 0 tokens -> 2 model calls, 100 + 20 tokens",
    ]


def test_several_turns_are_summed_up_by_kind() -> None:
    usage = {"model_calls": 1, "input_tokens": 10, "output_tokens": 5}
    calls = [{**CALL, "status": "failed"}, {**CALL, "arguments": {}, "status": "done"}]
    turns = [
        compared(n, changed(usage=usage), now, "q")
        for n, now in enumerate([changed(usage=usage), changed(), changed(usage=usage, calls=calls, answer="no")], 1)
    ]
    summary = summed(turns)
    assert (summary["turns"], summary["changed"]) == (3, 1)
    assert summary["by_kind"] == {"tokens": 1, "call": 1, "reply": 1}
    assert summary["tokens"]["recorded"] == {"model_calls": 3, "input_tokens": 30, "output_tokens": 15}
    assert summary["tokens"]["replayed"] == {"model_calls": 2, "input_tokens": 20, "output_tokens": 10}
    said = summary_in_words(summary, [(4, "pruned"), (6, "never_ran")], "en").splitlines()
    assert said[0] == "Replayed turns: 3, changed: 1."
    assert said[1] == "By kind: calls: 1, reply: 1, tokens: 1."
    assert said[2:] == [
        "Tokens: 3 model calls, 30 + 15 tokens -> 2 model calls, 20 + 10 tokens.",
        "Turn 4 was not replayed: its record was pruned.",
        "Turn 6 was not replayed: it never ran.",
    ]
    assert summary_in_words(summary, [(4, "pruned")], "zh").splitlines()[-1] == "第 4 轮未回放：记录已清理。"


def test_nothing_that_a_terminal_would_act_upon_is_told() -> None:
    assert short("a\x1b[31mb\nc\u202e") == "a [31mb c"
    assert len(short("长" * 1000)) == 200


VALUES = st.none() | st.integers(0, 3) | st.text("ab{}%", max_size=3)
CALLS = st.builds(
    lambda tool, arguments, status: {"tool": tool, "arguments": arguments, "status": status},
    st.sampled_from(["list", "find"]),
    st.dictionaries(st.sampled_from("xy"), VALUES, max_size=2),
    st.sampled_from(["done", "failed", "rejected"]),
)
REQUESTS = st.builds(
    lambda intent, entities: {"agent": "business", "intent": intent, "entities": entities},
    st.sampled_from(["order", "user"]),
    st.dictionaries(st.sampled_from("xy"), VALUES, max_size=2),
)
TURNS = st.builds(changed, calls=st.lists(CALLS, max_size=4), requests=st.lists(REQUESTS, max_size=3), answer=st.text())


@given(before=TURNS, now=TURNS)
def test_differences_are_found_exactly_where_turns_look_different(before: Json, now: Json) -> None:
    turn = compared(1, before, now, "q")
    assert bool(turn["differences"]) == (turn["recorded"] != turn["replayed"])
    assert compared(1, now, now, "q")["differences"] == []
    assert in_words(turn, "zh")
    assert in_words(turn, "en")
