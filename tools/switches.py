"""What an operator has stopped: every change of anything, or single tools."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from errors import Unavailable
from tools.tool import Tool

logger = logging.getLogger(__name__)
FRESH_S = 1.0
FRESH_STOP_S = 0.1  # nobody is to be refused, for want of a yes that was not asked for, what runs again by now
PATIENCE_S = 1.0

Stopped = Literal["read_only", "disabled"]


class Switch(Protocol):
    """One switch as it was set last. `tool`: None for all changes. `later`: set since this process started."""

    @property
    def tool(self) -> str | None: ...
    @property
    def stopped(self) -> bool: ...
    @property
    def later(self) -> bool: ...


class Board(Protocol):
    """Where the operators of all processes set the switches."""

    async def switches(self) -> Sequence[Switch]:
        """Those that were ever set, as they stand this moment. Raises Unavailable where nobody can tell."""


@dataclass(frozen=True, kw_only=True)
class Stops:
    """`read_only`: no tool with an effect runs. `disabled`: these tools do not run."""

    read_only: bool = False
    disabled: frozenset[str] = frozenset()

    def stopping(self, tool: Tool) -> Stopped | None:
        """Why this tool does not run now; None: it does."""
        if tool.name in self.disabled:
            return "disabled"
        return "read_only" if self.read_only and tool.effect else None

    def under(self, switches: Iterable[Switch]) -> "Stops":
        """These, as they were at the start, with what was switched: a stop counts whenever it was set, but only a later
        release lifts what a process was started with."""
        read_only, disabled = self.read_only, set(self.disabled)
        for switch in switches:
            if not (switch.stopped or switch.later):
                continue
            if switch.tool is None:
                read_only = switch.stopped
            else:
                (disabled.add if switch.stopped else disabled.discard)(switch.tool)
        return Stops(read_only=read_only, disabled=frozenset(disabled))


class Switches:
    """The switches as this process sees them. `start`: what its settings say. `board`: None: nothing else counts."""

    def __init__(self, start: Stops | None = None, board: Board | None = None) -> None:
        self._start = self._known = start or Stops()
        self._board = board
        self._asked_at = float("-inf")
        self._lock = asyncio.Lock()

    @property
    def known(self) -> Stops:
        """As they were seen last, without looking."""
        return self._known

    async def stopping(self, tool: Tool) -> Stopped | None:
        """Why `tool` must not run, None if it may. Before an effect the board itself is asked. Raises Unavailable."""
        return (await (self.now() if tool.effect else self.lately())).stopping(tool)

    async def now(self) -> Stops:
        """As they stand this moment. Raises Unavailable."""
        if self._board is None:
            return self._start
        asked_at = asyncio.get_running_loop().time()
        found = self._start.under(await self._board.switches())
        if asked_at >= self._asked_at:
            self._known, self._asked_at = found, asked_at
        return found

    async def lately(self) -> Stops:
        """As they stood at most about a second ago, a tenth of it where something was stopped then; older where the
        board does not answer."""
        if not self._is_old():
            return self._known
        async with self._lock:
            if self._is_old():
                try:
                    async with asyncio.timeout(PATIENCE_S):
                        return await self.now()
                except (Unavailable, TimeoutError):
                    logger.warning("the switches cannot be read; reading goes on with what they were")
                    self._asked_at = asyncio.get_running_loop().time()
        return self._known

    def _is_old(self) -> bool:
        fresh_s = FRESH_S if self._known == Stops() else FRESH_STOP_S
        return self._board is not None and asyncio.get_running_loop().time() - self._asked_at > fresh_s
