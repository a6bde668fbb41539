"""The shipped desk, and cases of the tests' own."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from config.catalogue import Catalogue
from config.loading import load_catalogue
from config.models import ModelsConfig, load_models
from config.settings import HERE
from evals.cases import Case
from evals.columns import Ground
from evals.scoring import Judge
from tests.fakes.fixtures import model_server, running_model_server
from tools.providers.python import load_adapters
from tools.registry import Registry

__all__ = ["model_server", "running_model_server"]
Json = dict[str, Any]


@pytest.fixture(scope="package")
def catalogue() -> Catalogue:
    return load_catalogue(HERE)


@pytest.fixture(scope="package")
def registry() -> Registry:
    return Registry(tool for file in load_adapters(()) for tool in file.tools)


@pytest.fixture(scope="package")
def config() -> ModelsConfig:
    return load_models(HERE / "models.yaml")


@pytest.fixture(scope="package")
def judge(catalogue: Catalogue, registry: Registry) -> Judge:
    return Judge(catalogue=catalogue, registry=registry)


@pytest.fixture(scope="package")
def ground(catalogue: Catalogue, registry: Registry, config: ModelsConfig) -> Callable[..., Ground]:
    """Makes what columns share, over the cases that are given."""

    def make(cases: Sequence[Case], **more: Any) -> Ground:
        return Ground(catalogue=catalogue, registry=registry, config=config, halves={"work": cases}, **more)

    return make


def case(*turns: Json, **more: Any) -> Case:
    """`turns`: {"say", and what is expected}; what is left out is an order list without anything else."""
    said = [{"say": turn["say"], "expect": {**ORDER, **_without(turn, "say")}} for turn in turns]
    return Case.model_validate({"id": "c-1", "locale": "zh", "kind": "plain", "turns": said, **more})


ORDER: Json = {"agent": "business", "intents": ["order"]}


def _without(turn: Json, name: str) -> Json:
    return {key: value for key, value in turn.items() if key != name}


def lines(path: Path, *rows: object) -> Path:
    path.write_text(
        "".join(f"{row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    )
    return path
