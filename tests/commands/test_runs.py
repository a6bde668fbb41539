"""`frontdesk runs`: what hangs is shown with who holds it, and can be stopped."""

import uuid

from checkpoints.leases import Leases
from checkpoints.runs import Runs
from tests.checkpoints.asking import again, ask, change, thread_of
from tests.commands.said import Frontdesk


async def test_nothing_hangs(frontdesk: Frontdesk) -> None:
    said = await frontdesk("runs", "stuck")
    assert (said.status, said.out) == (0, "no run waits or runs for longer than 60 s\n")


async def test_runs_that_hang_are_listed_with_who_holds_them(frontdesk: Frontdesk) -> None:
    runs = Runs(frontdesk.pool)
    alive, dead = Leases(frontdesk.pool, "desk-1", 60), Leases(frontdesk.pool, "desk-2", 60)
    held, lost = (await ask(runs, start=alive)).run, (await ask(runs, start=dead)).run
    waiting = (await ask(runs, held.thread_id)).run
    fresh = (await ask(runs, start=alive)).run
    await change(
        frontdesk.pool,
        "UPDATE frontdesk.runs SET started_at = started_at - interval '3 hours', "
        "created_at = created_at - interval '3 hours' WHERE run_id <> %s",
        fresh.run_id,
    )
    await dead.release([lost.run_id])
    said = await frontdesk("runs", "stuck")
    assert said.status == 0
    head, *rows = said.lines
    assert head.split() == ["run", "thread", "owner", "status", "for", "attempt", "held"]
    by_id = {row.split()[0]: row.split()[1:] for row in rows}
    assert set(by_id) == {str(run.run_id) for run in (held, lost, waiting)}
    assert by_id[str(held.run_id)] == [str(held.thread_id), "acme/alex", "running", "3", "h", "1", "by", "desk-1"]
    assert by_id[str(lost.run_id)][2:] == ["running", "3", "h", "1", "by", "nobody"]
    assert by_id[str(waiting.run_id)][2:] == ["pending", "3", "h", "0", "waits"]
    assert (await frontdesk("runs", "stuck", "--older-than", "1e6")).lines[0].startswith("no run")


async def test_one_that_waits_is_stopped_at_once_and_its_thread_is_free(frontdesk: Frontdesk) -> None:
    runs = Runs(frontdesk.pool)
    run = (await ask(runs)).run
    said = await frontdesk("runs", "cancel", str(run.run_id))
    assert (said.status, said.out) == (0, f"stopped: run {run.run_id} had not begun\n")
    assert (await again(runs, run)).status == "interrupted"
    assert (await thread_of(frontdesk.pool, run)).status == "idle"


async def test_one_that_runs_is_told_to_stop(frontdesk: Frontdesk) -> None:
    runs = Runs(frontdesk.pool)
    run = (await ask(runs, start=Leases(frontdesk.pool, "desk-1", 60))).run
    said = await frontdesk("runs", "cancel", str(run.run_id), "--rollback")
    assert said.status == 0
    assert said.out.startswith(f"told: run {run.run_id} stops within seconds")
    told = await again(runs, run)
    assert (told.status, told.cancel_action) == ("running", "rollback")
    assert "running, to be stopped" in (await frontdesk("runs", "stuck", "--older-than", "0")).out


async def test_what_cannot_be_stopped_is_told_plainly(frontdesk: Frontdesk) -> None:
    runs = Runs(frontdesk.pool)
    over = (await ask(runs)).run
    await runs.cancel_any(over.run_id, "interrupt")
    said = await frontdesk("runs", "cancel", str(over.run_id))
    assert (said.status, said.out) == (1, "nothing to stop: No runs found to cancel.\n")
    unknown = uuid.uuid4()
    said = await frontdesk("runs", "cancel", str(unknown))
    assert (said.status, said.out) == (1, f"nothing to stop: Run with ID {unknown} not found\n")
    said = await frontdesk("runs", "cancel", "the first one")
    assert said.status == 2
    assert said.err == "error: 'the first one' is no id of a run; `frontdesk runs stuck` lists some\n"
