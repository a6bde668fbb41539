"""Puts every way in which a call can fail into one word."""

from collections.abc import Iterator

import httpx
import openai
from langchain_core.exceptions import ModelError, ModelRefusalError

from models.answer import Abstained
from models.client import TooLong

# What a call may raise; anything else, a cancellation or an interrupt of the graph above all, passes through.
FAULTS = (ModelError, openai.OpenAIError, httpx.HTTPError, ValueError, TimeoutError, RecursionError)

TRANSIENT = frozenset({408, 409, 425, 429})
# With these the endpoint is as good as dead until somebody mends its configuration.
HOPELESS = frozenset({401, 402, 403, 404})
LONG_PAUSE_S = 2.0


def understood(error: BaseException) -> Abstained:
    """The reason that stands for one of FAULTS, whose fault it is, and whether to try again."""
    if isinstance(error, Abstained):
        return error
    causes = tuple(_causes(error))
    if any(isinstance(cause, TooLong) for cause in causes):
        return Abstained("too_long", "the body", fault="endpoint")
    if isinstance(error, TimeoutError | openai.APITimeoutError | httpx.TimeoutException):
        return Abstained("timeout", type(error).__name__, fault="endpoint")
    if isinstance(error, openai.APIStatusError):
        return _status(error)
    if isinstance(error, openai.APIConnectionError | httpx.TransportError):
        sent = not any(isinstance(cause, httpx.ConnectError) for cause in causes)
        return Abstained("connection", type(causes[-1]).__name__, fault="endpoint", again=True, sent=sent)
    if isinstance(error, ModelRefusalError):
        return Abstained("refused", str(error)[:200])
    return _rest(error)


def _status(error: openai.APIStatusError) -> Abstained:
    status = error.status_code
    transient = status >= 500 or status in TRANSIENT  # noqa: PLR2004
    endpoint = transient or status in HOPELESS
    again = transient and _pause(error.response.headers.get("retry-after")) <= LONG_PAUSE_S
    detail = str(error.message)[:200]
    return Abstained(f"status_{status}", detail, fault="endpoint" if endpoint else "request", again=again)


def _pause(retry_after: str | None) -> float:
    """Seconds that the endpoint asks for; a date is as good as too long."""
    if retry_after is None:
        return 0.0
    return float(retry_after) if retry_after.strip().isdecimal() else LONG_PAUSE_S + 1


def _rest(error: BaseException) -> Abstained:
    detail = f"{type(error).__name__}: {error}"[:200]
    if isinstance(error, UnicodeError):
        return Abstained("unsupported", detail, fault="request", sent=False)
    if isinstance(error, ValueError | RecursionError):
        return Abstained("bad_json", detail, fault="endpoint")
    return Abstained("bad_answer", detail, fault="endpoint")


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__
