"""Sets up logging: one structured line per event, with the ids of the request and without secrets."""

import json
import logging
import sys
from collections.abc import MutableMapping
from functools import partial
from typing import Any, Literal

import structlog
from structlog.typing import EventDict, Processor

from telemetry.masking import mask

# Chatty below their own threshold: at debug level one reads the desk, not the wire.
_QUIET = {"httpcore": "INFO", "httpx": "WARNING", "openai": "WARNING", "asyncio": "INFO", "psycopg.pool": "WARNING",
          "procrastinate": "WARNING", "mcp.client": "ERROR", "mcp.server": "WARNING"}  # fmt: skip
_ORDINARY = "Error in standalone SSE writer"  # what the MCP SDK says at the end of every session
_OF_NO_NEWS = ("uvicorn.error",)  # at info it tells of every start and stop
_DONE = "_masked"
_UVICORN = ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi")


class Handler(logging.StreamHandler[Any]):
    """Writes to whatever standard error is at the moment of writing."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        return sys.stderr


def configure(
    level: Literal["debug", "info", "warning", "error"] = "info", format: Literal["console", "json"] = "console"
) -> None:
    """Send every log record, structlog's and the standard library's, through one handler. May be called again.

    What is bound with `structlog.contextvars.bind_contextvars` (`request_id`, `thread_id`, `run_id`) is on every line
    of that request.
    """
    handler = Handler()
    handler.setFormatter(_formatter(format))
    root = logging.getLogger()
    for old in [one for one in root.handlers if isinstance(one, Handler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper())
    for name, threshold in _QUIET.items():
        logging.getLogger(name).setLevel(threshold)
    for name in _UVICORN:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.setLevel(logging.NOTSET)
        logger.propagate = True
    logging.getLogger("mcp.server.streamable_http").addFilter(_is_news)
    for name in _OF_NO_NEWS:
        logging.getLogger(name).setLevel("DEBUG" if level == "debug" else "WARNING")
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            structlog.processors.format_exc_info,
            masked,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def _is_news(record: logging.LogRecord) -> bool:
    return record.msg != _ORDINARY


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]


def _formatter(format: str) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_shared(),
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            masked,
            _unmarked,
            *([_json()] if format == "json" else [one_line, _console()]),
        ],
    )


def masked(_: Any, __: str, event: EventDict) -> EventDict:
    """Everything in the event as plain, masked data.

    An event of structlog is masked before any handler sees it, and marked so that the formatter need not do it again.
    """
    if event.pop(_DONE, False):
        return event
    try:
        return {**mask(event), _DONE: True}
    except Exception as error:  # noqa: BLE001 - logging must not break what it reports on
        return {"event": "an event that could not be masked", "level": "error", "error": type(error).__name__}


def _unmarked(_: Any, __: str, event: EventDict) -> EventDict:
    event.pop(_DONE, None)
    return event


def one_line(_: Any, __: str, event: MutableMapping[str, Any]) -> EventDict:
    """Nobody's text may look like a second line of the log."""
    text = str(event.get("event", ""))
    return {**event, "event": "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)}


def _json() -> Processor:
    return structlog.processors.JSONRenderer(serializer=partial(json.dumps, ensure_ascii=False))


def _console() -> Processor:
    return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
