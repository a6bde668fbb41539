"""The adapters over the demo business: called as the executor calls them, from arguments as they may be written."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from auth.principal import Principal
from checkpoints.database import Pool
from config.catalogue import CardDesign
from demo.seeding import seed
from tools.cards import misfit
from tools.coercion import coerce
from tools.providers.python import load_adapters, open_adapters
from tools.tool import Locale, Tool, ToolContext, ToolResult

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 30, 15, 20, tzinfo=SHANGHAI)
CARDS = Path(__file__).parents[3] / "config" / "cards"
GROUPS = ("business", "todo", "calendar", "contact", "question")


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Calls a tool by name; a card has to fit its design."""

    tools: dict[str, Tool]
    resources: dict[str, Any]
    cards: dict[str, CardDesign]
    context: ToolContext

    def as_(self, tenant: str, user: str = "alex") -> "Desk":
        now = NOW.astimezone(ZoneInfo("America/New_York")) if tenant == "globex" else NOW
        return replace(self, context=replace(self.context, principal=Principal(tenant=tenant, user=user), now=now))

    async def __call__(self, name: str, locale: Locale = "zh", /, **arguments: Any) -> ToolResult:
        tool = self.tools[name]
        coerced = coerce(tool, arguments, now=self.context.now, locale=locale)
        assert coerced.values is not None, (coerced.missing, coerced.problems)
        context = replace(self.context, locale=locale, resources=self.resources[name])
        given = {field: getattr(coerced.values, field) for field in tool.arguments.model_fields}
        result = await tool.call(context, **given)
        if result.outcome == "done" and tool.result is not None:
            tool.result.model_validate(result.data)
        if result.card is not None:
            assert result.card.type in tool.cards
            assert misfit(result.card.data, self.cards[result.card.type].fields) == ""
        return result


@pytest.fixture(scope="module")
async def opened(pool: Pool) -> Any:
    await seed(pool, NOW)
    files = [file for file in load_adapters([]) if any(tool.group in GROUPS for tool in file.tools)]
    async with AsyncExitStack() as stack:
        resources = await stack.enter_async_context(open_adapters(files, pool, {}))
        yield {tool.name: tool for file in files for tool in file.tools}, dict(resources)


@pytest.fixture(scope="module")
def cards() -> dict[str, CardDesign]:
    return {path.stem: CardDesign(**yaml.safe_load(path.read_text(encoding="utf-8"))) for path in CARDS.glob("*.yaml")}


@pytest.fixture
def desk(opened: Any, cards: dict[str, CardDesign]) -> Desk:
    tools, resources = opened
    context = ToolContext(principal=Principal(), locale="zh", now=NOW, deadline_s=5, idempotency_key="k")
    return Desk(tools=tools, resources=resources, cards=cards, context=context)


Value = Callable[..., Awaitable[Any]]


@pytest.fixture
def value(pool: Pool) -> Value:
    """The first column of the first row of a query."""

    async def ask(query: Any, **given: Any) -> Any:
        async with pool.connection() as connection:
            row = await (await connection.execute(query, given)).fetchone()
        return next(iter(row.values())) if row else None

    return ask
