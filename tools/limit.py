"""Holds a piece of work to its bounds: a time that it cannot overstay, and no more to end than itself."""

import asyncio
import logging
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from tools.faults import Overstepped

T = TypeVar("T")
logger = logging.getLogger(__name__)
GRACE_S = 0.5
_abandoned: set[asyncio.Task[Any]] = set()  # a task that nobody holds may vanish in the middle


async def within(limit_s: float, work: Coroutine[Any, Any, T]) -> T:
    """What `work` gives. Raises TimeoutError where it gives nothing within `limit_s`: it is cancelled then, and left to
    itself if that is of no avail. Cancelling the caller cancels it likewise."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task}, timeout=limit_s)
    except asyncio.CancelledError:
        await _ended(task)
        raise
    if not task.done():
        await _ended(task)
        if not task.done() or task.cancelled() or task.exception() is not None:
            raise TimeoutError(f"no answer within {limit_s:.3f} s")
    elif task.cancelled():
        raise Overstepped("it cancelled its own task")
    return task.result()


async def contained(work: Awaitable[T]) -> T:
    """What `work` gives or raises. Raises Overstepped where it would end the process, and with it everybody's turns
    (SystemExit), or says that it was cancelled and nobody did so."""
    try:
        return await work
    except asyncio.CancelledError as error:
        own = asyncio.current_task()
        if own is not None and own.cancelling():
            raise
        raise Overstepped("it was not cancelled, and says so") from error
    except Exception:
        raise
    except BaseException as error:
        raise Overstepped(type(error).__name__) from error


async def _ended(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=GRACE_S)
    if task.done():
        return
    logger.error("%s goes on although it was cancelled; nobody waits for it any more", task.get_coro())
    _abandoned.add(task)
    task.add_done_callback(_over)


def _over(task: asyncio.Task[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("what was left to itself ended badly", exc_info=error)
