"""A small agent over two tools of its own, to be broken in one place, beside a copy of the shipped configuration."""

import copy
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict

SHIPPED = Path(__file__).parents[2] / "config"
SHOP: dict[str, Any] = {
    "name": "shop",
    "title": {"zh": "商店", "en": "Shop"},
    "description": {"zh": "查货品", "en": "Looks up goods."},
    "tool_groups": ["shop"],
    "keywords": ["货仓"],
    "intents": {
        "shop.list": {
            "description": {"zh": "列出货品", "en": "List goods"},
            "synonyms": ["货品", "goods"],
            "tool": "list_goods",
            "arguments": {"word": "keyword", "state": "order_status"},
            "examples": {"zh": ["有哪些货品"], "en": ["which goods are there"]},
        },
        "shop.move": {
            "description": {"zh": "搬货品", "en": "Move goods"},
            "of": "shop.list",
            "actions": ["搬到", "carry to"],
            "tool": "move_goods",
            "arguments": {
                "place": {"from": "content", "required": True, "ask": {"zh": "搬到哪里？", "en": "Where to?"}}
            },
        },
    },
    "chains": [{"from": "shop.list", "to": "shop.move", "bind": {"number": "goods.0.number"}}],
}


class Goods(BaseModel):
    number: str
    place: str | None = None


class Found(BaseModel):
    total: int
    goods: list[Goods]
    notes: dict[str, Any] = {}


class ListArguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    word: str | None = None
    state: Literal["pending_payment", "to_ship", "shipped", "completed", "cancelled"] | None = None


class MoveArguments(BaseModel):
    number: str
    place: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    name: str
    group: str
    arguments: type[BaseModel]
    permission: str = "goods:read"
    result: type[BaseModel] | None = None


SHOP_TOOLS = {
    "list_goods": Facts(name="list_goods", group="shop", arguments=ListArguments, result=Found),
    "move_goods": Facts(name="move_goods", group="shop", arguments=MoveArguments),
}
Change = Callable[[dict[str, Any]], Any]


def unchanged(_: dict[str, Any]) -> None: ...


def put(*path: Any, to: Any) -> Change:
    """A change of one key of an agent's file."""

    def change(agent: dict[str, Any]) -> None:
        inner: Any = agent
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = to

    return change


def drop(*path: Any) -> Change:
    def change(agent: dict[str, Any]) -> None:
        inner: Any = agent
        for step in path[:-1]:
            inner = inner[step]
        del inner[path[-1]]

    return change


def write_shop(folder: Path, change: Change = unchanged, name: str = "shop.yaml") -> Path:
    """The folder, with the small agent's file in it."""
    agent = copy.deepcopy(SHOP)
    change(agent)
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(yaml.safe_dump(agent, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return folder


def copied(tmp_path: Path) -> Path:
    """A copy of the shipped configuration that a test may break."""
    return Path(shutil.copytree(SHIPPED, tmp_path / "config", ignore=shutil.ignore_patterns("*.py", "__pycache__")))


def replaced(config: Path, file: str, old: str, new: str) -> Path:
    """The configuration with one piece of text of one file replaced."""
    text = (config / file).read_text(encoding="utf-8")
    assert old in text, f"{file} no longer holds {old!r}"
    (config / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return config
