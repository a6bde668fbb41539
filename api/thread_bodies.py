"""The bodies and parameters of requests about threads, as LangGraph's clients send them."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from pydantic import Field

from api.schemas import Body
from errors import InvalidInput

MOST = 1000  # of anything in one answer
FURTHEST = 2**31
Limit = Annotated[int, Query(ge=1, le=MOST)]
Offset = Annotated[int, Query(ge=0, le=FURTHEST)]
Flag = Annotated[bool, Field(strict=False)]  # 0 and 1 count as well
SortBy = Literal["thread_id", "status", "created_at", "updated_at", "state_updated_at"]


class CheckpointBody(Body):
    """Where in a thread's history. The thread is that of the path, whatever stands here."""

    thread_id: str | None = None
    checkpoint_ns: str | None = None
    checkpoint_id: str | None = None


class ConfigurableBody(Body):
    configurable: CheckpointBody


class StateBody(Body):
    """`checkpoint`: without an id in it the newest one. `subgraphs`: with the states of tasks that are graphs."""

    checkpoint: CheckpointBody | None = None
    subgraphs: Flag = False


class HistoryBody(Body):
    """`before`: older than this checkpoint. `checkpoint`: this one alone. `metadata`: what checkpoints must carry."""

    limit: int = Field(default=10, ge=1, le=MOST)
    before: ConfigurableBody | CheckpointBody | str | None = None
    metadata: dict[str, Any] | None = None
    checkpoint: CheckpointBody | None = None

    @property
    def before_id(self) -> str | None:
        """From whichever of the three forms it has."""
        if isinstance(self.before, ConfigurableBody):
            return self.before.configurable.checkpoint_id
        return self.before.checkpoint_id if isinstance(self.before, CheckpointBody) else self.before


class SearchBody(Body):
    """`metadata`, `values`: what a thread's must contain. `select`: these keys of each thread alone."""

    ids: Annotated[list[str], Field(max_length=MOST)] | None = None
    metadata: dict[str, Any] | None = None
    values: dict[str, Any] | None = None
    status: Literal["idle", "busy", "interrupted", "error"] | None = None
    limit: int = Field(default=10, ge=1, le=MOST)
    offset: int = Field(default=0, ge=0, le=FURTHEST)
    sort_by: SortBy | None = None
    sort_order: Literal["asc", "desc"] | None = None
    select: list[str] | None = None


class CopyBody(Body):
    """`checkpoint_id`: where the copy is to stand; without it where the thread stands now."""

    checkpoint_id: str | None = None


def parse_id(text: str, what: str) -> UUID:
    """Raises InvalidInput for what is no UUID in its usual form."""
    try:
        found = UUID(text)
    except ValueError:
        found = None
    if found is None or str(found) != text.lower():
        raise InvalidInput(f"Invalid {what} ID: must be a UUID")
    return found
