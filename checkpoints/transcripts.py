"""A transcript as it is stored: without what stands in its run's result as well, and made whole when it is read."""

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
# A key of the transcript, and the result's for the same.
SAME = {
    "status": "status",
    "answer": "reply",
    "requests": "requests",
    "decisions": "decisions",
    "interrupt": "interrupt",
    "usage": "usage",
}
SAME_CALL = {"id": "id", "tool": "tool", "arguments": "arguments", "status": "status", "content": "summary"}
# Of a call, where the result has its card: which one that is; and whether the card's data are the call's.
CARD_AT, DATA_OF_CARD = "card_at", "data_of_card"


def shortened(transcript: Mapping[str, Any], result: Mapping[str, Any]) -> Json:
    """What `whole` makes the same transcript of."""
    kept = _other_than(transcript, _picked(SAME, result))
    calls, shown = transcript.get("calls"), result.get("tool_calls", [])
    if isinstance(calls, list) and len(calls) == len(shown):
        cards = result.get("cards", [])
        kept["calls"] = [
            _short(call, at_the_same_place, cards) for call, at_the_same_place in zip(calls, shown, strict=True)
        ]
    return kept


def whole(kept: Json, result: Mapping[str, Any] | None) -> Json:
    """`kept`: shortened, or from before anything was."""
    if result is None:
        return kept
    told = {**_picked(SAME, result), **kept}
    calls, shown = kept.get("calls"), result.get("tool_calls", [])
    if isinstance(calls, list) and len(calls) == len(shown):
        cards = result.get("cards", [])
        told["calls"] = [
            _full(call, at_the_same_place, cards) for call, at_the_same_place in zip(calls, shown, strict=True)
        ]
    return told


def _short(call: Json, shown: Mapping[str, Any], cards: list[Json]) -> Json:
    kept = _other_than(call, _picked(SAME_CALL, shown))
    card = call.get("card")
    if card and card in cards:
        del kept["card"]
        kept[CARD_AT] = cards.index(card)
        if "data" in call and call["data"] == card.get("data"):
            del kept["data"]
            kept[DATA_OF_CARD] = True
    return kept


def _full(call: Json, shown: Mapping[str, Any], cards: list[Json]) -> Json:
    told = {**_picked(SAME_CALL, shown), **call}
    at = told.pop(CARD_AT, None)
    if at is not None:
        told["card"] = cards[at]
        if told.pop(DATA_OF_CARD, False):
            told["data"] = cards[at].get("data")
    return told


def _picked(names: Mapping[str, str], source: Mapping[str, Any]) -> Json:
    return {name: source[theirs] for name, theirs in names.items() if theirs in source}


def _other_than(record: Mapping[str, Any], known: Mapping[str, Any]) -> Json:
    """What must be kept of it: all that is not the same in what is known."""
    return {name: value for name, value in record.items() if name not in known or known[name] != value}
