"""A verdict's words are kept as long as the answer that they speak of."""

from checkpoints.database import Pool
from checkpoints.feedback import FeedbackStore
from checkpoints.leases import Leases
from checkpoints.retention import Keep, prune
from checkpoints.run import Run
from checkpoints.runs import Runs
from tests.checkpoints.asking import ask, change, end


async def judged(pool: Pool) -> Run:
    runs, leases = Runs(pool), Leases(pool, "here", 60)
    run = (await ask(runs, start=leases)).run
    assert await end(pool, runs, run, "here")
    given = await FeedbackStore(pool).give(
        run.run_id, run.thread_id, run.tenant_id, run.user_id, verdict="down", comment="about somebody"
    )
    assert (given.run_id, given.comment) == (run.run_id, "about somebody")
    return run


async def comment(pool: Pool, run: Run) -> tuple[str, str | None]:
    query = "SELECT verdict, comment FROM frontdesk.feedback WHERE run_id = %s"
    async with pool.connection() as connection:
        row = await (await connection.execute(query, (run.run_id,))).fetchone()
    assert row is not None
    return row["verdict"], row["comment"]


async def test_with_an_old_transcript_its_words_go_and_the_verdict_stays(fresh_pool: Pool) -> None:
    old, new = await judged(fresh_pool), await judged(fresh_pool)
    await change(
        fresh_pool, "UPDATE frontdesk.runs SET finished_at = now() - interval '2 days' WHERE run_id = %s", old.run_id
    )
    await prune(fresh_pool, Keep(transcripts_days=1))
    assert await comment(fresh_pool, old) == ("down", None)
    assert await comment(fresh_pool, new) == ("down", "about somebody")
