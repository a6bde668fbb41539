"""Adapter files: how they are found, loaded once, and what they open."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from errors import ConfigurationError
from tools.providers.python import AdapterFile, load_adapters, open_adapters

ORDERS = '''
"""Orders."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from tools.tool import Arg, ToolContext, ToolResult, tool

LOADED = []
LOADED.append(1)


@dataclass(frozen=True)
class Service:
    pool: object
    section: object
    log: list[str]


@asynccontextmanager
async def lifespan(pool, resources):
    log = resources.get("log", [])
    log.append("open NAME")
    try:
        yield Service(pool, resources, log)
    finally:
        log.append("close NAME")


@tool(group="shop", permission="order:read")
async def NAME(ctx: ToolContext, no: Annotated[str, Arg(description="number", example="1")]) -> ToolResult:
    """Look one up."""
    return ToolResult(content=no)


again = NAME
'''
PLAIN = '''
from tools.tool import ToolContext, ToolResult, tool

@tool(group="shop", permission="order:read")
async def ping(ctx: ToolContext) -> ToolResult:
    """Say pong."""
    return ToolResult(content="pong")
'''


def written(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def load(*folders: Path) -> tuple[AdapterFile, ...]:
    return load_adapters(folders, built_in=None)


def names(files: Sequence[AdapterFile]) -> list[str]:
    return [tool.name for file in files for tool in file.tools]


def test_files_are_loaded_by_folder_and_name_but_those_with_an_underscore(tmp_path: Path) -> None:
    first = written(tmp_path / "z", b=ORDERS.replace("NAME", "b"), a=ORDERS.replace("NAME", "a"), _hidden="1 / 0")
    second = written(tmp_path / "y", c=PLAIN)
    files = load(first, second, first)
    assert names(files) == ["a", "b", "ping"]
    assert [file.path.name for file in files] == ["a.py", "b.py", "c.py"]


def test_a_file_is_executed_once_however_often_it_is_loaded(tmp_path: Path) -> None:
    folder = written(tmp_path / "f", orders=ORDERS.replace("NAME", "orders"))
    once, twice = load(folder), load(folder)
    assert once[0].tools[0] is twice[0].tools[0]


def test_files_of_one_name_in_two_folders_are_two_modules(tmp_path: Path) -> None:
    one = written(tmp_path / "one", orders=ORDERS.replace("NAME", "a"))
    two = written(tmp_path / "two", orders=ORDERS.replace("NAME", "b"))
    assert names(load(one, two)) == ["a", "b"]


def test_tools_imported_from_another_file_are_not_counted_again(tmp_path: Path) -> None:
    folder = written(tmp_path / "f", a=PLAIN)
    module = load(folder)[0].tools[0].call.__module__
    written(folder, b=f"from {module} import ping")
    assert names(load(folder)) == ["ping"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import nowhere_at_all", "ModuleNotFoundError"),
        ("def f(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        (PLAIN.replace('"""Say pong."""', ""), "docstring"),
        ("import sys\n\nsys.exit(3)", "line 3: SystemExit"),
        (PLAIN + "\n1 / 0\n", f"line {PLAIN.count(chr(10)) + 2}: ZeroDivisionError"),
        ("lifespan = 1", "lifespan"),
        ("async def lifespan(pool, resources):\n    yield 1", "lifespan"),
    ],
)
def test_a_broken_file_is_named_and_leaves_no_module(tmp_path: Path, text: str, says: str) -> None:
    folder = written(tmp_path / "f", broken=text)
    before = set(sys.modules)
    with pytest.raises(ConfigurationError) as raised:
        load(folder)
    assert str(folder / "broken.py") in str(raised.value)
    assert says in str(raised.value)
    assert "lifespan" in says or not set(sys.modules) - before


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        load(tmp_path / "nowhere")


async def test_lifespans_open_in_order_see_pool_and_section_and_close_in_reverse(tmp_path: Path) -> None:
    files = load(written(tmp_path / "f", a=ORDERS.replace("NAME", "a"), b=ORDERS.replace("NAME", "b"), c=PLAIN))
    log: list[str] = []
    pool, section = object(), {"log": log}
    async with open_adapters(files, pool, {"a": section, "b": section, "other": {}}) as resources:
        assert log == ["open a", "open b"]
        assert resources["ping"] is None
        assert resources["a"].pool is pool
        assert resources["a"].section == section
    assert log == ["open a", "open b", "close b", "close a"]


async def test_what_resources_do_not_hold_is_named_with_the_file_that_wants_it(tmp_path: Path) -> None:
    wanting = ORDERS.replace("NAME", "a").replace('resources.get("log", [])', 'resources["log"]')
    files = load(written(tmp_path / "f", a=wanting))
    without: tuple[dict[str, dict[str, list[str]]], ...] = ({}, {"a": {"lok": []}})
    for given in without:
        with pytest.raises(ConfigurationError, match=r"RESOURCES: 'log' is missing in 'a', for .*a\.py"):
            async with open_adapters(files, None, given):
                pass


async def test_what_was_opened_is_closed_when_a_later_one_fails(tmp_path: Path) -> None:
    broken = ORDERS.replace("NAME", "b").replace('log.append("open b")', 'raise OSError("no service")')
    files = load(written(tmp_path / "f", a=ORDERS.replace("NAME", "a"), b=broken))
    log: list[str] = []
    with pytest.raises(OSError, match="no service") as raised:
        async with open_adapters(files, None, {"a": {"log": log}}):
            pass
    assert log == ["open a", "close a"]
    assert any("b.py" in note for note in raised.value.__notes__)


async def test_a_section_of_resources_that_is_no_object_is_named(tmp_path: Path) -> None:
    files = load(written(tmp_path / "f", a=ORDERS.replace("NAME", "a")))
    with pytest.raises(ConfigurationError, match=r"RESOURCES: 'a' must be an object, for .*a\.py"):
        async with open_adapters(files, None, {"a": 5}):
            pass
