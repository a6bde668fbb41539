"""Reads YAML strictly: no key twice, no key unknown, `no` and `on` are words, and each problem names file and key."""

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from errors import ConfigurationError

R = TypeVar("R", bound=BaseModel)
_SHOWN = 60


@dataclass(frozen=True, kw_only=True)
class Read(Generic[R]):
    """`record`: None where the file makes none; then `problems` say why."""

    record: R | None
    problems: tuple[str, ...] = ()


def read_record(path: Path, model: type[R], shown: str) -> Read[R]:
    """`shown`: how messages name the file. Never raises for what an operator wrote."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return Read(record=None, problems=(f"{shown}: the file is missing",))
    except (OSError, UnicodeDecodeError) as error:
        return Read(record=None, problems=(f"{shown}: cannot be read as UTF-8 text: {error}",))
    return parse_record(text, model, shown)


def load_record(path: Path, model: type[R], shown: str) -> R:
    """As `read_record`. Raises ConfigurationError that names the file and every key that is wrong."""
    read = read_record(path, model, shown)
    if read.record is None:
        raise ConfigurationError("\n".join(read.problems))
    return read.record


def parse_record(text: str, model: type[R], shown: str) -> Read[R]:
    data, problems = parse(text)
    if not problems:
        try:
            return Read(record=model.model_validate(data))
        except ValidationError as error:
            problems = [_describe(model, dict(e)) for e in error.errors()]
    return Read(record=None, problems=tuple(f"{shown}: {problem}" for problem in problems))


def parse(text: str) -> tuple[Any, list[str]]:
    """The data of a YAML text, and what is wrong with the text itself."""
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None, ["the file is empty"]
            problems = list(_mistakes(node, (), set()))
            return (None, problems) if problems else (loader.construct_document(node), [])
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        return None, [f"{at}{error.problem or error.context or 'is no YAML'}"]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return None, [f"is no YAML: {' '.join(str(error).split())}"]


def did_you_mean(name: object, known: Iterator[str] | list[str]) -> str:
    """ "; did you mean 'x'?", or nothing where no known name is near."""
    near = get_close_matches(str(name), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


_SCALARS = {
    "null": (r"~|null|", "~n"),
    "bool": (r"true|false", "tf"),
    "int": (r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    "float": (r"[-+]?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?", "-+0123456789"),
}


_Fastest: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # without libyaml there is only the slow one


class _Loader(_Fastest):  # type: ignore[misc]  # one of two classes of the same methods
    """The core schema of YAML 1.2: dates, `yes`, `no`, `on` and `off` are text."""

    yaml_implicit_resolvers = {  # noqa: RUF012  as PyYAML declares it
        first: [
            (f"tag:yaml.org,2002:{tag}", re.compile(rf"(?:{pattern})$"))
            for tag, (pattern, firsts) in _SCALARS.items()
            if first in firsts
        ]
        for first in ("", *"~ntf-+0123456789")
    }


def _mistakes(node: yaml.Node, path: tuple[str, ...], seen: set[int]) -> Iterator[str]:
    """Keys that stand twice or are no text, and aliases, which nobody needs here and which can grow without end."""
    line = node.start_mark.line + 1
    if id(node) in seen:
        yield f"{'.'.join(path)}: aliases are not read here; write it out (line {line})"
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _mistakes(item, (*path, str(index)), seen)
    elif isinstance(node, yaml.MappingNode):
        yield from _keys(node, path, seen)


def _keys(node: yaml.MappingNode, path: tuple[str, ...], seen: set[int]) -> Iterator[str]:
    lines: dict[Hashable, int] = {}
    for key, value in node.value:
        line, here = key.start_mark.line + 1, (*path, str(key.value))
        if key.tag != "tag:yaml.org,2002:str":
            yield f"{'.'.join(here)}: a key must be text; put it into quotes (line {line})"
        elif key.value in lines:
            yield f"{'.'.join(here)}: this key stands twice, in line {lines[key.value]} and in line {line}"
        else:
            lines[key.value] = line
            yield from _mistakes(value, here, seen)


def _describe(model: type[BaseModel], error: dict[str, Any]) -> str:
    steps = tuple(error["loc"])
    where = ".".join(str(step) for step in steps)
    if error["type"] == "extra_forbidden":
        parent = ".".join(str(step) for step in steps[:-1])
        name = f"{parent}: " if parent else ""
        return f"{name}unknown key {steps[-1]!r}{did_you_mean(steps[-1], _known_keys(model, steps[:-1]))}"
    if error["type"] == "missing":
        return f"{where}: is missing"
    said = str(error["msg"]).removeprefix("Value error, ")
    said = said[:1].lower() + said[1:]
    given = "" if error["type"] == "value_error" else f", not {_short(error['input'])}"
    return f"{where}: {said}{given}" if where else f"{said}{given}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _known_keys(model: type[BaseModel], steps: tuple[Any, ...]) -> list[str]:
    """The keys that the record at a place of the data may have."""
    annotation: Any = model
    for step in steps:
        annotation = _inside(annotation, step)
    found = _record_of(annotation)
    return [info.alias or name for name, info in found.model_fields.items()] if found else []


def _inside(annotation: Any, step: Any) -> Any:
    record = _record_of(annotation)
    if record is not None:
        by_key = {info.alias or name: info.annotation for name, info in record.model_fields.items()}
        return by_key.get(step) or getattr(record.model_fields.get(step), "annotation", None)
    inner = next((a for a in _options(annotation) if get_origin(a) in (dict, tuple, list)), None)
    arguments = [a for a in get_args(inner) if a is not Ellipsis]
    return arguments[-1] if arguments else None


def _record_of(annotation: Any) -> type[BaseModel] | None:
    found = (a for a in _options(annotation) if isinstance(a, type) and issubclass(a, BaseModel))
    return next(found, None)


def _options(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
