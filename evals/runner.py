"""Plays cases through the graph, turn by turn as the desk's own runner would, on the clock of the case."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Interrupt

from evals.cases import Case
from evals.desk import Stand
from evals.outcomes import Outcome, failed, outcome_of
from evals.waiting import one_turn
from graphs.resuming import answered_in_words
from nodes.context import Context
from nodes.state import Input, State

STEPS = 60
TURN_TIMEOUT_S = 60.0
BETWEEN = timedelta(minutes=1)


@dataclass(frozen=True, kw_only=True)
class Played:
    """A case and what each of its turns came to."""

    case: Case
    outcomes: tuple[Outcome, ...]


Play = Callable[[Case], Awaitable[Played]]


async def play_all(
    cases: Sequence[Case], play_one: Play, *, at_once: int = 1, done: Callable[[Played], None] | None = None
) -> tuple[Played, ...]:
    """In the order of `cases`. `at_once`: worth more than 1 only where a model is waited for. `done` hears of each."""
    slots = asyncio.Semaphore(at_once)

    async def one(case: Case) -> Played:
        async with slots:
            played = await play_one(case)
        if done is not None:
            done(played)
        return played

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(case)) for case in cases]
    return tuple(task.result() for task in tasks)


async def play(case: Case, desk: Stand) -> Played:
    """One conversation in a thread of its own. A turn that fails is an outcome, and the conversation goes on."""
    clock, thread, waiting = datetime.fromisoformat(case.clock), f"{desk.name}/{case.id}", None
    outcomes: list[Outcome] = []
    for number, turn in enumerate(case.turns):
        now = clock + number * BETWEEN
        given = _given(turn.say, f"{case.id}-{number}", waiting, desk, now)
        started = time.perf_counter()
        with one_turn() as waited:
            try:
                async with asyncio.timeout(TURN_TIMEOUT_S):
                    state, waiting = await _turn(given, thread, waiting, desk, now)
            except Exception as error:  # noqa: BLE001  whatever the desk raises is what is to be measured
                outcomes.append(failed(error, _ms_since(started) + waited.ms))
            else:
                took_ms = _ms_since(started) + waited.ms
                outcomes.append(outcome_of(state, waiting, desk.services.catalogue, took_ms))
    await desk.forget(thread)
    return Played(case=case, outcomes=tuple(outcomes))


def _given(say: str, key: str, waiting: Interrupt | None, desk: Stand, now: datetime) -> Input | Command[Any]:
    """A plain yes or no answers the question for a yes that is open; anything else passes it over."""
    word = desk.words.read(say) if waiting is not None else None
    if word is not None and waiting is not None:
        return answered_in_words(word, waiting, now)
    return Input(messages=[HumanMessage(say, id=key)])


async def _turn(
    given: Input | Command[Any], thread: str, waiting: Interrupt | None, desk: Stand, now: datetime
) -> tuple[State, Interrupt | None]:
    passed_over = waiting.value["action_requests"] if waiting is not None and not isinstance(given, Command) else ()
    context = Context(
        principal=desk.principal,
        model=desk.model,
        clock=now,
        dropped=tuple(str(action.get("description") or action["name"]) for action in passed_over),
    )
    config: RunnableConfig = {"configurable": {"thread_id": thread}, "recursion_limit": STEPS}
    out = await desk.graph.ainvoke(given, config, context=context, durability="exit", version="v2")
    return out.value, next(iter(out.interrupts), None)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
