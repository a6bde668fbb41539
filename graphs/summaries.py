"""Puts a better summary into a thread after its answer was sent, where nothing else happened there meanwhile."""

from langchain_core.runnables import RunnableConfig

from checkpoints.database import Connection
from checkpoints.threads import Threads
from errors import StaleThread
from graphs.conductor import Stage
from graphs.live import LABELS, Live
from graphs.plain import plain


async def improve(live: Live, stage: Stage, threads: Threads) -> None:
    """Costs nothing where there is no model, or nothing to summarise. Raises what the database raises."""
    change = await stage.summarise(live.progress.values)
    if change is None:
        return

    async with stage.saver.turn(every_s=None):
        head = await stage.graph.aget_state(live.config)
        if (head.metadata or {}).get("run_id") != live.run_id or head.tasks:
            return
        await stage.graph.aupdate_state(_config(live), change, as_node="reply")
        values = plain((await stage.graph.aget_state(live.config)).values)

        async def revise(connection: Connection) -> None:
            if not await threads.revise(live.row.thread_id, values, conn=connection):
                raise StaleThread

        try:
            await stage.saver.flush(revise)
        except StaleThread:
            stage.saver.forget()


def _config(live: Live) -> RunnableConfig:
    """No run's id: this checkpoint is of none."""
    return {"configurable": {"thread_id": live.thread_id}, "metadata": {**LABELS, "thread_id": live.thread_id}}
