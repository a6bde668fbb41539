"""`frontdesk check`: the whole configuration, without starting anything."""

import argparse
import asyncio
import sys
from collections.abc import Callable
from typing import TypeVar

from commands.settings import read_settings
from config.catalogue import Catalogue
from config.check import check, warnings
from config.functions import FunctionRules, load_function_rules
from config.loading import read_catalogue
from config.mcp import check_mcp, load_mcp
from config.models import ModelsConfig, load_models
from config.settings import Settings
from config.strict_yaml import did_you_mean
from errors import ConfigurationError
from models.endpoints import endpoints
from opening.written import identity_problems
from tools.cards import undesigned
from tools.faults import Fault
from tools.providers.function_centre import SOURCE, Address, open_centre
from tools.providers.functions import Offer, Offering
from tools.providers.python import load_adapters
from tools.registry import Registry

T = TypeVar("T")


def run(_: argparse.Namespace) -> int:
    """Every problem on a line of its own, on standard error; warnings do not count as problems."""
    settings = read_settings()
    problems: list[str] = []
    tools = _tried(lambda: _tools(settings), problems)
    models = _tried(lambda: _models(settings), problems)
    loaded = read_catalogue(settings.config_dir, settings.agent_dirs)
    problems += loaded.problems
    catalogue = loaded.catalogue
    if catalogue is not None:
        complete = tools is None or _with_functions(settings, tools, catalogue, problems)
        later = _from_servers(settings, tools, catalogue, problems)
        problems += check(catalogue, tools if complete else None, models.models if models else None, elsewhere=later)
        problems += identity_problems(catalogue)
        switched = _switched(settings, [*tools, *later]) if complete and tools is not None else []
        for warning in [*warnings(catalogue, tools), *switched]:
            print(f"warning: {warning}", file=sys.stderr)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    if problems or catalogue is None or tools is None:
        return 1
    print(f"ok: {len(catalogue.agents)} agents, {len(catalogue.intents)} intents, {len(tools)} tools")
    return 0


def _tried(read: Callable[[], T], problems: list[str]) -> T | None:
    """None: it could not be read, and the problems say why; the rest is checked without it."""
    try:
        return read()
    except ConfigurationError as error:
        problems += str(error).splitlines()
        return None


def _switched(settings: Settings, known: list[str]) -> list[str]:
    unknown = [name for name in settings.disabled_tools if name not in known]
    return [f"DISABLED_TOOLS: there is no tool {name!r}{did_you_mean(name, known)}" for name in unknown]


def _tools(settings: Settings) -> Registry:
    files = load_adapters(settings.tool_dirs)
    return Registry(tool for file in files for tool in file.tools)


def _with_functions(settings: Settings, tools: Registry, catalogue: Catalogue, problems: list[str]) -> bool:
    """Adds what the function centre lists now. False: it does not tell, so that no more is known of its tools."""
    rules = _tried(lambda: load_function_rules(settings.config_dir), problems)
    problems += undesigned(tools.values(), catalogue.cards)
    given = settings.function_centre
    if given is None or rules is None:
        return given is None
    try:
        offer = asyncio.run(_offered(Address(**given), tools, rules, catalogue))
    except Fault as error:
        print(f"warning: {error}: what agents say of its tools is not checked", file=sys.stderr)
        return False
    for left_out in offer.left_out:
        print(f"warning: left out: {left_out}", file=sys.stderr)
    problems += offer.wrong
    return True


async def _offered(address: Address, tools: Registry, rules: FunctionRules, catalogue: Catalogue) -> Offer:
    async with open_centre(address) as centre:
        offering = Offering(centre=centre, rules=rules, own=dict(tools), cards=catalogue.cards)
        offer = offering.of(await centre.listed())
        tools.replace(SOURCE, offer.tools, over=offering.built_in)
        return offer


def _from_servers(
    settings: Settings, tools: Registry | None, catalogue: Catalogue, problems: list[str]
) -> dict[str, str]:
    """Name -> group of the tools that MCP servers bring, which are not asked here."""
    config = _tried(lambda: load_mcp(settings.config_dir), problems)
    if config is None:
        return {}
    problems += check_mcp(config, secrets=settings.mcp_secrets, cards=catalogue.cards, tools=tools or {})
    return config.groups


def _models(settings: Settings) -> ModelsConfig:
    config = load_models(settings.config_dir / "models.yaml")
    endpoints(config, settings)
    return config
