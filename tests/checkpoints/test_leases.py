"""Leases: one holder for each run, whatever happens at once, and nobody's run stays with a process that is gone."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from langgraph.types import Command

from checkpoints.database import Pool, open_pool
from checkpoints.leases import Leases
from checkpoints.run import Renewed, Run
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from tests.checkpoints.asking import again, ask, change, end, play
from tests.checkpoints.small_graph import at, build

EXPIRE = "UPDATE frontdesk.runs SET lease_until = clock_timestamp() - interval '1 second' WHERE run_id = %s"


@pytest.fixture
def pool(fresh_pool: Pool) -> Pool:
    """A database of the test's own: what looks for runs of anybody would find those of other tests."""
    return fresh_pool


@pytest.fixture
async def rival(fresh_database_url: str) -> AsyncIterator[Pool]:
    """Connections of another process."""
    opened = await open_pool(fresh_database_url, 4)
    yield opened
    await opened.close()


@pytest.fixture
def one(pool: Pool) -> Leases:
    return Leases(pool, "one", 10)


@pytest.fixture
def two(rival: Pool) -> Leases:
    return Leases(rival, "two", 10)


def ids(*lists: list[Run]) -> list[str]:
    return [str(run.run_id) for runs in lists for run in runs]


async def test_a_claim_takes_the_oldest_and_leaves_a_thread_alone_on_which_one_runs(runs: Runs, one: Leases) -> None:
    first = (await ask(runs)).run
    await ask(runs, first.thread_id)
    claimed = await one.claim(first.thread_id)
    assert claimed is not None
    assert (claimed.run_id, claimed.status, claimed.attempt) == (first.run_id, "running", 1)
    assert (claimed.lease_owner, claimed.first_checkpoint_id) == ("one", None)
    assert await one.claim(first.thread_id) is None
    assert await one.claim(uuid4()) is None


async def test_a_claimed_run_knows_where_its_thread_stood(runs: Runs, one: Leases, two: Leases, pool: Pool) -> None:
    """A question with one answer of two: what is pending there was not written by this run."""
    saver = TurnSaver(pool)
    graph = build(saver)
    first = (await ask(runs, start=one)).run
    await play(runs, saver, graph, one, first, given={"asked": "pay??"})
    question, _ = (await graph.aget_state(at(str(first.thread_id)))).interrupts
    resume = (await ask(runs, first.thread_id)).run
    claimed = await one.claim(first.thread_id)
    assert claimed is not None
    head = (await graph.aget_state(at(str(first.thread_id)))).config["configurable"]["checkpoint_id"]
    assert (claimed.run_id, claimed.first_checkpoint_id) == (resume.run_id, head)
    asked = claimed.first_writes or []
    assert len(asked) == 2
    await play(runs, saver, graph, one, claimed, given=Command(resume={question.id: "yes"}))
    behind = (await ask(runs, first.thread_id)).run
    (again_claimed,) = await two.claim_any()
    assert (again_claimed.run_id, again_claimed.first_checkpoint_id) == (behind.run_id, head)
    assert len(again_claimed.first_writes or []) > len(asked)
    await change(pool, EXPIRE, behind.run_id)
    (taken,) = await one.take_over()
    assert (taken.first_checkpoint_id, taken.first_writes) == (head, again_claimed.first_writes)


async def test_of_two_processes_that_claim_at_once_one_gets_it(runs: Runs, one: Leases, two: Leases) -> None:
    for _ in range(20):
        run = (await ask(runs)).run
        await ask(runs, run.thread_id)
        won = await asyncio.gather(*(each.claim(run.thread_id) for each in (one, two, one, two)))
        assert [each.run_id for each in won if each] == [run.run_id]


async def test_claims_of_any_thread_at_once_share_the_work(runs: Runs, one: Leases, two: Leases) -> None:
    waiting = [(await ask(runs)).run for _ in range(12)]
    behind = [(await ask(runs, run.thread_id)).run for run in waiting]
    taken = await asyncio.gather(one.claim_any(5), two.claim_any(5), one.claim_any(5), two.claim_any(5))
    assert len(ids(*taken)) == len(set(ids(*taken)))
    rest = await one.claim_any(100)
    assert sorted(ids(*taken, rest)) == sorted(ids(waiting))
    assert set(ids(*taken, rest)).isdisjoint(ids(behind))


async def test_claims_of_one_and_of_any_at_once_never_start_two_on_a_thread(
    runs: Runs, one: Leases, two: Leases
) -> None:
    for _ in range(20):
        run = (await ask(runs)).run
        behind = (await ask(runs, run.thread_id)).run
        single, several = await asyncio.gather(one.claim(run.thread_id), two.claim_any())
        assert [*([single.run_id] if single else []), *(each.run_id for each in several)] == [run.run_id]
        assert (await again(runs, behind)).status == "pending"
        await runs.cancel_any(behind.run_id, "interrupt")


async def test_an_expired_lease_is_taken_over_by_one(
    runs: Runs, one: Leases, two: Leases, pool: Pool, rival: Pool
) -> None:
    gone = Leases(pool, "gone", 10)
    taken_before: set[str] = set()
    for _ in range(10):
        dead = [(await ask(runs, start=gone)).run for _ in range(3)]
        for run in dead:
            await change(pool, EXPIRE, run.run_id)
        both = await asyncio.gather(one.take_over(), two.take_over(), Leases(rival, "three", 10).take_over(2))
        assert sorted(ids(*both)) == sorted(ids(dead))
        assert all(run.attempt == 2 for runs_ in both for run in runs_)
        taken_before |= set(ids(*both))
    assert await one.take_over() == []


async def test_the_former_holder_learns_that_it_lost_its_run(runs: Runs, one: Leases, two: Leases, pool: Pool) -> None:
    kept, lost = (await ask(runs, start=one)).run, (await ask(runs, start=one)).run
    await change(pool, EXPIRE, lost.run_id)
    assert ids(await two.take_over()) == [str(lost.run_id)]
    assert await one.renew([kept.run_id, lost.run_id]) == Renewed(lost=frozenset([lost.run_id]))
    assert not await end(pool, runs, lost, "one")
    assert await end(pool, runs, lost, "two")
    assert await one.renew([]) == Renewed()


async def test_a_renewed_lease_is_not_taken_over_and_an_expired_one_can_still_be_renewed(
    runs: Runs, one: Leases, two: Leases, pool: Pool
) -> None:
    run = (await ask(runs, start=one)).run
    await change(pool, EXPIRE, run.run_id)
    assert (await one.renew([run.run_id])).lost == frozenset()
    assert await two.take_over() == []
    renewed = await again(runs, run)
    assert renewed.lease_until is not None
    assert run.lease_until is not None
    assert renewed.lease_until > run.lease_until


async def test_renewing_tells_what_is_to_be_cancelled(runs: Runs, one: Leases) -> None:
    calm, stopped = (await ask(runs, start=one)).run, (await ask(runs, start=one)).run
    await runs.cancel_any(stopped.run_id, "rollback")
    renewed = await one.renew([calm.run_id, stopped.run_id])
    assert renewed == Renewed(cancel={stopped.run_id: "rollback"})


async def test_what_is_given_up_is_taken_over_at_once(runs: Runs, one: Leases, two: Leases) -> None:
    run, kept = (await ask(runs, start=one)).run, (await ask(runs, start=one)).run
    await two.release([kept.run_id])
    await one.release([run.run_id])
    assert ids(await two.take_over()) == [str(run.run_id)]
    assert (await again(runs, kept)).lease_owner == "one"


async def test_a_lease_counts_by_the_clock_of_the_database(runs: Runs, pool: Pool, two: Leases) -> None:
    run = (await ask(runs, start=Leases(pool, "short", 0.2))).run
    assert await two.take_over() == []
    await asyncio.sleep(0.25)
    assert ids(await two.take_over()) == [str(run.run_id)]


async def test_a_clock_that_went_backwards_does_not_keep_a_run_with_a_dead_process(
    runs: Runs, one: Leases, two: Leases, pool: Pool
) -> None:
    """Two hours back: the lease seems to last two hours more."""
    run, alive = (await ask(runs, start=one)).run, (await ask(runs, start=one)).run
    for each in (run, alive):
        forward = "UPDATE frontdesk.runs SET lease_until = lease_until + interval '2 hours' WHERE run_id = %s"
        await change(pool, forward, each.run_id)
    await one.renew([alive.run_id])
    assert ids(await two.take_over()) == [str(run.run_id)]


@pytest.mark.parametrize("lease_s", [0, -1, 301, float("nan")])
def test_a_lease_has_a_sound_length(pool: Pool, lease_s: float) -> None:
    with pytest.raises(ValueError, match="lease_s"):
        Leases(pool, "one", lease_s)
