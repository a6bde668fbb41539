"""What a replayed turn did otherwise than the recorded one, as data; pure."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal, Required, get_args

from typing_extensions import TypedDict

from models.answer import Usage
from nodes.state import UNKNOWN, add_usage

Json = dict[str, Any]
# status: how the turn ended. decided_by: who settled each level. plan: the tools of each round. tokens: calls of models
# and their tokens, which alone make no turn a changed one.
What = Literal["status", "route", "intents", "entities", "decided_by", "plan", "call", "reply", "tokens"]
UNTOLD = {"awaiting", "unknown"}  # a call of which nothing was recorded, so that a replay cannot carry it out
NOTHING_USED = Usage(model_calls=0, input_tokens=0, output_tokens=0)


class SeenCall(TypedDict):
    """One call. `arguments`: those that are set."""

    tool: str
    arguments: Json
    status: str


class Seen(TypedDict):
    """A turn, as far as replays are compared by it. `route`: its agents; `intents`: one a request, else `unknown`."""

    status: str
    route: list[str]
    intents: list[str]
    entities: list[Json]
    decided_by: list[str]
    plan: list[list[str]]
    calls: list[SeenCall]
    reply: str
    tokens: Usage


class Difference(TypedDict, total=False):
    """One thing that is otherwise. `intent`, `slot`: of an entity. `tool`: of a call, which is null on one side where
    it was made on the other side alone."""

    what: Required[What]
    recorded: Required[Any]
    replayed: Required[Any]
    intent: str
    slot: str
    tool: str


class TurnDifference(TypedDict):
    """One turn of a replay. `changed`: something other than tokens is otherwise."""

    turn: int
    turn_id: str
    question: str
    changed: bool
    differences: list[Difference]
    recorded: Seen
    replayed: Seen


class Summary(TypedDict):
    """Over several turns. `by_kind`: turns in which such a thing is otherwise. `tokens`: of all, before and now."""

    turns: int
    changed: int
    by_kind: dict[What, int]
    tokens: dict[Literal["recorded", "replayed"], Usage]


def seen(transcript: Mapping[str, Any]) -> Seen:
    """`transcript`: as a run keeps it."""
    requests, decisions = transcript["requests"], transcript["decisions"]
    return Seen(
        status=transcript["status"],
        route=list(dict.fromkeys(request["agent"] for request in requests)),
        intents=[request["intent"] for request in requests] or [UNKNOWN],
        entities=[_entities(request) for request in requests],
        decided_by=[f"{decision['level']}: {decision['source']}" for decision in decisions],
        plan=[list(decision["value"]) for decision in decisions if decision["level"] == "tools"],
        calls=[_call(call) for call in transcript["calls"]],
        reply=transcript["answer"],
        tokens=transcript.get("usage") or NOTHING_USED,
    )


def compared(turn: int, recorded: Mapping[str, Any], replayed: Mapping[str, Any], question: str) -> TurnDifference:
    """Both are transcripts of the same turn."""
    before, now = seen(recorded), seen(replayed)
    found = list(differences(before, now))
    return TurnDifference(
        turn=turn,
        turn_id=recorded["turn_id"],
        question=question,
        changed=any(difference["what"] != "tokens" for difference in found),
        differences=found,
        recorded=before,
        replayed=now,
    )


def differences(before: Seen, now: Seen) -> Iterator[Difference]:
    """In the order in which a turn goes."""
    yield from _either("status", before["status"], now["status"])
    yield from _either("route", before["route"], now["route"])
    yield from _either("intents", before["intents"], now["intents"])
    yield from _slots(before["entities"], now["entities"])
    yield from _either("decided_by", before["decided_by"], now["decided_by"])
    yield from _either("plan", before["plan"], now["plan"])
    yield from _of_calls(before["calls"], now["calls"])
    yield from _either("reply", before["reply"], now["reply"])
    yield from _either("tokens", before["tokens"], now["tokens"])


def summed(turns: Iterable[TurnDifference]) -> Summary:
    kinds: Counter[What] = Counter()
    total = Summary(turns=0, changed=0, by_kind={}, tokens={"recorded": NOTHING_USED, "replayed": NOTHING_USED})
    for turn in turns:
        total["turns"] += 1
        total["changed"] += turn["changed"]
        kinds.update({difference["what"] for difference in turn["differences"]})
        total["tokens"]["recorded"] = add_usage(total["tokens"]["recorded"], turn["recorded"]["tokens"])
        total["tokens"]["replayed"] = add_usage(total["tokens"]["replayed"], turn["replayed"]["tokens"])
    total["by_kind"] = {what: kinds[what] for what in get_args(What) if kinds[what]}
    return total


def _entities(request: Mapping[str, Any]) -> Json:
    return {"intent": request["intent"], "slots": _set(request["entities"])}


def _call(call: Mapping[str, Any]) -> SeenCall:
    return SeenCall(tool=call["tool"], arguments=_set(call["arguments"]), status=call["status"])


def _set(values: Mapping[str, Any]) -> Json:
    return {name: value for name, value in values.items() if value is not None}


def _either(what: What, before: Any, now: Any) -> Iterator[Difference]:
    if before != now:
        yield Difference(what=what, recorded=before, replayed=now)


def _slots(before: Sequence[Json], now: Sequence[Json]) -> Iterator[Difference]:
    """Of requests for the same thing; those for another one are told by the intents."""
    old_names, new_names = ([request["intent"] for request in requests] for requests in (before, now))
    matched = SequenceMatcher(a=old_names, b=new_names, autojunk=False)
    for tag, start, end, at, _ in matched.get_opcodes():
        for old, new in zip(before[start:end], now[at:], strict=False) if tag == "equal" else ():
            for slot in sorted(old["slots"].keys() | new["slots"].keys()):
                values = old["slots"].get(slot), new["slots"].get(slot)
                if values[0] != values[1]:
                    yield Difference(
                        what="entities", intent=old["intent"], slot=slot, recorded=values[0], replayed=values[1]
                    )


def _of_calls(before: Sequence[SeenCall], now: Sequence[SeenCall]) -> Iterator[Difference]:
    """Calls with the same arguments belong together, then those of the same tool, in their order."""
    old_keys, new_keys = ([_key(call) for call in calls] for calls in (before, now))
    matched = SequenceMatcher(a=old_keys, b=new_keys, autojunk=False)
    for tag, start, end, at, to in matched.get_opcodes():
        if tag == "equal":
            pairs = list(zip(before[start:end], now[at:to], strict=True))
            yield from (_of_call(old, new) for old, new in pairs if not _same_end(old["status"], new["status"]))
        else:
            yield from _replaced(before[start:end], now[at:to])


def _replaced(before: Sequence[SeenCall], now: Sequence[SeenCall]) -> Iterator[Difference]:
    left = list(now)
    for old in before:
        new = next((call for call in left if call["tool"] == old["tool"]), None)
        if new is not None:
            left.remove(new)
        yield _of_call(old, new)
    yield from (_of_call(None, new) for new in left)


def _of_call(before: SeenCall | None, now: SeenCall | None) -> Difference:
    tool = next(call["tool"] for call in (before, now) if call is not None)
    return Difference(what="call", tool=tool, recorded=before, replayed=now)


def _same_end(before: str, now: str) -> bool:
    return before == now or (before in UNTOLD and now == "not_executed")


def _key(call: SeenCall) -> str:
    return json.dumps([call["tool"], call["arguments"]], sort_keys=True, ensure_ascii=False, default=str)
