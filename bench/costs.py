"""What a turn costs the database: commits, rows and bytes, as PostgreSQL itself counts them."""

import asyncio
from dataclasses import asdict, dataclass

import psycopg

from bench.savers import Subject, contenders, database_of
from checkpoints.embedded import EmbeddedPostgres

TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
COUNTED = """
SELECT xact_commit, (SELECT wal_bytes FROM pg_stat_wal)::bigint AS wal_bytes,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS transactions,
    (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal')::bigint AS syncs
FROM pg_stat_database WHERE datname = %s"""
# A process reports what it did when it ends.
REPORTED_S = 0.3


@dataclass(frozen=True, kw_only=True)
class Count:
    """Totals since the database was made."""

    commits: int = 0
    writing: int = 0
    syncs: int = 0
    wal: int = 0
    checkpoints: int = 0
    blobs: int = 0
    writes: int = 0
    stored: int = 0

    def less(self, other: "Count") -> "Count":
        before = asdict(other)
        return Count(**{name: value - before[name] for name, value in asdict(self).items()})


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Of one turn. `commits`: transactions, reading ones too; `writing`: those that wrote; `syncs`: of the log to disk;
    `rows`: of checkpoints, blobs and writes; `stored_kb`: of these rows; `wal_kb`: of the log."""

    saver: str
    commits: float
    writing: float
    syncs: float
    rows: str
    stored_kb: float
    wal_kb: float


async def cost(postgres: EmbeddedPostgres, subject: Subject, name: str, turns: int) -> Cost:
    """One turn after the other; what opening the connections costs is taken off."""
    await _played(postgres, subject, name, 1)
    idle = await _played(postgres, subject, name, 0)
    busy = (await _played(postgres, subject, name, turns)).less(idle)
    rows = [round(each / turns) for each in (busy.checkpoints, busy.blobs, busy.writes)]
    return Cost(
        saver=name,
        commits=round(busy.commits / turns, 2),
        writing=round(busy.writing / turns, 2),
        syncs=round(busy.syncs / turns, 2),
        rows="/".join(map(str, rows)),
        stored_kb=round(busy.stored / turns / 1024, 1),
        wal_kb=round(busy.wal / turns / 1024, 1),
    )


async def _played(postgres: EmbeddedPostgres, subject: Subject, name: str, turns: int) -> Count:
    before = await asyncio.to_thread(count, postgres, database_of(name))
    async with contenders(postgres, subject, slow_disk=False, only=name) as found:
        for _ in range(turns):
            await found[0].turn(0, "")
    await asyncio.sleep(REPORTED_S)
    return (await asyncio.to_thread(count, postgres, database_of(name))).less(before)


def count(postgres: EmbeddedPostgres, database: str) -> Count:
    """Nothing where the database is not there yet."""
    with psycopg.connect(postgres.url_of("postgres"), autocommit=True) as connection:
        found = connection.execute(COUNTED, (database,)).fetchone()
    if found is None:
        return Count()
    rows, stored = [], 0
    with psycopg.connect(postgres.url_of(database), autocommit=True) as connection:
        for table in TABLES:
            if connection.execute("SELECT to_regclass(%s)", (table,)).fetchone() != (None,):
                query = f"SELECT count(*), coalesce(sum(pg_column_size(t.*)), 0) FROM {table} t"  # noqa: S608 - ours
                number, size = connection.execute(query).fetchone() or (0, 0)
                rows.append(number)
                stored += size
    checkpoints, blobs, writes = rows or [0, 0, 0]
    commits, wal, writing, syncs = found
    return Count(
        commits=commits,
        writing=writing,
        syncs=syncs,
        wal=wal,
        checkpoints=checkpoints,
        blobs=blobs,
        writes=writes,
        stored=stored,
    )
