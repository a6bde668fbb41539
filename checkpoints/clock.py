"""Lets the ids of new checkpoints follow those that are there already, though this process's clock is behind them."""

from uuid import UUID

from langgraph.checkpoint.base import id as ids

# 100 ns each. What is further ahead comes of a clock that was wrong by far, and would take all threads along with it.
DAY = 24 * 60 * 60 * 10_000_000


def catch_up(checkpoint_id: str) -> None:
    """Ids of this process come after this one from now on, unless it is more than a day ahead.

    LangGraph orders checkpoints by their ids, which are made of the time, and only ever counts on from the last one
    that it made itself. Its counter is nowhere to be set but here.
    """
    newest, own = _ticks(UUID(checkpoint_id)), _ticks(ids.uuid6())
    if own < newest < own + DAY:
        ids._last_v6_timestamp = newest  # type: ignore[assignment]  # declared as its first value, None


def _ticks(uuid: UUID) -> int:
    """The time in a UUID of version 6 (RFC 9562, 5.6)."""
    return uuid.time_low << 28 | uuid.time_mid << 12 | uuid.time_hi_version & 0xFFF
