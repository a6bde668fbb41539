"""What a call comes to that may not be made, in words for the planner and the caller."""

from collections.abc import Mapping
from typing import Any

from tools.call import Call, Caller, Outcome
from tools.coercion import Coerced
from tools.ledger import canonical
from tools.permission import Denied
from tools.registry import Registry
from tools.switches import Stopped
from tools.texts import attempted, text
from tools.tool import Locale, Tool

LACKING = {"permission": "lacks_permission", "role": "lacks_role", "nothing": "not_permitted"}


def not_permitted(why: Denied, caller: Caller, arguments: Mapping[str, Any]) -> Outcome:
    """It names what the caller lacks; of what there is not for this caller it tells nothing."""
    locale = caller.locale
    needs = (" / " if locale == "en" else "、").join(why.needs)
    content = text(LACKING[why.lacks], locale, needs=needs, agent=caller.agent.title.for_(locale))
    return Outcome(status="refused", reason="not_permitted", content=content, arguments=dict(arguments))


def stopped(why: Stopped, tool: Tool, caller: Caller, arguments: Mapping[str, Any]) -> Outcome:
    """An operator has stopped it, for everybody."""
    content = text(why, caller.locale, tool=tool.name)
    return Outcome(status="refused", reason=why, content=content, arguments=dict(arguments))


def not_made(call: Call, registry: Registry, locale: Locale) -> Outcome:
    """A change that is left alone, because another step of its plan has failed."""
    tool = registry.get(call.name)
    what = attempted(tool, call.arguments, locale) if tool is not None else call.name
    content = text("plan_failed", locale, what=what)
    return Outcome(status="not_executed", reason="plan_failed", content=content, arguments=dict(call.arguments))


def unconfirmed(tool: Tool, coerced: Coerced, confirmation: Mapping[str, Any], caller: Caller) -> Outcome | None:
    """None: no yes is needed, or a person gave it to this call with exactly these arguments (`asked`: those that were
    shown). What is undone was said yes to before it was done."""
    kind = confirmation.get("type")
    if not tool.confirm or caller.undoes is not None:
        return None
    if kind not in ("approve", "edit"):
        content = text("not_confirmed", caller.locale)
        return Outcome(status="rejected", reason="not_confirmed", content=content, arguments=coerced.arguments)
    shown = confirmation.get("asked")
    if _edited(confirmation) or (shown is not None and _same(tool, shown, coerced.arguments)):
        return None
    content = text("not_as_shown", caller.locale)
    return Outcome(status="refused", reason="not_as_shown", content=content, arguments=coerced.arguments)


def _edited(confirmation: Mapping[str, Any]) -> bool:
    """Whether the arguments are the person's own."""
    action = confirmation.get("edited_action")
    return confirmation.get("type") == "edit" and isinstance(action, Mapping) and "args" in action


def _same(tool: Tool, shown: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    return canonical(tool.name, shown) == canonical(tool.name, arguments)
