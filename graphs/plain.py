"""Turns what a graph holds into plain JSON values."""

import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from langgraph.types import Interrupt
from pydantic import BaseModel


def plain(value: Any) -> Any:
    """JSON values that are always valid UTF-8 text once dumped; messages become flat dicts.

    What JSON cannot say becomes what comes closest: null for NaN and infinities, U+FFFD for a lone surrogate, the
    `repr` of an exception, text for anything strange.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int | float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_text(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return plain(_opened(value))


def plain_interrupt(interrupt: Interrupt) -> dict[str, Any]:
    """As LangGraph's API has it: the schema of its answer only where there is one."""
    schema = {} if interrupt.response_schema is None else {"response_schema": plain(interrupt.response_schema)}
    return {"id": interrupt.id, "value": plain(interrupt.value), **schema}


def _opened(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    return str(value) if isinstance(value, UUID) else repr(value)


def _text(value: str) -> str:
    if value.isascii():
        return str(value)
    return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
