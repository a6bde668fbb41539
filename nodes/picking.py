"""Which of the intents that we offered a message picks ("第二个", "the first one", or its name)."""

from collections.abc import Sequence

from language.choices import parse_choice
from nodes.extract import entities_of
from nodes.reading import Reading, Rules, particulars
from nodes.routing import Routed, decisions
from nodes.state import Pending, Request


def picked(reading: Reading, pending: Pending, keywords: Routed, rules: Rules) -> Routed | None:
    """The request that is meant, with what the message says beside it; None where it picks none of them.

    What may not be used any more was taken away meanwhile, and is not picked either.
    """
    waiting, options = pending["requests"], pending["options"]
    index = parse_choice(reading.text.text, len(waiting))
    if index is None:
        index = _named(reading.text.text, options)
    if index is None:
        index = _meant(waiting, keywords.requests)
    if index is None or not rules.may_use(waiting[index]["intent"]):
        return None
    request = waiting[index]
    again = _meant([request], keywords.requests) is not None
    said = particulars(reading.text, [[0, len(reading.text.text)]], rules) if again else {}
    entities = {**request["entities"], **entities_of(request, said, rules)}
    chosen = Request(agent=request["agent"], intent=request["intent"], entities=entities, spans=[])
    return Routed(requests=(chosen,), decisions=tuple(decisions((chosen,), ["picked"], "pending")))


def _named(text: str, options: Sequence[str]) -> int | None:
    """The longest option that the message holds, in its own words."""
    held = [(len(option), index) for index, option in enumerate(options) if option.lower() in text.lower()]
    return max(held)[1] if held else None


def _meant(waiting: Sequence[Request], said: Sequence[Request]) -> int | None:
    """The one of those that wait which the message's own words mean."""
    intents = {request["intent"] for request in said}
    found = [index for index, request in enumerate(waiting) if request["intent"] in intents]
    return found[0] if len(found) == 1 and len(intents) == 1 else None
