"""A server that is killed while a failed plan is undone: another one ends it, and everything is undone once."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from checkpoints.embedded import EmbeddedPostgres
from tests.crash.servers import Nursery, Servers
from tests.crash.setting import Setting, setting

WORKSHOP = Path(__file__).parent / "workshop"
TABLES = """
CREATE SCHEMA workshop;
CREATE TABLE workshop.effects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tool text NOT NULL, no text NOT NULL
);
CREATE UNIQUE INDEX ON workshop.effects (no) WHERE tool = 'release';
CREATE TABLE workshop.holds (tool text NOT NULL, place text NOT NULL, reached boolean NOT NULL DEFAULT false)"""
REACHED = "SELECT 1 FROM workshop.holds WHERE reached"
MADE = """
SELECT 1 FROM frontdesk.ledger
WHERE tool = ANY('{reserve,charge}') AND status = 'done' AND arguments ->> 'no' LIKE %s"""
EFFECTS = "SELECT tool FROM workshop.effects WHERE no LIKE %s ORDER BY id"
RUN = "SELECT thread_id, run_id FROM frontdesk.runs ORDER BY created_at DESC LIMIT 1"
AUDIT = "SELECT tool, source, outcome FROM frontdesk.audit WHERE arguments ->> 'no' LIKE %s ORDER BY id"
UNDONE = [
    ("reserve", "undone"), ("charge", "undone"), ("dispatch", "refused"), ("refund", "done"), ("release", "done"),
]  # fmt: skip

pytestmark = pytest.mark.timeout(120)


class Asked:
    """The plan, sent as often as needed under one key. `no`: what it is about, which is in no other."""

    def __init__(self, servers: Servers) -> None:
        self._servers, self._key, self.no = servers, uuid4().hex, f"a{uuid4().hex[:8]}"
        self.first = asyncio.create_task(self.again())

    async def again(self) -> httpx.Response:
        plan = f"reservium {self.no}; chargium {self.no}; dispatchium {self.no}"
        body, key = {"message": plan, "locale": "en"}, {"Idempotency-Key": self._key}
        return await self._servers.http.post(f"{self._servers.all[0].url}/invoke", json=body, headers=key)


@pytest.fixture(scope="module")
async def around(
    postgres: EmbeddedPostgres, nursery: Nursery, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Setting]:
    folder = tmp_path_factory.mktemp("workshop")
    async with setting(postgres, nursery, "workshop", folder) as made:
        async with made.pool.connection() as connection:
            await connection.execute(TABLES, prepare=False)
        await asyncio.to_thread(shutil.copytree, WORKSHOP, folder / "desk", dirs_exist_ok=True)
        yield made


@asynccontextmanager
async def held(around: Setting, tool: str, place: str) -> AsyncIterator[tuple[Servers, Asked]]:
    """A server that is busy with the plan and does not come past this place as long as it is held there."""
    async with around.pool.connection() as connection:
        await connection.execute("INSERT INTO workshop.holds VALUES (%s, %s)", (tool, place))
    servers = around.servers(1)
    async with servers.running():
        asked = Asked(servers)
        async with asyncio.timeout(30):
            while not await rows(around, REACHED):
                assert not asked.first.done(), asked.first.result().text
                await asyncio.sleep(0.01)
            while len(await rows(around, MADE, f"%{asked.no}")) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        yield servers, asked
        with suppress(httpx.HTTPError):
            await asked.first


async def let_go(around: Setting) -> None:
    async with around.pool.connection() as connection:
        await connection.execute("DELETE FROM workshop.holds")


async def rows(around: Setting, query: str, *values: str) -> list[Any]:
    async with around.pool.connection() as connection:
        return list(await (await connection.execute(query.encode(), values)).fetchall())


async def effects(around: Setting, asked: Asked) -> list[str]:
    return [row["tool"] for row in await rows(around, EFFECTS, f"%{asked.no}")]


async def killed(around: Setting, tool: str, place: str) -> tuple[dict[str, Any], list[str]]:
    """The result of the plan, of which the first server did not live longer than to this place, and all effects."""
    async with held(around, tool, place) as (servers, asked):
        await servers.kill(servers.all[0])
        await let_go(around)
        await servers.start(servers.all[0])
        answer = await asked.again()
        assert answer.status_code == 200, answer.text
        return dict(answer.json()), await effects(around, asked)


def ends(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(call["tool"], call["status"]) for call in result["tool_calls"]]


@pytest.mark.parametrize(
    ("tool", "place"), [("dispatch", "before"), ("release", "before"), ("release", "after")], ids="-".join
)
async def test_everything_is_undone_once_wherever_the_server_was_killed(around: Setting, tool: str, place: str) -> None:
    result, happened = await killed(around, tool, place)
    assert ends(result) == UNDONE
    assert sorted(happened[:2]) == ["charge", "reserve"]
    assert happened[2:] == ["refund", "release"]
    assert result["reply"] == "dispatch refused\nSo what had been done before was undone:\nrefund done\nrelease done"


@pytest.mark.parametrize(("place", "refunds"), [("before", 0), ("after", 1)])
async def test_an_undo_that_was_cut_off_and_must_not_be_repeated_is_told_and_the_rest_is_undone(
    around: Setting, place: str, refunds: int
) -> None:
    result, happened = await killed(around, "refund", place)
    assert ends(result) == [UNDONE[0], ("charge", "done"), UNDONE[2], ("refund", "unknown"), UNDONE[4]]
    assert happened[2:] == ["refund"] * refunds + ["release"]
    assert "release done" in result["reply"]
    assert "outcome unknown, please check before trying again)" in result["reply"]


@pytest.mark.parametrize("place", ["before", "after"])
async def test_a_run_that_is_stopped_while_it_undoes_ends_that_first_and_says_so(around: Setting, place: str) -> None:
    async with held(around, "refund", place) as (servers, asked):
        (run,) = await rows(around, RUN)
        path = f"/threads/{run['thread_id']}/runs/{run['run_id']}/cancel"
        stop = await servers.http.post(f"{servers.all[0].url}{path}")
        assert stop.status_code == 202, stop.text
        await let_go(around)
        result = (await asked.first).json()
    assert (result["status"], ends(result)) == ("failed", UNDONE)
    assert (await effects(around, asked))[2:] == ["refund", "release"]
    assert "undone since: charge done" in result["reply"]


async def test_what_was_undone_is_in_the_audit(around: Setting) -> None:
    async with held(around, "refund", "before") as (_, asked):
        await let_go(around)
        assert (await asked.first).status_code == 200
        found = await rows(around, AUDIT, f"%{asked.no}")
    assert [(row["tool"], row["source"], row["outcome"]) for row in found][-2:] == [
        ("refund", "undo", "done"), ("release", "undo", "done"),
    ]  # fmt: skip
