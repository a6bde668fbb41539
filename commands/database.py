"""How a command reaches the desk's database, beside a running desk and without one."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg_pool import PoolTimeout

from auth.principal import DEV_TENANT
from checkpoints.database import Pool, open_pool
from checkpoints.embedded import DATA, EmbeddedPostgres
from config.loading import Tenants
from config.settings import Settings
from config.strict_yaml import read_record
from errors import ConfigurationError, Unavailable

CONNECTIONS = 2


def must_be_there(settings: Settings) -> None:
    """Raises ConfigurationError where there is nothing yet that a command could look into: it must not make it."""
    data_dir = settings.data_dir.absolute()
    if settings.database_url is None and not (data_dir / DATA / "PG_VERSION").exists():
        raise ConfigurationError(
            f"there is no database in {str(data_dir)!r}: DATA_DIR (or --data-dir) names the folder of a desk that was "
            "started once, DATABASE_URL another database"
        )


@contextmanager
def database(settings: Settings) -> Iterator[str]:
    """How to connect. The embedded server is joined if it runs, else started for the while."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    # The zone that the desk gives it as well: another one would be set for a server that is running.
    with EmbeddedPostgres(settings.data_dir, time_zone=_time_zone(settings.config_dir / "tenants.yaml")) as server:
        yield server.url


def with_pool(settings: Settings, work: Callable[[Pool], Awaitable[int]]) -> int:
    """What `work` came to over the desk's database, which must have been brought up to date by a desk.

    Raises ConfigurationError where no desk has set it up yet, Unavailable where it does not answer.
    """
    must_be_there(settings)
    with database(settings) as url:
        try:
            return asyncio.run(_with_pool(url, work))
        except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn, psycopg.errors.InvalidSchemaName):
            raise ConfigurationError(
                "this database has no tables of this version yet: start `frontdesk serve` once"
            ) from None
        except (psycopg.OperationalError, PoolTimeout) as error:
            raise Unavailable("the database does not answer") from error


async def _with_pool(url: str, work: Callable[[Pool], Awaitable[int]]) -> int:
    pool = await open_pool(url, CONNECTIONS)
    try:
        return await work(pool)
    finally:
        await pool.close()


def _time_zone(path: Path) -> str:
    """The development tenant's, also where the rest of the configuration is broken."""
    read = read_record(path, Tenants, str(path)).record
    return read.tenants[DEV_TENANT].time_zone if read and DEV_TENANT in read.tenants else "UTC"
