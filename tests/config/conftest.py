"""The shipped configuration and the shipped tools, read once."""

import pytest

from config.catalogue import Catalogue
from config.loading import load_catalogue
from tests.config.written import SHIPPED
from tools.providers.python import load_adapters
from tools.registry import Registry


@pytest.fixture(scope="session")
def registry() -> Registry:
    return Registry(tool for file in load_adapters(()) for tool in file.tools)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue(SHIPPED)
