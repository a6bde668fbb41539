"""Replays of real conversations as they were: nothing changes in their source, nothing is called, nothing differs."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from langgraph.types import StateSnapshot

from checkpoints.retention import Keep, prune
from errors import InvalidInput, NoInterrupt, NotFound, ThreadBusy
from graphs.resuming import Resume
from graphs.runner import Asked, Runner
from graphs.span import Span, place
from server import House
from tests.graphs.conftest import NOW
from tests.graphs.replaying import Rows, a_runner, a_talk, orders_to_ship
from tests.graphs.talk import APPROVE, ME, REJECT, Talk, kinds

__all__ = ["a_runner", "a_talk", "orders_to_ship"]


async def history(talk: Talk) -> list[StateSnapshot]:
    """Newest first."""
    assert talk.thread_id is not None
    ground = await talk.replays.ground()
    return [state async for state in ground.graph.aget_state_history(place(talk.thread_id))]


def checkpoint_of(state: StateSnapshot) -> str:
    return str(state.config["configurable"]["checkpoint_id"])


async def test_a_conversation_replayed_as_it_was_comes_out_the_same(talk: Talk, to_ship: list[str]) -> None:
    await talk.say(
        "查一下今天的订单", "前3个", "你好", "查张三的订单，再查李四的订单", "他最近的评价", "改一下订单状态"
    )
    waiting = await talk.say(to_ship[0])
    await talk.say("谢谢", "how are sales this month?")
    waiting = await talk.say(f"把订单 {to_ship[0]} 改成已发货")
    await talk.answer(waiting, APPROVE)
    waiting = await talk.say(f"把订单 {to_ship[1]} 改成已发货")
    await talk.answer(waiting, REJECT)
    waiting = await talk.say(f"把订单 {to_ship[1]} 改成已发货")
    await talk.say(
        "好的", "昨天的呢", f"把订单 {to_ship[2]} 改成已发货", "给我写首诗", f"把订单 {to_ship[3]} 改成已完成"
    )
    replay = await talk.replay()
    assert kinds(replay) == [[]] * 16, replay["text"]["zh"]
    assert [turn["turn"] for turn in replay["turns"]] == list(range(1, 17))
    statuses = [turn["replayed"]["status"] for turn in replay["turns"]]
    assert statuses.count("interrupted") == 2  # the one that was never answered, and the last one
    assert replay["summary"]["changed"] == 0
    assert (replay["left_out"], replay["next_turn"]) == ([], None)


async def test_neither_the_source_nor_the_business_is_touched(talk: Talk, to_ship: list[str], orders: Rows) -> None:
    await talk.say("今天的订单")
    waiting = await talk.say(f"把订单 {to_ship[0]} 改成已发货")
    await talk.answer(waiting, APPROVE)
    await talk.say("帮我记一下：交周报", "谢谢", f"把订单 {to_ship[1]} 改成已发货")
    query = "SELECT md5(string_agg(t::text, '')) AS all FROM (SELECT * FROM {table} ORDER BY 1, 2) t"
    tables = [query.format(table=f"demo.{name}") for name in ("orders", "todos")]
    ledger = "SELECT count(*) AS all FROM frontdesk.ledger"
    source, outside = await talk.rows(), [await orders(each) for each in (*tables, ledger)]
    assert len(source["frontdesk.ledger"]) == 2
    replay = await talk.replay()
    assert await talk.rows() == source
    assert [await orders(each) for each in (*tables, ledger)] == outside
    copied = await talk.rows(of=UUID(replay["replay_thread_id"]))
    assert copied["frontdesk.ledger"] == []
    assert len(copied["frontdesk.runs"]) == 5


async def test_the_replays_thread_can_be_looked_at_and_is_nobodys_current_one(talk: Talk) -> None:
    await talk.say("今天的订单", "你好")
    replay = await talk.replay(turn=2)
    assert replay["thread_id"] == str(talk.thread_id)
    thread = await talk.threads.get(UUID(replay["replay_thread_id"]), ME.tenant, ME.user)
    assert (thread.status, thread.title, thread.interrupts) == ("idle", "今天的订单", {})
    assert thread.metadata["replay_of"] == str(talk.thread_id)
    assert thread.metadata["replay"] is True
    assert thread.values is not None
    assert [message["type"] for message in thread.values["messages"]] == ["human", "ai", "tool", "ai", "human", "ai"]
    ((run,),) = await talk.runs.turns_of(thread.thread_id, ME.tenant, ME.user)
    assert (run.status, run.input["message"], run.context["mode"]) == ("success", "你好", "replay")
    assert run.transcript is not None
    assert run.transcript["answer"] == (await talk.turns())[1][0].transcript["answer"]  # type: ignore[index]  # a dict
    newest = await talk.threads.newest(ME.tenant, ME.user, idle_minutes=60)
    assert newest is not None
    assert newest.thread_id == talk.thread_id


async def test_a_replay_begins_at_a_turn_and_ends_at_one(talk: Talk) -> None:
    await talk.say("今天的订单", "你好", "昨天的呢", "谢谢", "前3个")
    turns = [runs[0] for runs in await talk.turns()]
    one = await talk.replay(turn=3, until=3)
    assert [(turn["turn"], turn["question"], turn["turn_id"]) for turn in one["turns"]] == [
        (3, "昨天的呢", turns[2].turn_id)
    ]
    assert (kinds(one), one["next_turn"]) == ([[]], 4)
    assert [turn["turn"] for turn in (await talk.replay(turn=4))["turns"]] == [4, 5]
    by_id = await talk.replay(turn=turns[1].turn_id, until=turns[2].turn_id)
    assert [turn["turn"] for turn in by_id["turns"]] == [2, 3]
    assert kinds(by_id) == [[], []]


async def test_a_call_takes_so_many_turns_and_says_where_to_go_on(talk: Talk) -> None:
    await talk.say("你好", "谢谢", "再见", "你是谁")
    ground, thread = await talk.replays.ground(), await talk.thread()
    span = Span(turn=1)
    replay = await talk.replays.replay(thread, span, ground, most=2)
    assert ([turn["turn"] for turn in replay["turns"]], replay["next_turn"]) == ([1, 2], 3)
    with pytest.raises(InvalidInput, match=r"until: at most 2 turns a call, which is turn 2"):
        await talk.replays.replay(thread, replace(span, until=3), ground, most=2)
    heard: list[int] = []
    replay = await talk.replays.replay(
        thread, replace(span, turn=2), ground, begun=heard.append, told=lambda turn: heard.append(turn["turn"])
    )
    assert heard == [3, 2, 3, 4]


@pytest.mark.parametrize(
    ("span", "error", "said"),
    [
        ({"turn": 3}, NotFound, "the thread has no turn 3"),
        ({"turn": "x"}, NotFound, "the thread has no turn 'x'"),
        ({"until": 3}, NotFound, "the thread has no turn 3"),
        ({"turn": 2, "until": 1}, InvalidInput, "until: turn 1 comes before turn 2"),
        ({"turn": 2, "checkpoint_id": "y"}, InvalidInput, "give either 'turn' or 'checkpoint_id'"),
        ({"checkpoint_id": "y"}, NotFound, "Checkpoint y not found"),
    ],
)
async def test_a_span_of_no_sense_is_refused(
    talk: Talk, span: dict[str, Any], error: type[Exception], said: str
) -> None:
    await talk.say("你好", "谢谢")
    with pytest.raises(error, match=said):
        await talk.replay(**span)


async def test_an_empty_thread_has_nothing_to_replay(talk: Talk) -> None:
    talk.thread_id = (await talk.threads.create(ME.tenant, ME.user)).thread_id
    with pytest.raises(NotFound, match="the thread has no turn 1"):
        await talk.replay()


async def test_a_checkpoint_of_another_thread_is_not_found(talk: Talk, runner: Runner, house: House) -> None:
    await talk.say("你好")
    other = Talk(runner, talk.replays, house.pool, NOW)
    await other.say("你好", "谢谢")
    base = (await other.turns())[1][0].first_checkpoint_id
    with pytest.raises(NotFound, match=f"Checkpoint {base} not found"):
        await talk.replay(checkpoint_id=base)


async def test_a_replay_begins_at_any_checkpoint(talk: Talk, to_ship: list[str]) -> None:
    await talk.say("今天的订单")
    waiting = await talk.say(f"把订单 {to_ship[0]} 改成已发货")
    await talk.answer(waiting, APPROVE)
    await talk.say(f"把订单 {to_ship[1]} 改成已发货", "昨天的订单", "谢谢")
    found = await history(talk)
    begun: dict[tuple[str, ...], list[int]] = {}
    for state in reversed(found[1:]):
        replay = await talk.replay(checkpoint_id=checkpoint_of(state))
        assert kinds(replay) == [[]] * len(replay["turns"]), (state.next, replay["text"]["en"])
        begun.setdefault(state.next, []).append(replay["turns"][0]["turn"])
    assert begun == {
        ("__start__",): [1, 2, 3, 4, 5],
        ("pre_route",): [1, 2, 3, 4, 5],
        ("extract",): [1, 2, 3, 4],
        ("plan",): [1, 1, 2, 2, 3, 4, 4],
        ("execute",): [1, 2, 4],
        ("confirm",): [2, 3],
        ("reply",): [1, 2, 4],
        ("chitchat",): [5],
        (): [2, 3, 5],
    }
    with pytest.raises(NotFound, match="the thread has no turn 6"):
        await talk.replay(checkpoint_id=checkpoint_of(found[0]))


async def test_a_question_that_is_open_now_is_left_behind(talk: Talk, to_ship: list[str]) -> None:
    waiting = await talk.say(f"把订单 {to_ship[0]} 改成已发货")
    newest = (await history(talk))[0]
    assert newest.interrupts
    replay = await talk.replay(checkpoint_id=checkpoint_of(newest))
    assert (kinds(replay), replay["turns"][0]["replayed"]["status"]) == ([[]], "interrupted")
    there = await talk.threads.get(UUID(replay["replay_thread_id"]), ME.tenant, ME.user)
    assert (there.status, there.interrupts) == ("idle", {})
    assert (await talk.rows(of=there.thread_id))["checkpoint_writes"] == []
    assert waiting["interrupt"] is not None
    resume = Resume(interrupt_id=waiting["interrupt"]["id"], decisions=[APPROVE])
    with pytest.raises(NoInterrupt):
        await talk.runner.start(Asked(context=talk.context, thread_id=there.thread_id, resume=resume))


async def test_a_thread_in_the_middle_of_a_run_is_not_replayed(talk: Talk) -> None:
    await talk.say("你好")
    waiting = await talk.runs.submit(
        thread_id=talk.thread_id, tenant=ME.tenant, user=ME.user, turn_id="t", input={"message": "x"}, context={}
    )
    with pytest.raises(ThreadBusy, match="in the middle of a run"):
        await talk.replay()
    await talk.runs.cancel_any(waiting.run.run_id, "interrupt")


async def test_a_replay_is_not_replayed_itself(talk: Talk) -> None:
    await talk.say("你好")
    first = await talk.replay()
    source, talk.thread_id = talk.thread_id, UUID(first["replay_thread_id"])
    with pytest.raises(InvalidInput, match=f"replay its source, {source}"):
        await talk.replay()


async def test_a_turn_has_the_clock_and_the_caller_of_then(talk: Talk) -> None:
    talk.context = replace(talk.context, principal=replace(ME, roles=("viewer",)), time_zone="America/New_York")
    await talk.say("今天的订单")
    talk.minutes = 24 * 60
    await talk.say("今天的订单")
    replay = await talk.replay()
    days = [turn["replayed"]["calls"][0]["arguments"]["start_date"] for turn in replay["turns"]]
    assert (days, kinds(replay)) == (["2026-11-29", "2026-11-30"], [[], []])
    runs = await talk.runs.turns_of(UUID(replay["replay_thread_id"]), ME.tenant, ME.user)
    assert [run.context["roles"] for (run,) in runs] == [["viewer"], ["viewer"]]
    assert [run.context["time_zone"] for (run,) in runs] == ["America/New_York"] * 2


async def test_what_was_chosen_by_the_caller_is_chosen_again(talk: Talk) -> None:
    talk.context = replace(talk.context, agent="todo", locale="en")
    await talk.say("今天的订单", "我的待办")
    replay = await talk.replay()
    assert [turn["replayed"]["route"] for turn in replay["turns"]] == [[], ["todo"]]
    assert kinds(replay) == [[], []]


async def test_an_answer_came_later_than_the_question(talk: Talk, to_ship: list[str]) -> None:
    """The thread is idle from the answer on, so that the next turn still knows what was spoken of."""
    await talk.say("查张三的订单")
    waiting = await talk.say(f"把订单 {to_ship[0]} 改成已发货")
    talk.minutes = 9
    await talk.answer(waiting, APPROVE)
    await talk.say("昨天的呢")
    replay = await talk.replay()
    assert kinds(replay) == [[], [], []]


async def test_an_edited_confirmation_is_given_again(talk: Talk, to_ship: list[str]) -> None:
    waiting = await talk.say(f"把订单 {to_ship[0]} 改成已发货")
    args = {"order_no": to_ship[0], "status": "cancelled"}
    await talk.answer(waiting, {"type": "edit", "edited_action": {"name": "update_order_status", "args": args}})
    replay = await talk.replay()
    (turn,) = replay["turns"]
    assert (turn["differences"], turn["replayed"]["calls"][0]["arguments"]) == ([], args)


async def test_plain_words_and_an_expired_yes_are_given_again(talk: Talk, to_ship: list[str]) -> None:
    await talk.say(f"把订单 {to_ship[0]} 改成已发货", "不用了", f"把订单 {to_ship[0]} 改成已发货")
    talk.minutes = 30
    late = await talk.say("好的")
    assert late["tool_calls"][0]["status"] == "rejected"
    replay = await talk.replay()
    assert kinds(replay) == [[], []]
    assert [turn["replayed"]["calls"][0]["status"] for turn in replay["turns"]] == ["rejected", "rejected"]


async def test_an_open_question_can_be_answered_in_its_source_alone(talk: Talk, to_ship: list[str]) -> None:
    waiting = await talk.say(f"把订单 {to_ship[0]} 改成已发货")
    replay = await talk.replay()
    (turn,) = replay["turns"]
    assert turn["differences"] == []
    assert (turn["replayed"]["status"], turn["replayed"]["calls"][0]["status"]) == ("interrupted", "awaiting")
    there = UUID(replay["replay_thread_id"])
    assert waiting["interrupt"] is not None
    resume = Resume(interrupt_id=waiting["interrupt"]["id"], decisions=[APPROVE])
    with pytest.raises(NoInterrupt):
        await talk.runner.start(Asked(context=talk.context, thread_id=there, resume=resume))
    done = await talk.answer(waiting, APPROVE)
    assert done["tool_calls"][0]["status"] == "done"


async def test_turns_that_never_ran_or_were_pruned_are_left_out(talk: Talk, house: House) -> None:
    await talk.say("你好", "谢谢")
    waiting = await talk.runs.submit(
        thread_id=talk.thread_id, tenant=ME.tenant, user=ME.user, turn_id="t", input={"message": "x"}, context={}
    )
    await talk.runs.cancel_any(waiting.run.run_id, "interrupt")
    await talk.say("再见")
    replay = await talk.replay()
    assert [turn["turn"] for turn in replay["turns"]] == [1, 2, 4]
    assert replay["left_out"] == [{"turn": 3, "why": "never_ran"}]
    assert kinds(await talk.replay(turn=3)) == [[]]
    with pytest.raises(NotFound, match="none of these turns can be replayed: never_ran"):
        await talk.replay(turn=3, until=3)
    first = (await talk.turns())[0][0].run_id
    async with house.pool.connection() as connection:
        age = "UPDATE frontdesk.runs SET finished_at = now() - interval '100 days' WHERE run_id = %s"
        await connection.execute(age, (first,))
    await prune(house.pool, Keep(transcripts_days=99))
    replay = await talk.replay()
    assert replay["left_out"] == [{"turn": 1, "why": "pruned"}, {"turn": 3, "why": "never_ran"}]
    assert kinds(replay) == [[], []]


async def test_a_turn_whose_checkpoint_was_pruned_cannot_begin_a_replay(talk: Talk) -> None:
    await talk.say("你好", "谢谢")
    before = await talk.rows()
    base = (await talk.turns())[1][0].first_checkpoint_id
    async with talk.pool.connection() as connection:
        await connection.execute("DELETE FROM checkpoints WHERE checkpoint_id = %s", (base,))
    with pytest.raises(NotFound, match="turn 2: the checkpoint before it was pruned"):
        await talk.replay(turn=2)
    assert kinds(await talk.replay()) == [[], []]
    assert len((await talk.rows())["checkpoints"]) == len(before["checkpoints"]) - 1


async def test_a_replay_goes_when_its_source_is_deleted(talk: Talk) -> None:
    await talk.say("你好")
    there = UUID((await talk.replay())["replay_thread_id"])
    assert talk.thread_id is not None
    await talk.threads.delete(talk.thread_id, ME.tenant, ME.user)
    assert not any((await talk.rows(of=there)).values())


async def test_a_replay_that_comes_to_no_end_leaves_nothing_behind(talk: Talk, orders: Rows) -> None:
    await talk.say("你好", "谢谢", "再见")
    count = "SELECT (SELECT count(*) FROM frontdesk.threads) AS t, (SELECT count(*) FROM checkpoints) AS c"
    before = await orders(count)
    ground, thread, begun = await talk.replays.ground(), await talk.thread(), asyncio.Event()
    replaying = asyncio.create_task(talk.replays.replay(thread, Span(), ground, told=lambda _: begun.set()))
    await begun.wait()
    replaying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await replaying
    assert await orders(count) == before


async def test_no_further_turn_is_begun_when_patience_is_at_its_end(talk: Talk) -> None:
    await talk.say("你好", "谢谢", "再见")
    ground = await talk.replays.ground()
    replay = await talk.replays.replay(await talk.thread(), Span(), ground, patience_s=0)
    assert ([turn["turn"] for turn in replay["turns"]], replay["next_turn"]) == ([1], 2)
