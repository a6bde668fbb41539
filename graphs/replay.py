"""Replays recorded turns in a thread of their own, and tells what comes out otherwise."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from uuid import UUID

from langchain_core.messages import RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import StateSnapshot
from typing_extensions import TypedDict

from checkpoints.database import Pool
from checkpoints.replays import ReplayRows
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from checkpoints.threads import Thread, Threads
from config.redefining import redefined
from errors import InvalidInput, NotFound, ThreadBusy
from graphs.assistant import Services, build_graph
from graphs.conductor import AWAY
from graphs.difference import Summary, TurnDifference, compared, summed
from graphs.difference_text import in_words, summary_in_words
from graphs.live import LABELS
from graphs.recorded import RecordedTurn
from graphs.replayed_turn import Ground, replay_turn
from graphs.span import Chosen, LeftOut, Span, Spans, place
from graphs.transcript import facts_of
from nodes.state import Locale

MOST_TURNS = 200
BUSY = "this thread is in the middle of a run; it can be replayed when that is over"
LOCALES: tuple[Locale, ...] = ("zh", "en")


class Words(TypedDict):
    zh: str
    en: str


class ReplayedTurn(TurnDifference):
    """`text`: the differences in words."""

    text: Words


class Replay(TypedDict):
    """`thread_id`: what was replayed. `replay_thread_id`: where the replayed turns are to be looked at.

    `model`, `agent`: what was changed, if anything. `next_turn`: where the thread goes on, if there is more.
    """

    thread_id: str
    replay_thread_id: str
    model: str | None
    agent: str | None
    turns: list[ReplayedTurn]
    left_out: list[LeftOut]
    next_turn: int | None
    summary: Summary
    text: Words


class Replays:
    """`known_models`: the names of config/models.yaml. `turn_timeout_s`: as for a live turn."""

    def __init__(
        self,
        services: Services,
        saver: TurnSaver,
        pool: Pool,
        *,
        known_models: Collection[str],
        turn_timeout_s: float,
    ) -> None:
        self._services, self._saver = services, saver
        self._threads, self._rows = Threads(pool), ReplayRows(pool)
        self._spans = Spans(Runs(pool), self._rows)
        self._known_models, self._turn_timeout_s = known_models, turn_timeout_s

    async def ground(self, *, model: str | None = None, agent: str | None = None) -> Ground:
        """`model`: to be asked in place of each turn's own. `agent`: a definition as YAML or JSON that takes the place
        of the agent of that name. Raises InvalidInput, which names the key."""
        services, name = self._services, None
        if model is not None and model not in services.models.names:
            known = ", ".join(services.models.names) or "none"
            raise InvalidInput(f"model: there is no model {model!r}; there are {known}")
        if agent is not None:
            services, name = await asyncio.to_thread(self._with, agent)
        return Ground(
            graph=build_graph(services).compile(checkpointer=self._saver),
            saver=self._saver,
            rows=self._rows,
            registry=services.registry,
            facts=facts_of(services.catalogue, services.models),
            turn_timeout_s=self._turn_timeout_s,
            permissions=services.catalogue.permissions,
            model=model,
            agent=name,
        )

    async def replay(
        self,
        thread: Thread,
        span: Span,
        ground: Ground,
        *,
        most: int = MOST_TURNS,
        patience_s: float | None = None,
        begun: Callable[[int], None] | None = None,
        told: Callable[[ReplayedTurn], None] | None = None,
    ) -> Replay:
        """`thread` is only read. `most`: turns at once; after `patience_s` no further one is begun. `begun` hears how
        many there are, `told` of each as it is done.

        Raises NotFound for a turn or checkpoint that the thread has not, InvalidInput for a span that cannot be meant,
        ThreadBusy in the middle of a run, and what the database raises; then nothing is left of the replay.
        """
        if "replay_of" in thread.metadata:
            raise InvalidInput(f"this thread is a replay itself; replay its source, {thread.metadata['replay_of']}")
        if thread.status == "busy":
            raise ThreadBusy(BUSY)
        chosen = await self._spans.choose(thread, span, ground.graph, most=most)
        if begun:
            begun(len(chosen.turns))
        ends = None if patience_s is None else time.monotonic() + patience_s
        next_turn, turns = chosen.next_turn, list[ReplayedTurn]()
        async with self._copy(thread, chosen) as there:
            for previous, turn in zip((None, *chosen.turns), chosen.turns, strict=False):
                if ends is not None and time.monotonic() > ends and turns:
                    next_turn = turn.number
                    break
                if previous is not None and previous.transcript["status"] == "failed":
                    await _stand(thread, turn, there, ground)
                turns.append(await _replayed(thread, turn, there, ground, chosen.at(turn)))
                if told:
                    told(turns[-1])
        left_out = [one for one in chosen.left_out if next_turn is None or one["turn"] < next_turn]
        return _result(str(thread.thread_id), str(there), ground, turns=turns, left_out=left_out, next_turn=next_turn)

    def _with(self, agent: str) -> tuple[Services, str]:
        """The services with another definition of one agent, and which one."""
        services = self._services
        loaded = redefined(services.catalogue, agent, services.registry, self._known_models)
        if loaded.catalogue is None:
            raise InvalidInput("; ".join(loaded.problems))
        before, after = services.catalogue.agents, loaded.catalogue.agents
        name = next(name for name in after if after[name] is not before[name])
        return replace(services, catalogue=loaded.catalogue), name

    @asynccontextmanager
    async def _copy(self, thread: Thread, chosen: Chosen) -> AsyncIterator[UUID]:
        """A thread that stands where the replay begins; it goes again where the replay comes to no end."""
        labels = {**LABELS, "replay_of": str(thread.thread_id), "replay": True}
        owner, before = (thread.tenant_id, thread.user_id), chosen.checkpoint_id
        if before is None:
            made = await self._threads.create(*owner, title=thread.title, metadata=labels)
        else:
            try:
                made = await self._threads.copy(
                    thread.thread_id, *owner, until=before, with_history=False, metadata=labels
                )
            except NotFound:
                why = f"turn {chosen.turns[0].number}: the checkpoint before it was pruned"
                raise NotFound(why) from None
        complete = False
        try:
            await self._rows.drop_pending(made.thread_id)
            yield made.thread_id
            complete = True
        finally:
            if not complete:
                with suppress(NotFound, *AWAY):
                    await self._threads.delete(made.thread_id, *owner)


async def _stand(thread: Thread, turn: RecordedTurn, there: UUID, ground: Ground) -> None:
    """Bring the replay to where the thread stood before the turn: one that was stopped half-way left less than its
    replay, which comes to its end."""
    checkpoint_id = turn.runs[0].first_checkpoint_id
    values = (await ground.graph.aget_state(place(thread.thread_id, checkpoint_id))).values if checkpoint_id else None
    if not values:
        return
    messages = [RemoveMessage(id=REMOVE_ALL_MESSAGES), *values.get("messages", [])]
    kept = {"summary": "", "memory": {}, **values, "messages": messages}
    await ground.graph.aupdate_state(place(there), kept, as_node="reply")


async def _replayed(
    thread: Thread, turn: RecordedTurn, there: UUID, ground: Ground, at: StateSnapshot | None
) -> ReplayedTurn:
    base = turn.runs[0].first_checkpoint_id
    where = place(there) if at is None else place(thread.thread_id, base) if base else None
    before = await ground.graph.aget_state(where) if where else None
    row = await replay_turn(turn, there, ground, before=before, at=at)
    return shown(compared(turn.number, turn.transcript, row.transcript or {}, turn.message))


def shown(turn: TurnDifference) -> ReplayedTurn:
    return ReplayedTurn(**turn, text=Words(zh=in_words(turn, "zh"), en=in_words(turn, "en")))


def _result(
    thread_id: str,
    replay_thread_id: str,
    ground: Ground,
    *,
    turns: list[ReplayedTurn],
    left_out: list[LeftOut],
    next_turn: int | None,
) -> Replay:
    summary = summed(turns)
    missing = [(one["turn"], one["why"]) for one in left_out]
    heads = {locale: summary_in_words(summary, missing, locale) for locale in LOCALES}
    texts = {locale: "\n".join([heads[locale], *(turn["text"][locale] for turn in turns)]) for locale in LOCALES}
    return Replay(
        thread_id=thread_id,
        replay_thread_id=replay_thread_id,
        model=ground.model,
        agent=ground.agent,
        turns=turns,
        left_out=left_out,
        next_turn=next_turn,
        summary=summary,
        text=Words(zh=texts["zh"], en=texts["en"]),
    )
