"""From a tool function's signature to its arguments model; what is not described well enough stops start-up."""

import inspect
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import PydanticSerializationError, to_jsonable_python

from errors import ConfigurationError


@dataclass(frozen=True, kw_only=True)
class Arg:
    """Describes one parameter, in `Annotated[type, Arg(...)]`; without description and example start-up dies.

    `aliases`: other names that a model may use for it; its own name in another case needs none. `clamp`: bounds of a
    number, both included: above, it is drawn to the upper one; below, it is refused (a count of -1 means nothing).
    `words`: spoken names of values (`{"已发货": "shipped"}`); the first one of a value is how it is shown. `zh`: what
    the parameter is called in Chinese sentences; without it they show its own name.
    """

    description: str
    example: Any
    aliases: tuple[str, ...] = ()
    clamp: tuple[int, int] | None = None
    words: Mapping[str, Any] = field(default_factory=dict)
    zh: str = ""


@dataclass(frozen=True, kw_only=True)
class Signature:
    """What a function's parameters say: the model of its arguments and their descriptions, in order."""

    model: type[BaseModel]
    args: Mapping[str, Arg]


def signature(function: Callable[..., Any], context: type) -> Signature:
    """Reads `async def name(ctx: context, p: Annotated[T, Arg(...)], ...)`.

    Raises ConfigurationError naming module, tool and parameter.
    """
    parameters = list(inspect.signature(function).parameters.values())
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        raise wrong(function, f"its annotations cannot be read: {error}") from error
    if not parameters or hints.get(parameters[0].name) is not context:
        raise wrong(function, f"the first parameter must be annotated {context.__name__}")
    args: dict[str, Arg] = {}
    fields: dict[str, Any] = {}
    for parameter in parameters[1:]:
        arg = _arg(function, parameter, hints.get(parameter.name))
        args[parameter.name] = arg
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        described = Field(default=default, description=arg.description)
        fields[parameter.name] = (hints[parameter.name], described)
    config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    try:
        model: type[BaseModel] = create_model(
            f"{function.__name__}_arguments", __config__=config, __module__=function.__module__, **fields
        )
    except (TypeError, ValueError) as error:
        raise wrong(function, f"its parameters make no schema: {error}") from error
    _check(function, model, args)
    return Signature(model=model, args=args)


def wrong(function: Callable[..., Any], what: str, parameter: str | None = None) -> ConfigurationError:
    where = f", parameter {parameter!r}" if parameter else ""
    return ConfigurationError(f"{file_of(function)}: tool {function.__name__!r}{where}: {what}")


def file_of(function: Callable[..., Any]) -> str:
    """Where it is written; the module's name of a file that was loaded by its path would tell an operator nothing."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return str(code.co_filename) if code is not None else str(getattr(function, "__module__", function))


def folded(name: str) -> str:
    """A name without its writing style: `orderNo`, `ORDER-NO` and `order_no` are one."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name)).casefold()


def spellings(names: Mapping[str, Arg | None]) -> dict[str, str]:
    """Folded names and aliases -> the parameter's name; a parameter's own name beats another one's alias."""
    aliases = {folded(alias): name for name, arg in names.items() if arg for alias in arg.aliases}
    return aliases | {folded(name): name for name in names}


def _arg(function: Callable[..., Any], parameter: inspect.Parameter, hint: Any) -> Arg:
    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
        raise wrong(function, "must be a plain named parameter", name)
    if hasattr(BaseModel, name) or name.startswith(("_", "model_")):
        raise wrong(function, "this name is taken by pydantic; choose another and give the old one as alias", name)
    found = [a for a in get_args(hint)[1:] if isinstance(a, Arg)] if get_origin(hint) is Annotated else []
    if len(found) != 1:
        raise wrong(function, "must be annotated Annotated[type, Arg(...)]", name)
    arg = found[0]
    if not arg.description.strip():
        raise wrong(function, "has no description", name)
    if arg.example is None or arg.example == "":
        raise wrong(function, "has no example", name)
    if arg.clamp is not None and arg.clamp[0] > arg.clamp[1]:
        raise wrong(function, f"clamp {arg.clamp!r} is upside down", name)
    return arg


def _check(function: Callable[..., Any], model: type[BaseModel], args: Mapping[str, Arg]) -> None:
    names: dict[str, str] = {}
    for name, arg in args.items():
        for spelling in (name, *arg.aliases):
            if names.setdefault(folded(spelling), name) != name:
                raise wrong(function, f"{spelling!r} also means {names[folded(spelling)]!r}", name)
        _fits(function, model, name, arg.example, "example")
        for word, value in arg.words.items():
            listed = isinstance(arg.example, list | tuple)
            _fits(function, model, name, [value] if listed else value, f"word {word!r}")
        if arg.clamp and not (isinstance(arg.example, int | float) and arg.clamp[0] <= arg.example <= arg.clamp[1]):
            raise wrong(function, f"example {arg.example!r} lies outside of clamp {arg.clamp!r}", name)
        info = model.model_fields[name]
        if not info.is_required():
            _fits(function, model, name, info.default, "default")


def _fits(function: Callable[..., Any], model: type[BaseModel], name: str, value: Any, what: str) -> None:
    """One value for one field; the errors of the other fields, which are absent here, do not count."""
    try:
        model.model_validate_json(json.dumps({name: to_jsonable_python(value)}, allow_nan=False), strict=True)
    except ValidationError as error:
        own = [e["msg"] for e in error.errors() if e["loc"][:1] == (name,)]
        if own:
            raise wrong(function, f"{what} {value!r} does not fit: {own[0]}", name) from error
    except (ValueError, PydanticSerializationError) as error:
        raise wrong(function, f"{what} {value!r} is no JSON value", name) from error
