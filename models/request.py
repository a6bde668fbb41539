"""Says a request the way one vendor understands it."""

from typing import Any

from config.models import Vendor
from models import functions_form, json_form

Json = dict[str, Any]


def for_vendor(payload: Json, vendor: Vendor) -> Json:
    """The body of a chat completion in the vendor's form; the given one stays as it is."""
    body = _bounded(payload, vendor.max_tokens)
    if not body.get("tools"):
        body = {key: value for key, value in body.items() if key not in {"tools", "tool_choice"}}
    if vendor.tools in {"json", "none"}:
        return json_form.request(body, json_mode=vendor.json_mode)
    body = _choosing(body, vendor.tool_choice)
    return functions_form.request(body) if vendor.tools == "functions" else body


def _bounded(payload: Json, name: str) -> Json:
    names = ("max_tokens", "max_completion_tokens")
    bound = next((payload[key] for key in names if payload.get(key) is not None), None)
    rest = {key: value for key, value in payload.items() if key not in names}
    return rest if bound is None else {**rest, name: bound}


def _choosing(body: Json, known: str) -> Json:
    choice = body.get("tool_choice")
    if choice is None or known == "name":
        return body
    rest = {key: value for key, value in body.items() if key != "tool_choice"}
    if known == "required":
        return {**rest, "tool_choice": "required" if isinstance(choice, dict) else choice}
    return rest
