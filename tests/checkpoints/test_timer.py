"""The timer beside a turn, and plans that do not grow with a thread."""

import asyncio

from checkpoints.database import Connection, Pool
from checkpoints.saver import TurnSaver
from checkpoints.turn_buffer import Guard


async def test_a_turn_ends_though_its_timer_fails_while_it_ends(saver: TurnSaver) -> None:
    written = []

    async def write(_: Connection) -> None:
        written.append(1)

    slow_no = Guard(sql="SELECT 1 FROM (SELECT pg_sleep(0.4)::text AS slept) AS s WHERE slept IS NULL", values={})
    async with asyncio.timeout(10), saver.turn(every_s=0.01, guard=slow_no):
        await saver.gather(write)
        # The timer's flush is on its way now, and fails when it is told to stop.
        await asyncio.sleep(0.1)
    assert written


async def test_reading_a_checkpoint_looks_its_blobs_up_one_by_one(pool: Pool) -> None:
    query = f"EXPLAIN {TurnSaver.SELECT_SQL} WHERE thread_id = '1' AND checkpoint_ns = '' ORDER BY checkpoint_id DESC"
    async with pool.connection() as connection:
        rows = await (await connection.execute(query)).fetchall()
    plan = "\n".join(row["QUERY PLAN"] for row in rows)
    assert "Hash Join" not in plan
    assert "checkpoint_blobs_pkey" in plan
    assert "thread_id_idx" not in plan
