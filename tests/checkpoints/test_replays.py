"""What a replay reads and writes beside a thread's own turns."""

from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID, uuid4

import pytest

from checkpoints.database import Pool
from checkpoints.replays import ReplayRows, TurnsOfDay
from checkpoints.runs import Runs
from checkpoints.threads import Threads
from errors import NotFound
from tests.checkpoints.asking import ask, change

OWNER = ("acme", "alex")
SHANGHAI = {"time_zone": "Asia/Shanghai"}


@pytest.fixture
def rows(fresh_pool: Pool) -> ReplayRows:
    return ReplayRows(fresh_pool)


async def said(pool: Pool, clock: str, thread_id: UUID | None = None, **more: Any) -> UUID:
    """A turn with this clock; its thread."""
    made = await ask(Runs(pool), thread_id, context={"clock": clock, **SHANGHAI, **more.pop("context", {})}, **more)
    return made.run.thread_id


async def test_turns_are_numbered_as_the_transcript_lists_them(fresh_pool: Pool, rows: ReplayRows) -> None:
    runs = Runs(fresh_pool)
    first = (await ask(runs)).run
    second = (await ask(runs, first.thread_id)).run
    resume = (await ask(runs, first.thread_id, turn_id=first.turn_id, input={"resume": {}})).run
    await ask(runs)
    assert await rows.number_of_turn(first.thread_id, second.turn_id) == 2
    assert await rows.number_of_turn(first.thread_id, "x") is None
    assert await rows.number_of_turn(uuid4(), second.turn_id) is None
    numbers = [await rows.number_of_run(first.thread_id, str(run.run_id)) for run in (first, second, resume)]
    assert numbers == [1, 2, 1]
    assert await rows.number_of_run(first.thread_id, "None") is None
    listed = await runs.turns_of(first.thread_id, *OWNER)
    assert [turn[0].turn_id for turn in listed] == [first.turn_id, second.turn_id]


async def test_the_first_turn_that_began_at_a_checkpoint_or_later(fresh_pool: Pool, rows: ReplayRows) -> None:
    runs = Runs(fresh_pool)
    thread_id = (await ask(runs)).run.thread_id
    for checkpoint in ("1f0b", "1f0d"):
        run = (await ask(runs, thread_id)).run
        await change(
            fresh_pool, "UPDATE frontdesk.runs SET first_checkpoint_id = %s WHERE run_id = %s", checkpoint, run.run_id
        )
    found = [await rows.number_after(thread_id, checkpoint) for checkpoint in ("1f0a", "1f0b", "1f0c", "1f0e")]
    assert found == [2, 2, 3, None]


async def test_a_turn_is_of_the_day_that_its_own_clock_showed(fresh_pool: Pool, rows: ReplayRows) -> None:
    thread_id = await said(fresh_pool, "2026-11-29T15:59:59+00:00")
    for clock in ("2026-11-29T16:00:00+00:00", "2026-11-30T15:59:59+00:00", "2026-11-30T16:00:00+00:00"):
        await said(fresh_pool, clock, thread_id)
    abroad = await said(fresh_pool, "2026-11-30T16:00:00+00:00", context={"time_zone": "America/New_York"})
    found = await rows.of_day(date(2026, 11, 30), None)
    assert sorted(found, key=str) == sorted(
        [TurnsOfDay(thread_id=thread_id, first=2, last=3), TurnsOfDay(thread_id=abroad, first=1, last=1)], key=str
    )
    assert await rows.of_day(date(2026, 11, 28), None) == []


async def test_a_resume_after_midnight_belongs_to_its_turn(fresh_pool: Pool, rows: ReplayRows) -> None:
    thread_id = await said(fresh_pool, "2026-11-30T23:59:00+08:00", turn_id="t")
    await said(fresh_pool, "2026-12-01T00:01:00+08:00", thread_id, turn_id="t", input={"resume": {}})
    assert await rows.of_day(date(2026, 11, 30), None) == [TurnsOfDay(thread_id=thread_id, first=1, last=1)]
    assert await rows.of_day(date(2026, 12, 1), None) == []


async def test_a_day_of_one_tenant_and_without_replays(fresh_pool: Pool, rows: ReplayRows) -> None:
    clock = "2026-11-30T10:00:00+08:00"
    mine = await said(fresh_pool, clock)
    theirs = await said(fresh_pool, clock, tenant="globex", user="kim")
    await said(fresh_pool, clock, labels={"replay_of": str(mine), "replay": True})
    every = await rows.of_day(date(2026, 11, 30), None)
    assert {one.thread_id for one in every} == {mine, theirs}
    assert [one.thread_id for one in await rows.of_day(date(2026, 11, 30), "globex")] == [theirs]


async def test_a_run_that_was_pruned_is_of_the_day_on_which_it_was_stored(fresh_pool: Pool, rows: ReplayRows) -> None:
    thread_id = await said(fresh_pool, "2026-11-30T10:00:00+08:00")
    empty = "UPDATE frontdesk.runs SET context = '{}', created_at = '2026-11-20T10:00:00Z' WHERE thread_id = %s"
    await change(fresh_pool, empty, thread_id)
    assert await rows.of_day(date(2026, 11, 20), None) == [TurnsOfDay(thread_id=thread_id, first=1, last=1)]


async def test_an_operator_sees_anybodys_thread(fresh_pool: Pool, rows: ReplayRows) -> None:
    made = await Threads(fresh_pool).create("globex", "kim")
    assert await rows.thread(made.thread_id) == made
    with pytest.raises(NotFound):
        await rows.thread(uuid4())


async def test_a_replayed_run_is_stored_finished_and_its_thread_idle(fresh_pool: Pool, rows: ReplayRows) -> None:
    runs, threads = Runs(fresh_pool), Threads(fresh_pool)
    source = (await ask(runs, idempotency_key="k")).run
    thread = await threads.create(*OWNER)
    row = replace(
        source,
        run_id=uuid4(),
        thread_id=thread.thread_id,
        status="success",
        transcript={"answer": "NUL \0"},
        idempotency_key=None,
    )
    async with fresh_pool.connection() as connection, connection.transaction():
        await rows.record(connection, row, {"messages": []})
    ((stored,),) = await runs.turns_of(thread.thread_id, *OWNER)
    assert (stored.status, stored.turn_id, stored.input) == ("success", source.turn_id, source.input)
    assert stored.transcript == {"answer": "NUL \ufffd"}
    assert stored.finished_at is not None
    thread = await threads.get(thread.thread_id, *OWNER)
    assert (thread.status, thread.values) == ("idle", {"messages": []})
