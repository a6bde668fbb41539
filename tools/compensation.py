"""How a finished call is undone: by which other call, with which arguments, and whether that can ever work."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import to_jsonable_python

from config.schemas import missing_step
from config.strict_yaml import did_you_mean
from tools.call import Done
from tools.tool import ARGUMENTS, RESULT, Compensation, Tool


def undoing(done: Done, tool: Tool) -> dict[str, Any] | None:
    """The arguments of the call that undoes `done`, which `tool` made. None: it cannot be undone."""
    if tool.compensate is None:
        return None
    optional = {name: info for name, info in tool.arguments.model_fields.items() if not info.is_required()}
    defaults = {name: to_jsonable_python(info.get_default()) for name, info in optional.items()}
    known = {ARGUMENTS: {**defaults, **done.arguments}, RESULT: done.data}
    found = {name: _at(known, source) for name, source in tool.compensate.arguments.items()}
    return {name: value for name, (there, value) in found.items()} if all(one[0] for one in found.values()) else None


def undoes(name: str, done: Done, tools: Mapping[str, Tool]) -> bool:
    """Whether the tool of this name is the one that undoes `done`."""
    made_by = tools.get(done.tool)
    return made_by is not None and made_by.compensate is not None and made_by.compensate.tool == name


def problems(tools: Mapping[str, Tool]) -> Iterator[str]:
    """What is wrong with the ways of undoing among these tools, each naming the tool."""
    for tool in tools.values():
        if tool.compensate is not None:
            yield from (f"tool {tool.name!r}: compensate: {one}" for one in _of(tool, tool.compensate, tools))


def _of(tool: Tool, compensate: Compensation, tools: Mapping[str, Tool]) -> Iterator[str]:
    name, given = compensate.tool, compensate.arguments
    other = tools.get(name)
    # Tools of one source come and go together, so that none is left with nothing to undo it.
    if other is None or other.source != tool.source:
        near = did_you_mean(name, [one.name for one in tools.values() if one.source == tool.source])
        yield f"there is no tool {name!r} beside it{near}"
        return
    if not other.effect:
        yield f"{name!r} has no effect, so that it undoes nothing"
    if other.background:
        yield f"{name!r} works in the background, so that nobody would know whether it is undone"
    takes = other.arguments.model_fields
    for parameter, source in given.items():
        if parameter not in takes:
            yield f"{name!r} has no parameter {parameter!r}{did_you_mean(parameter, list(takes))}"
        if problem := _wrong(source, tool):
            yield f"{parameter}: {problem}"
    missing = [one for one, info in takes.items() if info.is_required() and one not in given]
    yield from (f"{name!r} requires {one!r}, which nothing fills" for one in missing)


def _wrong(source: str, tool: Tool) -> str | None:
    root, _, path = source.partition(".")
    if root not in (ARGUMENTS, RESULT) or not path:
        return f"{source!r} must be '{ARGUMENTS}.<name>' or '{RESULT}.<path>'"
    if root == RESULT:
        problem = missing_step(tool.result, path) if tool.result is not None else None
        return f"{source!r} leads nowhere: {problem}" if problem else None
    known = tool.arguments.model_fields
    return None if path in known else f"{source!r}: there is no such argument{did_you_mean(path, list(known))}"


def _at(data: Any, path: str) -> tuple[bool, Any]:
    """Whether there is anything at a dotted path, where numbers index lists, and what."""
    for step in path.split("."):
        if isinstance(data, Mapping) and step in data:
            data = data[step]
        elif isinstance(data, Sequence) and not isinstance(data, str) and step.isdigit() and int(step) < len(data):
            data = data[int(step)]
        else:
            return False, None
    return True, data
