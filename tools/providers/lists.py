"""What a source of tools listed last, for a start while it is down."""

from collections.abc import Sequence
from typing import Any, Protocol


class Lists(Protocol):
    """Keeps the last list of each source. `key`: which source, at which address."""

    async def last(self, key: str) -> list[Any] | None:
        """None: it has never listed anything."""

    async def keep(self, key: str, listed: Sequence[Any]) -> None:
        """In place of what it listed before. `listed`: JSON values."""
