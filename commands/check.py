"""`frontdesk check`: the whole configuration, without starting anything."""

import argparse
import sys
from collections.abc import Callable
from typing import TypeVar

from commands.settings import read_settings
from config.check import check, warnings
from config.loading import read_catalogue
from config.models import ModelsConfig, load_models
from config.settings import Settings
from errors import ConfigurationError
from models.endpoints import endpoints
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
        problems += check(catalogue, tools, models.models if models else None)
        for warning in warnings(catalogue, tools):
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


def _tools(settings: Settings) -> Registry:
    files = load_adapters(settings.tool_dirs)
    return Registry(tool for file in files for tool in file.tools)


def _models(settings: Settings) -> ModelsConfig:
    config = load_models(settings.config_dir / "models.yaml")
    endpoints(config, settings)
    return config
