"""What an exception of a tool says about its call: worth another try, and whether the effect may have happened."""

from collections.abc import Mapping

import httpx
import psycopg
from psycopg_pool import PoolTimeout, TooManyRequests

from errors import Unavailable

NEVER_SENT = (
    ConnectionRefusedError, PoolTimeout, TooManyRequests, httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout,
)  # fmt: skip
LOST = (OSError, psycopg.OperationalError, httpx.TransportError)


class Fault(Exception):
    """What went wrong with another process that does a tool's work.

    `reason`: a short stable word. `said`: the same for a caller, by locale. `again`: the same call may do better a
    moment later. `done`: it may have been carried out all the same. The exception's own text is for the log.
    """

    def __init__(
        self, message: str, *, reason: str, said: Mapping[str, str], again: bool = False, done: bool = False
    ) -> None:
        super().__init__(message)
        self.reason, self.said, self.again, self.done = reason, said, again, done


class Overstepped(Exception):
    """A tool tried to end more than its call: the process, or the task in which it runs."""


def transient(error: Exception) -> bool:
    """Whether the same call may do better a moment later."""
    return error.again if isinstance(error, Fault) else isinstance(error, (*LOST, Unavailable))


def undecided(error: Exception) -> bool:
    """Whether the other side may have carried the call out: no answer in time, or it broke off on the way."""
    if isinstance(error, Fault):
        return error.done
    if isinstance(error, Overstepped):
        return True
    answered = isinstance(error, psycopg.Error) and error.sqlstate is not None
    return isinstance(error, LOST) and not isinstance(error, NEVER_SENT) and not answered
