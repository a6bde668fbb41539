"""The last lists of sources of tools, in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(kw_only=True)
class MemoryLists:
    """Keeps lists as the database does. `written`: how often."""

    kept: dict[str, list[Any]] = field(default_factory=dict)
    written: int = 0

    async def last(self, key: str) -> list[Any] | None:
        return self.kept.get(key)

    async def keep(self, key: str, listed: Sequence[Any]) -> None:
        self.kept[key] = list(listed)
        self.written += 1
