"""What the desk asks back where a request cannot go on, and the values that the answer can have."""

from config.catalogue import Intent
from nodes.state import Question, Turn
from nodes.texts import text
from tools.texts import called, choices_of
from tools.tool import Tool


def question_for(index: int, parameter: str, intent: Intent, tool: Tool, turn: Turn) -> Question:
    """What to ask where `parameter` of the request's tool stays empty; it names the values that there are to choose."""
    binding, locale, slot = intent.arguments.get(parameter), turn["locale"], slot_of(intent, parameter)
    ask = binding.ask if binding else None
    what = called(tool.args.get(parameter), parameter, locale)
    words = ask.for_(locale) if ask else text("missing", locale, what=what)
    without = turn["requests"][index]["entities"].get(f"not_{slot}", [])
    values = choices_of(tool, parameter, locale, without=without)
    if without and values:
        words = text("missing", locale, what=what) if tool.effect else text("no_excluding", locale)
    if sum(value in words for value in values) < min(len(values), 2):
        words += text("choose_from", locale, values=("、" if locale == "zh" else ", ").join(values))
    return Question(slot=slot, text=words, options=[], requests=[index])


def unresolved(index: int, slot: str, intent: Intent, tool: Tool, turn: Turn) -> Question:
    """What to ask about a slot that the words speak of without saying what it is (`Request.unresolved`)."""
    said = turn["requests"][index]["entities"].get("impossible")
    if slot == "period" and said:
        words = text("no_such_day", turn["locale"], said=said)
    elif slot == "person":
        words = text("who", turn["locale"])
    else:
        named = (p for p, b in intent.arguments.items() if (b.source or "").partition(".")[0] == slot)
        words = question_for(index, next(named, slot), intent, tool, turn)["text"]
    return Question(slot=slot, text=words, options=[], requests=[index])


def slot_of(intent: Intent, parameter: str) -> str:
    binding = intent.arguments.get(parameter)
    return binding.source if binding and binding.source else parameter
