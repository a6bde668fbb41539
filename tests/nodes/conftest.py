"""What nodes are given: the shipped catalogue and the shipped tools."""

import pytest

from config.catalogue import Catalogue
from config.loading import load_catalogue
from config.settings import HERE
from tools.providers.python import load_adapters
from tools.registry import Registry


@pytest.fixture(scope="package")
def catalogue() -> Catalogue:
    return load_catalogue(HERE)


@pytest.fixture(scope="package")
def registry() -> Registry:
    return Registry(tool for file in load_adapters(()) for tool in file.tools)
