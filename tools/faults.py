"""What an exception of a tool says about its call: worth another try, and whether the effect may have happened."""

import httpx
import psycopg
from psycopg_pool import PoolTimeout, TooManyRequests

from errors import Unavailable

NEVER_SENT = (
    ConnectionRefusedError, PoolTimeout, TooManyRequests, httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout,
)  # fmt: skip
LOST = (OSError, psycopg.OperationalError, httpx.TransportError)


def transient(error: Exception) -> bool:
    """Whether the same call may do better a moment later."""
    return isinstance(error, (*LOST, Unavailable))


def undecided(error: Exception) -> bool:
    """Whether the other side may have carried the call out: no answer in time, or the connection lost on the way."""
    answered = isinstance(error, psycopg.Error) and error.sqlstate is not None
    return isinstance(error, LOST) and not isinstance(error, NEVER_SENT) and not answered
