"""One real PostgreSQL for the whole run, a database of its own for each module or test, and no network."""

import ipaddress
import logging
import os
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import psycopg
import pytest
import structlog
from hypothesis import settings as hypothesis_settings
from psycopg import sql

from checkpoints.database import Pool, migrate, open_pool
from checkpoints.embedded import EmbeddedPostgres
from checkpoints.saver import TurnSaver

pytest_plugins = ["tests.fakes.fixtures", "tests.crash.fixtures"]

TEMPLATE = "template_frontdesk"
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}

# For every process that a test starts: this tier is tested by itself, and costs each start a third of a second.
os.environ.setdefault("SIMILARITY", "0")  # noqa: TID251

# `--hypothesis-profile=ci` is hypothesis' own: the same, and derandomised.
hypothesis_settings.register_profile("frontdesk", deadline=None)
hypothesis_settings.load_profile("frontdesk")


def _is_local(address: object) -> bool:
    """Unix sockets, and loopback by number or name."""
    if not isinstance(address, tuple):
        return True
    host = address[0]
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else host).is_loopback
    except ValueError:
        return False


def _refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    match event:
        case "socket.connect" | "socket.sendto" if not _is_local(arguments[1]):
            raise PermissionError(f"tests do not use the network: {arguments[1]!r}")
        case "socket.getaddrinfo" if not _is_local((arguments[0],)):
            raise PermissionError(f"tests do not use the network: {arguments[0]!r}")


sys.addaudithook(_refuse_network)


@pytest.fixture(autouse=True)
def _logs_as_before() -> Iterator[None]:
    """A test may set up logging as a process does; the next one finds it as it was."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    """The embedded server, with nothing made durable."""
    home = tmp_path_factory.mktemp("postgres")
    with EmbeddedPostgres(home, database=TEMPLATE, time_zone="Asia/Shanghai", settings=NOT_DURABLE) as server:
        yield server


@pytest.fixture(scope="session")
async def migrated_template(postgres: EmbeddedPostgres) -> str:
    """The name of a database that the real migrations made, to be cloned."""
    pool = await open_pool(postgres.url, 2)
    await migrate(pool)
    await pool.close()
    return TEMPLATE


@contextmanager
def clone(postgres: EmbeddedPostgres, template: str | None) -> Iterator[str]:
    """The URL of a new database, dropped at the end."""
    name = f"test_{uuid.uuid4().hex}"
    create, drop = "CREATE DATABASE {}", "DROP DATABASE {} WITH (FORCE)"
    with psycopg.connect(postgres.url_of("postgres"), autocommit=True) as connection:
        if template:
            create = "CREATE DATABASE {} TEMPLATE {}"
            connection.execute(sql.SQL(create).format(sql.Identifier(name), sql.Identifier(template)))
        else:
            connection.execute(sql.SQL(create).format(sql.Identifier(name)))
        yield postgres.url_of(name)
        connection.execute(sql.SQL(drop).format(sql.Identifier(name)))


@pytest.fixture
def empty_database_url(postgres: EmbeddedPostgres) -> Iterator[str]:
    """A database in which nothing is."""
    with clone(postgres, None) as url:
        yield url


@pytest.fixture
def fresh_database_url(postgres: EmbeddedPostgres, migrated_template: str) -> Iterator[str]:
    """A migrated database for one test."""
    with clone(postgres, migrated_template) as url:
        yield url


@pytest.fixture(scope="module")
def database_url(postgres: EmbeddedPostgres, migrated_template: str) -> Iterator[str]:
    """A migrated database that the tests of one module share."""
    with clone(postgres, migrated_template) as url:
        yield url


@pytest.fixture(scope="module")
async def pool(database_url: str) -> AsyncIterator[Pool]:
    """Connections to the module's database."""
    opened = await open_pool(database_url, 8)
    yield opened
    await opened.close()


@pytest.fixture
async def fresh_pool(fresh_database_url: str) -> AsyncIterator[Pool]:
    """Connections to a database of the test's own."""
    opened = await open_pool(fresh_database_url, 6)
    yield opened
    await opened.close()


@pytest.fixture
async def saver(pool: Pool) -> TurnSaver:
    """The saver over the module's database."""
    return TurnSaver(pool)
