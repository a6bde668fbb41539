"""Cuts a clause between things that it asks for, where each has particulars of its own ("今天的订单和昨天的待办")."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from language.found import Span, overlaps
from language.normalise import Text
from nodes.reading import Rules

JOINT = re.compile(r"\s*(?:以及|[和与跟及、&+,，]|\band\b|\bplus\b)\s*", re.IGNORECASE)
FREE = ("content", "keyword")
HANDED_ON = ("people", "period", "periods")


def portions(part: Text, nouns: Sequence[Span], rules: Rules) -> list[Span]:
    """One span for each thing that stands for itself; the whole clause where there is one only.

    `nouns`: where the words stand that mean something. Particulars on one side of a joint alone belong to both sides.
    """
    cuts = _cuts(part, nouns, rules) if len(nouns) > 1 else []
    if not cuts:
        return [(0, len(part.text))]
    edges = [0, *(edge for cut in cuts for edge in cut), len(part.text)]
    pieces = list(zip(edges[::2], edges[1::2], strict=True))
    kept = [pieces[0]]
    for start, end in pieces[1:]:
        own = _kinds(rules.read(part.part(start, end)).slots)
        before = _kinds(rules.read(part.part(*kept[-1])).slots)
        if own & before:
            kept.append((start, end))
        else:
            kept[-1] = (kept[-1][0], end)
    return kept


def handed_on(part: Text, pieces: Sequence[Span], rules: Rules) -> list[dict[str, Any]]:
    """For each piece the person and the time that an earlier one names and it does not."""
    known: dict[str, Any] = {}
    given: list[dict[str, Any]] = []
    for start, end in pieces if len(pieces) > 1 else ():
        slots = rules.read(part.part(start, end)).slots
        own = _kinds(slots)
        given.append({slot: value for slot, value in known.items() if _kind(slot) not in own})
        known = {**given[-1], **{slot: slots[slot] for slot in HANDED_ON if slot in slots}}
    return given or [{}]


def handed_back(
    part: Text, pieces: Sequence[Span], given: Sequence[dict[str, Any]], rules: Rules
) -> list[dict[str, Any]]:
    """What the last piece says is to be done, for the earlier ones as well ("把订单1和订单2改成已发货")."""
    slots = [rules.read(part.part(*piece)).slots for piece in pieces]
    values = {slot: value for slot, value in slots[-1].items() if slot in rules.catalogue.lexicon.values}
    missing = [{slot: value for slot, value in values.items() if slot not in own} for own in slots]
    return [{**known, **more} for known, more in zip(given, missing, strict=True)]


def _cuts(part: Text, nouns: Sequence[Span], rules: Rules) -> list[Span]:
    """The joint between each two nouns: the first where what belongs to a noun comes before it, in English the last."""
    used = rules.read(part).spans
    found: list[Span] = []
    for (_, left), (right, _) in pairwise(nouns):
        joints = [m.span() for m in JOINT.finditer(part.text, left, right) if not overlaps(*m.span(), used)]
        if joints:
            found.append(joints[-1] if part.text[left - 1].isascii() else joints[0])
    return found


def _kinds(slots: Mapping[str, Any]) -> set[str]:
    return {_kind(slot) for slot in slots if slot not in FREE}


def _kind(slot: str) -> str:
    return "period" if slot == "periods" else slot.removeprefix("not_")
