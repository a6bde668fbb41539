"""From turns that were asked in earnest to cases: masked, to be labelled by a person, and merged into ours."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from checkpoints.finished import Finished
from errors import ConfigurationError
from evals.cases import Case
from nodes.state import UNKNOWN
from telemetry.masking import mask_text

Json = dict[str, Any]
# Keys of a line that help whoever labels it, and are no part of a case.
LABELLED, WHY = "labelled", "why"
KIND = "production"
# Made up: whoever is named in a sentence becomes one of these, in the same script.
STAND_INS = {
    "zh": ("安小宁", "林晓舟", "苏一帆", "叶知秋"),
    "en": ("Robin Vale", "Casey Moor", "Jamie Stone", "Drew Field"),
}
NAMED = ("person", "customer", "name", "initiator", "keyword_person")
PHONE = re.compile(r"(?<!\d)1[3-9]\d{9}(?!\d)")
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# Longer than any order number: of an identity card or a bank card.
CARD_NUMBER = re.compile(r"(?<!\d)\d{15,19}[\dXx]?(?!\d)")
SOMEBODY, NOWHERE = "13800000000", "someone@example.com"


def line_of(turns: Sequence[Finished]) -> Json:
    """`turns`: one conversation, the turn that is wanted last. What the desk made of it stands where the right answer
    belongs, for a person to correct."""
    last, masked = turns[-1], Mask(turns)
    said: list[Json] = masked.over([{"say": turn.message, "expect": _made(turn)} for turn in turns])
    return {
        LABELLED: False,
        WHY: masked.over(why(last)),
        "id": f"p-{last.run_id.hex[-12:]}",
        "locale": last.transcript.get("locale") or "zh",
        "kind": KIND,
        "turns": said,
        "clock": _clock(last),
        "source": f"run {last.run_id}",
    }


def why(turn: Finished) -> list[str]:
    """What is worth looking at in it."""
    decisions = turn.result.get("decisions", [])
    least = min((float(d["confidence"]) for d in decisions), default=1.0)
    told = [f"lowest confidence {least:g}"]
    told += [f"decided by {source}" for source in dict.fromkeys(d["source"] for d in decisions)]
    told += [f"degraded: {reason}" for reason in turn.transcript.get("degraded", [])]
    if turn.verdict:
        told.append(f"thumbs {turn.verdict}" + (f": {turn.comment}" if turn.comment else ""))
    return told


class Mask:
    """Takes personal details out of one conversation, everywhere the same way, so that it still makes sense."""

    def __init__(self, turns: Iterable[Finished]) -> None:
        named = dict.fromkeys(name for turn in turns for name in _people(turn) if len(name) > 1)
        self._stand_ins: dict[str, str] = {}
        for name in sorted(named, key=len, reverse=True):
            others = STAND_INS["en" if name.isascii() else "zh"]
            self._stand_ins[name] = others[len(self._stand_ins) % len(others)]

    def over(self, value: Any) -> Any:
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {key: self.over(item) for key, item in value.items()}
            case list() | tuple():
                return [self.over(item) for item in value]
            case _:
                return value

    def text(self, text: str) -> str:
        """Numbers become made-up ones of the same kind: a masked one would be read as something else."""
        for name, other in self._stand_ins.items():
            text = text.replace(name, other)
        text = CARD_NUMBER.sub(lambda match: "1" * len(match[0]), EMAIL.sub(NOWHERE, text))
        parts = PHONE.split(text)
        return SOMEBODY.join(mask_text(part) for part in parts)


def _people(turn: Finished) -> Iterable[str]:
    found = [request["entities"] for request in turn.result.get("requests", [])]
    found += [call["arguments"] for call in turn.result.get("tool_calls", [])]
    for some in found:
        yield from (value for name in NAMED if isinstance(value := some.get(name), str))


def _made(turn: Finished) -> Json:
    """What the desk made of it, in the words of a case."""
    result = turn.result
    question = (result.get("question") or {}).get("slot")
    made: Json = {
        "agent": result.get("agent") or UNKNOWN,
        "intents": result.get("intents") or [UNKNOWN],
        "entities": {name: _plain(v) for name, v in (result.get("entities") or {}).items() if v not in (None, [], "")},
        "calls": [
            {"tool": call["tool"], "arguments": {k: v for k, v in call["arguments"].items() if v is not None}}
            for call in result.get("tool_calls", [])
        ],
    }
    return {**made, "question": question} if question else made


def _plain(value: Any) -> Any:
    """A range is its days: its name is the desk's own."""
    if isinstance(value, Mapping) and "start" in value:
        return {"start": value["start"], "end": value["end"]}
    return value


def _clock(turn: Finished) -> str:
    zone = ZoneInfo(turn.context.get("time_zone") or "Asia/Shanghai")
    return turn.created_at.astimezone(zone).isoformat(timespec="seconds")


@dataclass(frozen=True, kw_only=True)
class Merged:
    """`cases`: all there are now. `added`, `twice`, `unlabelled`: what became of the lines."""

    cases: tuple[Case, ...]
    added: int
    twice: int
    unlabelled: int


def merge(existing: Sequence[Case], others: Sequence[Case], path: Path) -> Merged:
    """The labelled lines of `path` that say something new. `others`: cases that must not come in a second time either.

    Raises ConfigurationError that names the line and key of everything that is wrong.
    """
    known = {case.words for case in (*existing, *others)}
    taken = {case.id for case in (*existing, *others)}
    added: list[Case] = []
    twice = unlabelled = 0
    for case in _labelled(path):
        if case is None:
            unlabelled += 1
        elif case.words in known:
            twice += 1
        else:
            known.add(case.words)
            fresh = case if case.id not in taken else case.model_copy(update={"id": _free(case.id, taken)})
            taken.add(fresh.id)
            added.append(fresh)
    return Merged(cases=(*existing, *added), added=len(added), twice=twice, unlabelled=unlabelled)


def _labelled(path: Path) -> Iterable[Case | None]:
    """None for a line that nobody has labelled yet."""
    problems: list[str] = []
    cases: list[Case | None] = []
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            plain = json.loads(line)
            done = isinstance(plain, dict) and plain.pop(LABELLED, False) is True
            cases.append(_case(plain) if done else None)
        except ValidationError as error:
            problems += [f"{path.name}:{number}: {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        except ValueError as error:
            problems.append(f"{path.name}:{number}: {error}")
    if problems:
        raise ConfigurationError("\n".join(problems))
    return cases


def _case(plain: Json) -> Case:
    return Case.model_validate({name: value for name, value in plain.items() if name != WHY})


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read as UTF-8 text: {error}") from error


def _free(name: str, taken: Iterable[str]) -> str:
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"
