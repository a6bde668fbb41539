"""Which turns of a thread a replay is of, and where it begins."""

from dataclasses import dataclass
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot
from typing_extensions import TypedDict

from checkpoints.replays import ReplayRows
from checkpoints.runs import Runs
from checkpoints.threads import Thread
from errors import InvalidInput, NotFound
from graphs.assistant import Desk
from graphs.recorded import RecordedTurn, WhyNot, recorded


@dataclass(frozen=True, kw_only=True)
class Span:
    """Which turns: from `turn` or from a checkpoint, else from the first, to `until`, else to the end.

    A turn is named by its number in the thread, from 1, or by the id of its message.
    """

    turn: int | str | None = None
    checkpoint_id: str | None = None
    until: int | str | None = None


class LeftOut(TypedDict):
    """A turn that could not be replayed, and why."""

    turn: int
    why: WhyNot


@dataclass(frozen=True, kw_only=True)
class Start:
    """`checkpoint_id`: instead of the one at which turn `number` began. `at`: its state, in the middle of the turn."""

    number: int
    checkpoint_id: str | None = None
    at: StateSnapshot | None = None


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """`turns`: at least one, in their order. `next_turn`: the one that follows, None at the end of the thread."""

    start: Start
    turns: tuple[RecordedTurn, ...]
    left_out: tuple[LeftOut, ...]
    next_turn: int | None

    @property
    def checkpoint_id(self) -> str | None:
        """Where the replay begins; None: in an empty thread."""
        first = self.turns[0]
        given = self.start.checkpoint_id if first.number == self.start.number else None
        return given or first.runs[0].first_checkpoint_id

    def at(self, turn: RecordedTurn) -> StateSnapshot | None:
        """The state in the middle of this turn from which it goes on; None: it is played from its beginning."""
        return self.start.at if turn.number == self.start.number else None


class Spans:
    def __init__(self, runs: Runs, rows: ReplayRows) -> None:
        self._runs, self._rows = runs, rows

    async def choose(self, thread: Thread, span: Span, graph: Desk, *, most: int) -> Chosen:
        """`most`: turns at once. Raises NotFound for what the thread has not, InvalidInput for what cannot be meant."""
        start = await self._start(thread, span, graph)
        found, next_turn = await self._turns(thread, start.number, span, most)
        numbered = list(enumerate(found, start.number))
        turns = tuple(turn for _, turn in numbered if isinstance(turn, RecordedTurn))
        left_out = tuple(LeftOut(turn=n, why=turn) for n, turn in numbered if not isinstance(turn, RecordedTurn))
        if not turns:
            why = ", ".join(sorted({one["why"] for one in left_out}))
            raise NotFound(f"none of these turns can be replayed: {why}")
        return Chosen(start=start, turns=turns, left_out=left_out, next_turn=next_turn)

    async def _start(self, thread: Thread, span: Span, graph: Desk) -> Start:
        if span.checkpoint_id is None:
            return Start(number=1 if span.turn is None else await self._number(thread, span.turn))
        if span.turn is not None:
            raise InvalidInput("give either 'turn' or 'checkpoint_id'")
        snapshot = await graph.aget_state(place(thread.thread_id, span.checkpoint_id))
        if snapshot.metadata is None:
            raise NotFound(f"Checkpoint {span.checkpoint_id} not found")
        number = await self._rows.number_of_run(thread.thread_id, str(snapshot.metadata.get("run_id")))
        if not snapshot.next:
            after = number + 1 if number else await self._rows.number_after(thread.thread_id, span.checkpoint_id)
            if after is not None:
                return Start(number=after, checkpoint_id=span.checkpoint_id)
        elif number is not None:
            return Start(number=number, checkpoint_id=span.checkpoint_id, at=snapshot)
        raise NotFound("checkpoint_id: no recorded turn begins at this checkpoint or goes through it")

    async def _number(self, thread: Thread, turn: int | str) -> int:
        if isinstance(turn, int):
            return turn
        number = await self._rows.number_of_turn(thread.thread_id, turn)
        if number is None:
            raise NotFound(f"the thread has no turn {turn!r}")
        return number

    async def _turns(
        self, thread: Thread, first: int, span: Span, most: int
    ) -> tuple[list[RecordedTurn | WhyNot], int | None]:
        """And the number of the turn that follows them, if there is one."""
        last = None if span.until is None else await self._number(thread, span.until)
        if last is not None and last < first:
            raise InvalidInput(f"until: turn {last} comes before turn {first}")
        if last is not None and last - first >= most:
            raise InvalidInput(f"until: at most {most} turns a call, which is turn {first + most - 1}")
        wanted = most if last is None else last - first + 1
        owner = thread.tenant_id, thread.user_id
        rows = await self._runs.turns_of(thread.thread_id, *owner, limit=wanted + 1, offset=first - 1)
        if not rows or (last is not None and len(rows) < wanted):
            raise NotFound(f"the thread has no turn {last if rows else first}")
        found = [recorded(first + n, runs) for n, runs in enumerate(rows[:wanted])]
        return found, first + wanted if len(rows) > wanted else None


def place(thread_id: UUID, checkpoint_id: str | None = None) -> RunnableConfig:
    """A checkpoint of a thread, as LangGraph is told; None: the newest."""
    where = {"thread_id": str(thread_id), "checkpoint_ns": ""}
    return {"configurable": where if checkpoint_id is None else {**where, "checkpoint_id": checkpoint_id}}
