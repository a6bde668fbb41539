"""`frontdesk prune`: what is too old goes, what is not stays, and a dry run only counts."""

import pytest

from checkpoints.leases import Leases
from checkpoints.runs import Runs
from tests.checkpoints.asking import again, ask, change, count, end
from tests.commands.said import Frontdesk


async def test_a_dry_run_counts_and_a_real_one_deletes(frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEP_TRANSCRIPTS_DAYS", "100")
    monkeypatch.setenv("KEEP_CHECKPOINTS_DAYS", "0")
    runs, leases = Runs(frontdesk.pool), Leases(frontdesk.pool, "desk-1", 60)
    old, young = (await ask(runs, start=leases)).run, (await ask(runs, start=leases)).run
    for run in (old, young):
        assert await end(frontdesk.pool, runs, run, "desk-1", result={"reply": "12"}, transcript={"answer": "12"})
    age = "UPDATE frontdesk.runs SET finished_at = now() - interval '101 days' WHERE run_id = %s"
    await change(frontdesk.pool, age, old.run_id)
    said = await frontdesk("prune", "--dry-run")
    assert said.status == 0
    assert said.lines == [
        "nothing was deleted; this would be:",
        "       0  threads with all that they own, kept for ever",
        "       0  earlier steps of threads (checkpoints), kept for ever",
        "       1  questions, answers and results (transcripts), older than 100 days",
        "       0  background tasks that are over, older than 90 days",
        "       0  rows of calls (audit, ledger), older than 730 days",
    ]
    assert (await again(runs, old)).transcript == {"answer": "12"}
    said = await frontdesk("prune")
    assert (said.status, said.lines[0], said.lines[3].split()[0]) == (0, "deleted:", "1")
    assert (await again(runs, old)).transcript is None
    assert (await again(runs, young)).transcript == {"answer": "12"}
    assert (await frontdesk("prune")).lines[3].split()[0] == "0"


async def test_threads_go_only_where_a_setting_says_so(frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(frontdesk.pool)
    run = (await ask(runs)).run
    await runs.cancel_any(run.run_id, "interrupt")
    age = "UPDATE frontdesk.threads SET updated_at = now() - interval '1001 days' WHERE thread_id = %s"
    await change(frontdesk.pool, age, run.thread_id)
    before = await count(frontdesk.pool, "frontdesk.threads")
    await frontdesk("prune")
    assert await count(frontdesk.pool, "frontdesk.threads") == before
    monkeypatch.setenv("KEEP_THREADS_DAYS", "1000")
    said = await frontdesk("prune")
    assert said.lines[1] == "       1  threads with all that they own, older than 1000 days"
    assert await count(frontdesk.pool, "frontdesk.threads") == before - 1


@pytest.mark.parametrize("days", ["-1", "nan", "inf", "soon"])
async def test_a_setting_of_no_sense_is_refused(
    frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch, days: str
) -> None:
    monkeypatch.setenv("KEEP_AUDIT_DAYS", days)
    said = await frontdesk("prune")
    assert said.status == 2
    assert said.err.startswith("error: KEEP_AUDIT_DAYS: ")
