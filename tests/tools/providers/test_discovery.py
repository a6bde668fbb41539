"""The registry follows what the centre lists: at a start with it and without it, and while the desk runs."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from config.functions import FunctionRules
from errors import ConfigurationError
from tests.fakes.lists import MemoryLists
from tests.fakes.odd_centre import OddCentre, http
from tests.tools.samples import answering, search
from tools.providers.discovery import Discovery, open_functions
from tools.providers.function_centre import SOURCE, Address, open_centre
from tools.providers.functions import Offering
from tools.registry import Registry

STOCK = {"name": "stock", "description": "Count what is in stock.", "group": "shop", "effect": False}


def listing(*functions: Any) -> bytes:
    return http(json.dumps({"protocol": 1, "functions": functions}))


def named(name: str, **more: Any) -> dict[str, Any]:
    return {**STOCK, "name": name, **more}


@pytest.fixture
async def odd() -> AsyncIterator[OddCentre]:
    async with OddCentre(answer=listing(STOCK)).listening() as centre:
        yield centre


@pytest.fixture
def registry() -> Registry:
    return Registry([search])


@pytest.fixture
def lists() -> MemoryLists:
    return MemoryLists()


@pytest.fixture
async def discovery(odd: OddCentre, registry: Registry, lists: MemoryLists) -> AsyncIterator[Discovery]:
    async with open_centre(Address(url=odd.url)) as centre:
        offering = Offering(centre=centre, rules=FunctionRules(), own=dict(registry), cards={})
        yield Discovery(centre, lists, registry, offering.of, {"search"})


async def test_what_is_listed_is_there_from_the_start_and_kept(
    odd: OddCentre, registry: Registry, lists: MemoryLists, discovery: Discovery
) -> None:
    await discovery.begin(5)
    assert [(tool.name, tool.source) for tool in registry.values()] == [("search", "python"), ("stock", SOURCE)]
    assert lists.kept == {odd.url: [STOCK]}


async def test_a_centre_that_comes_up_a_little_later_is_waited_for(
    odd: OddCentre, registry: Registry, discovery: Discovery
) -> None:
    odd.answer = http("{}", status="503 Service Unavailable")
    beginning = asyncio.create_task(discovery.begin(20))
    while len(odd.seen) < 2:  # noqa: ASYNC110  it is a server's list
        await asyncio.sleep(0.01)
    odd.answer = listing(STOCK)
    await beginning
    assert "stock" in registry


@pytest.mark.parametrize("answer", [b"", http("<html>", kind="text/html"), http('{"functions": 5}')])
async def test_without_the_centre_its_last_list_does(
    odd: OddCentre, registry: Registry, lists: MemoryLists, discovery: Discovery, answer: bytes
) -> None:
    odd.answer = answer
    lists.kept = {odd.url: [named("older")], "http://elsewhere": [STOCK]}
    await discovery.begin(0.3)
    assert list(registry) == ["search", "older"]
    assert lists.written == 0


async def test_without_the_centre_and_without_a_list_the_desk_starts_without_functions(
    odd: OddCentre, registry: Registry, discovery: Discovery, caplog: pytest.LogCaptureFixture
) -> None:
    odd.answer = b""
    await discovery.begin(0.3)
    assert list(registry) == ["search"]
    assert "has never listed its functions" in caplog.text


async def test_a_function_with_an_unknown_card_or_a_taken_name_stops_the_start(
    odd: OddCentre, registry: Registry, discovery: Discovery
) -> None:
    odd.answer = listing(named("a", cards=["nowhere"]), named("search"))
    with pytest.raises(ConfigurationError, match=r"no card 'nowhere'[\s\S]*'search' has the name of a tool"):
        await discovery.begin(5)
    assert list(registry) == ["search"]


async def test_a_list_that_changed_is_put_in_place_and_one_that_did_not_costs_nothing(
    odd: OddCentre, registry: Registry, lists: MemoryLists, discovery: Discovery
) -> None:
    await discovery.begin(5)
    stock = registry["stock"]
    await discovery.refresh()
    assert registry["stock"] is stock
    assert lists.written == 1
    odd.answer = listing(named("price"), named("a/b"), named("c", cards=["nowhere"]))
    await discovery.refresh()
    assert list(registry) == ["search", "price"]
    assert len(lists.kept[odd.url]) == 3


async def test_a_running_desk_keeps_what_it_has_while_the_centre_is_silent_and_says_so_once(
    odd: OddCentre, registry: Registry, discovery: Discovery, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await discovery.begin(5)
    for odd.answer in (b"", http("{}", status="500 Oh"), http("<html>", kind="text/html")):
        await discovery.refresh()
    assert "stock" in registry
    assert caplog.text.count("could not be listed again") == 1
    odd.answer = listing(STOCK)
    await discovery.refresh()
    assert caplog.text.count("answers again") == 1


async def test_a_name_that_another_source_took_meanwhile_changes_nothing(
    odd: OddCentre, registry: Registry, discovery: Discovery, caplog: pytest.LogCaptureFixture
) -> None:
    await discovery.begin(5)
    registry.replace("other", [answering("x")])
    odd.answer = listing(STOCK, named("answer"))
    await discovery.refresh()
    await discovery.refresh()
    assert list(registry) == ["search", "stock", "answer"]
    assert registry["answer"].source == "python"
    assert caplog.text.count("the functions stay as they were") == 1


async def test_it_follows_by_itself_as_long_as_it_is_open(
    odd: OddCentre, registry: Registry, lists: MemoryLists
) -> None:
    address = Address(url=odd.url, every_s=1)
    async with open_functions(address, lists, registry, FunctionRules(), {}):
        assert "stock" in registry
        odd.answer = listing(named("price"))
        async with asyncio.timeout(20):
            while "price" not in registry:  # noqa: ASYNC110  the registry tells nobody
                await asyncio.sleep(0.02)
    asked = len(odd.seen)
    assert asked >= 2
