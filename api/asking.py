"""From a request's body to what the runner is asked."""

from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from api.dependencies import Opened
from api.schemas import AskBody, ResumeBody
from auth.principal import Principal
from checkpoints.threads import parse_thread_id
from errors import InvalidInput, TooLarge
from graphs.resuming import Resume
from graphs.runner import Asked
from language.normalise import normalise
from nodes.context import Context
from nodes.memory import bounds_for
from nodes.state import Memory
from tools.permission import agents_for

MAX_MESSAGE_BYTES = 64 * 1024


CURRENT = "current"


async def asked(
    body: AskBody, house: Opened, caller: Principal, key: str | None = None, *, tokens: bool = False
) -> Asked:
    """`key`: idempotency. `tokens`: somebody wants to see the answer grow. Raises InvalidInput and TooLarge."""
    if (body.message is None) == (body.resume is None):
        raise InvalidInput("give either 'message' or 'resume'")
    if body.message is not None:
        check_message(body.message)
    elif body.thread_id is None:
        raise InvalidInput("thread_id: a resume needs the thread that waits for it")
    return Asked(
        context=context(body, house, caller),
        thread_id=await thread(body.thread_id, house, caller),
        message=body.message,
        resume=None if body.resume is None else resume(body.resume),
        strategy=body.on_busy,
        idempotency_key=key,
        tokens=tokens and bool(house["models"].names),
    )


async def thread(given: str | None, house: Opened, caller: Principal) -> UUID | None:
    """`current`: the caller's newest thread, unless it rested for longer than its last agent remembers."""
    if given != CURRENT:
        return None if given is None else parse_thread_id(given)
    longest = max(agent.memory.idle_minutes for agent in house["catalogue"].agents.values())
    newest = await house["threads"].newest(caller.tenant, caller.user, idle_minutes=longest)
    if newest is None:
        return None
    memory: Memory = (newest.values or {}).get("memory") or Memory()
    bounds = bounds_for(memory, house["catalogue"])
    idle = datetime.now(UTC) - newest.updated_at
    return newest.thread_id if idle <= timedelta(minutes=bounds.idle_minutes) else None


def resume(body: ResumeBody) -> Resume:
    decisions = [decision.model_dump(exclude_none=True) for decision in body.decisions]
    return Resume(interrupt_id=body.interrupt_id, decisions=decisions)


def check_message(message: str) -> None:
    """Raises TooLarge over 64 kB, InvalidInput where nothing is written."""
    if len(message) > MAX_MESSAGE_BYTES or len(message.encode()) > MAX_MESSAGE_BYTES:
        raise TooLarge(f"message: over {MAX_MESSAGE_BYTES} bytes as UTF-8")
    # The whole need not be read to see that something is there.
    if not normalise(message[:1000]).text and not normalise(message).text:
        raise InvalidInput("message: nothing is written in it")


def context(body: AskBody, house: Opened, caller: Principal) -> Context:
    agents = {agent.name for agent in agents_for(caller, house["catalogue"].agents.values())}
    if body.agent is not None and body.agent not in agents:
        raise InvalidInput(f"agent: there is no agent {body.agent!r}; there are {', '.join(sorted(agents))}")
    if body.model is not None and body.model not in house["models"].names:
        known = ", ".join(house["models"].names) or "none"
        raise InvalidInput(f"model: there is no model {body.model!r}; there are {known}")
    zone = house["catalogue"].tenants[caller.tenant].time_zone
    return Context(
        principal=caller,
        agent=body.agent,
        model=body.model,
        locale=body.locale,
        clock=_in_zone(house["clock"], zone),
        time_zone=zone,
        extra=body.extra,
    )


def _in_zone(clock: datetime | None, zone: str) -> datetime | None:
    return None if clock is None else clock.astimezone(ZoneInfo(zone))


def headers(thread_id: str, run_id: str) -> dict[str, str]:
    """Where the run and its stream are, under the names that LangGraph's clients read."""
    where = f"/threads/{thread_id}/runs/{run_id}"
    return {"Content-Location": where, "Location": f"/stream/{run_id}", "Cache-Control": "no-store"}
