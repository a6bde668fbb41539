"""The decorator: what it makes of a function, and which definitions stop start-up."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from auth.principal import Principal
from errors import ConfigurationError
from tests.tools.samples import NOW, search, set_status
from tools.tool import Arg, Tool, ToolContext, ToolResult, tool

TEXT = Arg(description="a text", example="x")
made = partial(tool, group="shop", permission="order:read")


def context() -> ToolContext:
    return ToolContext(principal=Principal(), locale="en", now=NOW, deadline_s=1, idempotency_key="k")


async def test_a_tool_is_what_its_function_says() -> None:
    assert (search.name, search.group, search.permission) == ("search", "shop", "order:read")
    assert search.description == "Search the orders of the shop."
    assert list(search.args)[:2] == ["order_no", "limit"]
    assert issubclass(search.arguments, BaseModel)
    result = await search.call(context(), limit=3)
    assert result.content == "limit 3"


def test_a_tool_that_is_to_be_confirmed_has_an_effect() -> None:
    assert set_status.confirm
    assert set_status.effect
    assert not search.effect


def test_a_tool_without_parameters_stands() -> None:
    @made()
    async def ping(ctx: ToolContext) -> ToolResult:
        """Say pong."""
        return ToolResult(content="pong")

    assert ping.args == {}


def test_annotations_may_be_text() -> None:
    @made()
    async def texts(ctx: "ToolContext", p: "Annotated[int, TEXT2]" = 1) -> "ToolResult":
        """Do it."""
        return ToolResult(content="")

    assert texts.args == {"p": TEXT2}


TEXT2 = Arg(description="a number", example=1)


class Colour(StrEnum):
    RED = "red"


def no_docstring() -> Tool:
    @made()
    async def broken(ctx: ToolContext) -> ToolResult:
        return ToolResult(content="")

    return broken


def not_async() -> Tool:
    @made()  # type: ignore[arg-type]  # the mistake under test
    def broken(ctx: ToolContext) -> ToolResult:
        """Do it."""
        return ToolResult(content="")

    return broken


def no_context() -> Tool:
    @made()
    async def broken(p: Annotated[str, TEXT]) -> ToolResult:
        """Do it."""
        return ToolResult(content="")

    return broken


def nothing_at_all() -> Tool:
    @made()
    async def broken() -> ToolResult:
        """Do it."""
        return ToolResult(content="")

    return broken


def no_arg() -> Tool:
    @made()
    async def broken(ctx: ToolContext, p: str) -> ToolResult:
        """Do it."""
        return ToolResult(content="")

    return broken


def unknown_annotation() -> Tool:
    @made()
    async def broken(ctx: ToolContext, p: "Annotated[Nowhere, TEXT]") -> ToolResult:  # type: ignore[name-defined] # noqa: F821
        """Do it."""
        return ToolResult(content="")

    return broken


def any_keywords() -> Tool:
    @made()
    async def broken(ctx: ToolContext, **p: Annotated[str, TEXT]) -> ToolResult:
        """Do it."""
        return ToolResult(content="")

    return broken


def reserved_name() -> Tool:
    @made()
    async def broken(ctx: ToolContext, copy: Annotated[str, TEXT]) -> ToolResult:
        """Do it."""
        return ToolResult(content="")

    return broken


def two_meanings() -> Tool:
    @made()
    async def broken(
        ctx: ToolContext,
        order_no: Annotated[str, TEXT],
        p: Annotated[str, Arg(description="d", example="x", aliases=("orderNo",))],
    ) -> ToolResult:
        """Do it."""
        return ToolResult(content="")

    return broken


def with_parameter(kind: Any, arg: Arg, *default: Any) -> Tool:
    async def broken(ctx: ToolContext, p: Any) -> ToolResult:
        """Do it."""
        return ToolResult(content="")

    broken.__annotations__["p"] = Annotated[kind, arg]
    if default:
        broken.__defaults__ = default
    return made()(broken)


def with_metadata(**metadata: Any) -> Tool:
    async def broken(ctx: ToolContext, p: Annotated[str, TEXT]) -> ToolResult:
        """Do it."""
        return ToolResult(content="")

    return made(**metadata)(broken)


@pytest.mark.parametrize(
    ("define", "says"),
    [
        (no_docstring, "docstring"),
        (not_async, "async"),
        (no_context, "ToolContext"),
        (nothing_at_all, "ToolContext"),
        (unknown_annotation, "Nowhere"),
        (partial(with_metadata, retries=1, effect=True), "idempotent"),
        (partial(with_metadata, retries=1, confirm=True), "idempotent"),
        (partial(with_metadata, retries=-1), "retries"),
        (partial(with_metadata, timeout_s=0), "timeout_s"),
        (partial(with_metadata, timeout_s=float("nan")), "timeout_s"),
        (partial(with_metadata, max_bytes=0), "max_bytes"),
        (partial(with_metadata, group=" "), "group"),
        (partial(with_metadata, permission=""), "permission"),
        (partial(with_metadata, confirm=True, confirm_text={"zh": "{q}"}), "'q'"),
        (partial(with_metadata, confirm=True, confirm_text={"zh": "{p.x}"}), "'p.x'"),
        (partial(with_metadata, confirm=True, confirm_text={"zh": "{}"}), "unknown argument"),
        (partial(with_metadata, confirm=True, confirm_text={"zh": "{p"}), "format string"),
        (partial(with_metadata, confirm=True, confirm_text={"fr": "p"}), "'fr'"),
        (partial(with_metadata, confirm_text={"zh": "p"}), "without confirm"),
        (partial(with_metadata, business_key="{p}"), "business_key on a tool without an effect"),
        (partial(with_metadata, effect=True, business_key="{q}"), "business_key names an unknown argument 'q'"),
        (partial(with_metadata, effect=True, business_key="{p"), "business_key '{p' is no format string"),
        (partial(with_metadata, effect=True, business_key="all"), "never again"),
    ],
)
def test_a_wrong_definition_names_file_and_tool(define: Callable[[], Tool], says: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        define()
    message = str(raised.value)
    assert message.startswith(f"{__file__}: ")
    assert "'broken'" in message
    assert says in message


@pytest.mark.parametrize(
    ("define", "says"),
    [
        (no_arg, "Arg("),
        (any_keywords, "plain"),
        (two_meanings, "order_no"),
        (partial(with_parameter, str, Arg(description=" ", example="x")), "description"),
        (partial(with_parameter, str, Arg(description="d", example=None)), "example"),
        (partial(with_parameter, str, Arg(description="d", example="")), "example"),
        (partial(with_parameter, int, Arg(description="d", example="many")), "does not fit"),
        (partial(with_parameter, int, Arg(description="d", example=True)), "does not fit"),
        (partial(with_parameter, int, Arg(description="d", example=500, clamp=(1, 100))), "clamp"),
        (partial(with_parameter, int, Arg(description="d", example=5, clamp=(100, 1))), "clamp"),
        (partial(with_parameter, str, Arg(description="d", example="x", clamp=(1, 2))), "clamp"),
        (partial(with_parameter, float, Arg(description="d", example=float("nan"))), "JSON"),
        (partial(with_parameter, Colour, Arg(description="d", example="blue")), "does not fit"),
        (partial(with_parameter, Colour, Arg(description="d", example="red", words={"蓝": "blue"})), "word '蓝'"),
        (partial(with_parameter, int, Arg(description="d", example=1), "many"), "default"),
        (partial(with_parameter, int, Arg(description="d", example=1), None), "default"),
    ],
)
def test_a_wrong_parameter_is_named(define: Callable[[], Tool], says: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        define()
    message = str(raised.value)
    assert f"{__file__}: tool 'broken', parameter 'p': " in message
    assert says in message


def test_a_name_that_pydantic_takes_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="parameter 'copy'"):
        reserved_name()


def test_words_may_name_the_members_of_a_list() -> None:
    arg = Arg(description="d", example=["red"], words={"红": "red"})
    assert with_parameter(list[Colour], arg).args["p"] is arg
