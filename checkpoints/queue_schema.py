"""The tables of the queue (procrastinate) in a schema of their own, brought to the installed version."""

from pathlib import Path
from typing import Any

from procrastinate.schema import SchemaManager
from psycopg import AsyncConnection

SCHEMA = "frontdesk_queue"
BESIDE = f"SET LOCAL search_path TO {SCHEMA}, public"
# Its functions name their tables without a schema: with this they find them from any session, ours and psql's.
BIND_FUNCTIONS = f"""
DO $$
DECLARE
    one regprocedure;
BEGIN
    FOR one IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = '{SCHEMA}'::regnamespace LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = {SCHEMA}, pg_temp', one);
    END LOOP;
END;
$$"""  # noqa: S608
APPLIED = "INSERT INTO frontdesk.queue_migrations (name) SELECT unnest(%s::text[])"


def migration_files() -> dict[str, str]:
    """The queue's own migrations by name, in order, and its whole schema under the empty name."""
    folder = Path(SchemaManager.get_migrations_path())
    return {
        "": SchemaManager.get_schema(),
        **{file.name: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.sql"))},
    }


async def apply_queue_schema(connection: AsyncConnection[Any], files: dict[str, str]) -> tuple[str, ...]:
    """The names of the migrations that were applied: all at once on a new database, else those that are missing.

    To be called under the migration lock, outside of a transaction. `files`: of `migration_files`.
    """
    whole, names = files[""], [name for name in files if name]
    rows = await (await connection.execute("SELECT name FROM frontdesk.queue_migrations")).fetchall()
    known = {row["name"] for row in rows}
    missing = [name for name in names if name not in known]
    if not known:
        await _apply(connection, whole, missing)
    else:
        for name in missing:
            await _apply(connection, files[name], [name])
    return tuple(missing)


async def _apply(connection: AsyncConnection[Any], statements: str, names: list[str]) -> None:
    async with connection.transaction():
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        await connection.execute(BESIDE)
        # Several statements at once cannot be prepared.
        await connection.execute(statements.encode(), prepare=False)
        await connection.execute(BIND_FUNCTIONS, prepare=False)
        await connection.execute(APPLIED, (names,))
