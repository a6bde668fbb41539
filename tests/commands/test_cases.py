"""`frontdesk cases`: from a desk's own turns to a file to be labelled, and from there into the cases."""

import json
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import SecretStr

from checkpoints.feedback import FeedbackStore
from checkpoints.finished import FinishedTurns, Wanted
from config.settings import Settings
from evals.cases import read_cases
from graphs.runner import Runner
from server import House, open_house, open_runner
from tests.commands.said import Frontdesk
from tests.evals.conftest import case, lines
from tests.graphs.talk import ME, Talk, replays_of

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=ZoneInfo("Asia/Shanghai"))


@pytest.fixture(scope="module")
async def desk(database_url: str) -> AsyncIterator[tuple[House, Runner]]:
    told = {"database_url": SecretStr(database_url), "demo": True, "clock": NOW, "similarity": False}
    settings = Settings.model_validate({**told, "environment": "development"})
    async with open_house(settings) as house, open_runner(house, settings, "desk-1") as runner:
        yield house, runner


@pytest.fixture(scope="module")
async def talk(desk: tuple[House, Runner]) -> Talk:
    """Three turns: one by rules, one that leans on it, and one that nobody serves and its user did not like."""
    house, runner = desk
    told = Talk(runner, replays_of(house), house.pool, NOW)
    await told.say("查一下上周的订单", "那上个月的呢")
    strange = await told.say("给13912345678唱首歌")
    assert told.thread_id is not None
    await FeedbackStore(house.pool).give(
        (await told.turns())[-1][0].run_id, told.thread_id, ME.tenant, ME.user, verdict="down", comment="不会唱"
    )
    assert strange["intents"] == ["unknown"]
    return told


async def exported(frontdesk: Frontdesk, *arguments: str) -> list[dict[str, Any]]:
    said = await frontdesk("cases", "export", *arguments)
    assert said.status == 0, said.err
    return [json.loads(line) for line in said.lines]


async def test_all_that_was_asked_is_exported_newest_first_with_what_came_before_it(
    frontdesk: Frontdesk, talk: Talk
) -> None:
    rows = await exported(frontdesk)
    assert [len(row["turns"]) for row in rows] == [3, 2, 1]
    assert rows[2]["turns"][0]["say"] == "查一下上周的订单"
    assert rows[2]["turns"][0]["expect"]["intents"] == ["order"]
    assert rows[1]["turns"][1]["expect"]["calls"][0]["tool"] == "list_orders"
    assert all(row["labelled"] is False for row in rows)
    assert "13912345678" not in json.dumps(rows)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["--thumbs-down"], 1), (["--below", "0.5"], 1), (["--source", "inherited"], 1), (["--source", "model"], 0),
        (["--agent", "business"], 2), (["--agent", "todo"], 0), (["--degraded"], 0), (["--tenant", "globex"], 0),
        (["--limit", "1"], 1), (["--since", "1d"], 3), (["--until", "2020-01-01"], 0),
    ],
)  # fmt: skip
async def test_it_is_chosen_what_is_exported(
    frontdesk: Frontdesk, talk: Talk, arguments: list[str], found: int
) -> None:
    assert len(await exported(frontdesk, *arguments)) == found


async def test_what_is_labelled_is_merged_once(frontdesk: Frontdesk, talk: Talk, tmp_path: Path) -> None:
    path = tmp_path / "to-label.jsonl"
    said = await frontdesk("cases", "export", "--file", str(path))
    assert (said.status, said.out) == (0, "")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    lines(path, {**rows[2], "labelled": True}, *rows[:2])
    lines(tmp_path / "work.jsonl", case({"say": "昨天的订单"}, id="w-1").model_dump(mode="json"))
    merged = await frontdesk("cases", "merge", str(path), "--into", str(tmp_path))
    assert merged.status == 0
    assert merged.out.startswith("1 added to")
    assert merged.out.endswith("0 there already, 2 not labelled yet\n")
    assert [one.kind for one in read_cases(tmp_path / "work.jsonl")] == ["plain", "production"]
    again = await frontdesk("cases", "merge", str(path), "--into", str(tmp_path))
    assert "0 added" in again.out
    assert "1 there already" in again.out


async def test_a_file_that_is_wrong_changes_nothing(frontdesk: Frontdesk, tmp_path: Path) -> None:
    ours = lines(tmp_path / "work.jsonl", case({"say": "昨天的订单"}, id="w-1").model_dump(mode="json"))
    before = ours.read_text()
    said = await frontdesk("cases", "merge", str(lines(tmp_path / "f.jsonl", "{")), "--into", str(tmp_path))
    assert said.status == 2
    assert "f.jsonl:1" in said.err
    assert ours.read_text() == before


async def test_replays_are_nobody_s_questions(desk: tuple[House, Runner], talk: Talk) -> None:
    house, _ = desk
    before = len(await FinishedTurns(house.pool).find(Wanted(), limit=100))
    await talk.replay()
    assert len(await FinishedTurns(house.pool).find(Wanted(), limit=100)) == before


@pytest.mark.parametrize("share", ["-0.1", "1.1", "x", "nan"])
async def test_a_confidence_is_a_number_from_0_to_1(frontdesk: Frontdesk, share: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        await frontdesk("cases", "export", f"--below={share}")
