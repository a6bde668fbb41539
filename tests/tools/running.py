"""One call of one tool through an executor, with all that a test does not care about filled in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.tools.samples import caller
from tools.call import Call, Caller, Outcome
from tools.executor import Executor
from tools.registry import Registry
from tools.tool import Tool


@dataclass(frozen=True, kw_only=True)
class Design:
    design: Mapping[str, Any] = field(default_factory=lambda: {"title": "Orders"})
    fields: Mapping[str, Any] = field(
        default_factory=lambda: {"total": {"type": "integer"}, "orders": {"type": "array"}}
    )


def executor(*tools: Tool, resources: Mapping[str, Any] | None = None, max_parallel: int = 16) -> Executor:
    return Executor(Registry(tools), resources or {}, {"order_list": Design()}, max_parallel=max_parallel)


async def run(
    tool: Tool,
    arguments: Mapping[str, Any] | None = None,
    *,
    confirmation: Mapping[str, Any] | None = None,
    by: Caller | None = None,
    deadline_s: float = 5.0,
    name: str | None = None,
) -> Outcome:
    call = Call(id="c1", name=name or tool.name, arguments=arguments or {})
    return await executor(tool).run(call, by or caller(), confirmation=confirmation, deadline_s=deadline_s)
