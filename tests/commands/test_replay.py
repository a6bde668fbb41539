"""`frontdesk replay`: one thread, or all turns of a day, with a summary of what would change."""

import json
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from pydantic import SecretStr

from checkpoints.database import Pool
from checkpoints.runs import Runs
from config.settings import HERE, Settings
from graphs.runner import Runner
from server import House, open_house, open_runner
from tests.commands.said import Frontdesk
from tests.graphs.talk import ME, Talk, replays_of

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=ZoneInfo("Asia/Shanghai"))


@pytest.fixture(scope="module")
async def desk(database_url: str) -> AsyncIterator[tuple[House, Runner]]:
    told = {"database_url": SecretStr(database_url), "demo": True, "clock": NOW, "environment": "development"}
    told["sweep_s"] = 3_600.0  # what waits here is not to be played meanwhile
    settings = Settings.model_validate(told)
    async with open_house(settings) as house, open_runner(house, settings, "desk-1") as runner:
        yield house, runner


@pytest.fixture
def talk(desk: tuple[House, Runner]) -> Talk:
    house, runner = desk
    return Talk(runner, replays_of(house), house.pool, NOW)


@pytest.fixture
def definition(tmp_path: Path) -> str:
    """The path of a definition by which orders are listed three at a time."""
    agent = yaml.safe_load((HERE / "agents" / "business.yaml").read_text(encoding="utf-8"))
    agent["intents"]["order"]["arguments"]["limit"] = {"value": 3}
    path = tmp_path / "business.yaml"
    path.write_text(yaml.safe_dump(agent, allow_unicode=True), encoding="utf-8")
    return str(path)


async def threads(pool: Pool) -> list[dict[str, Any]]:
    async with pool.connection() as connection:
        return await (
            await connection.execute("SELECT thread_id, metadata FROM frontdesk.threads ORDER BY 1")
        ).fetchall()


async def test_a_thread_as_it_was(frontdesk: Frontdesk, talk: Talk) -> None:
    await talk.say("今天的订单", "你好")
    said = await frontdesk("replay", str(talk.thread_id))
    assert said.status == 0
    assert said.lines[:3] == [
        "Replayed turns: 2, changed: 0.",
        'turn 1 "今天的订单": no difference',
        'turn 2 "你好": no difference',
    ]
    there = said.lines[3].removeprefix("-> ")
    assert str(talk.thread_id) in {str(row["metadata"].get("replay_of")) for row in await threads(talk.pool)}
    assert there in {str(row["thread_id"]) for row in await threads(talk.pool)}
    assert said.err.splitlines()[-1] == "turns: 2 of 2, 0 changed"


async def test_some_turns_in_chinese(frontdesk: Frontdesk, talk: Talk) -> None:
    await talk.say("今天的订单", "你好", "谢谢")
    said = await frontdesk("replay", str(talk.thread_id), "--turn", "2", "--until", "2", "--locale", "zh")
    assert said.lines[:2] == ["共回放 1 轮，0 轮有变化。", "第 2 轮「你好」：无变化"]
    turn_id = (await talk.turns())[2][0].turn_id
    said = await frontdesk("replay", str(talk.thread_id), "--turn", turn_id)
    assert said.lines[1] == 'turn 3 "谢谢": no difference'


async def test_another_definition_as_json(frontdesk: Frontdesk, talk: Talk, definition: str) -> None:
    await talk.say("今天的订单", "你好")
    said = await frontdesk("replay", str(talk.thread_id), "--agent", definition, "--json")
    assert said.status == 0
    replay = json.loads(said.out)
    assert (replay["agent"], replay["summary"]["changed"]) == ("business", 1)
    assert [turn["changed"] for turn in replay["turns"]] == [True, False]
    assert said.err.splitlines()[-1] == "turns: 2 of 2, 1 changed"


async def test_a_day_is_replayed_thread_by_thread_and_leaves_no_threads(
    frontdesk: Frontdesk, desk: tuple[House, Runner], definition: str
) -> None:
    house, runner = desk
    day = NOW + timedelta(days=40)
    talks = [Talk(runner, replays_of(house), house.pool, day) for _ in range(6)]
    for n, talk in enumerate(talks):
        await talk.say("今天的订单", *["谢谢"] * n)
    talks[0].minutes = 24 * 60
    await talks[0].say("今天的订单")  # a day later
    before = await threads(house.pool)
    same = await frontdesk("replay", "--day", "2027-01-09")
    assert (same.status, same.lines) == (0, ["Replayed turns: 21, changed: 0."])
    said = await frontdesk("replay", "--day", "2027-01-09", "--agent", definition)
    assert said.status == 0
    assert said.lines[-2:] == ["Replayed turns: 21, changed: 6.", "By kind: calls: 6, reply: 6."]
    assert {str(talk.thread_id) for talk in talks} <= set(said.lines)
    assert said.out.count("turn 1 ") == 6
    assert "no difference" not in said.out
    assert said.err.splitlines()[-1] == "turns: 21 of 21, 6 changed"
    assert await threads(house.pool) == before
    assert json.loads((await frontdesk("replay", "--day", "2027-01-10", "--json")).out)["summary"]["turns"] == 1


async def test_the_replays_of_a_day_may_be_kept(frontdesk: Frontdesk, talk: Talk, definition: str) -> None:
    talk.context = type(talk.context)(clock=NOW + timedelta(days=50))
    await talk.say("今天的订单")
    arguments = ("replay", "--day", "2027-01-19", "--tenant", "acme", "--keep", "--json", "--agent", definition)
    day = json.loads((await frontdesk(*arguments)).out)
    assert (day["day"], day["tenant"], day["agent"], day["missed"]) == ("2027-01-19", "acme", "business", [])
    (replay,) = day["threads"]
    assert replay["thread_id"] == str(talk.thread_id)
    assert replay["replay_thread_id"] in {str(row["thread_id"]) for row in await threads(talk.pool)}
    other = json.loads((await frontdesk("replay", "--day", "2027-01-19", "--tenant", "globex", "--json")).out)
    assert (other["threads"], other["summary"]["turns"]) == ([], 0)


async def test_turns_of_a_day_that_cannot_be_replayed_are_told(frontdesk: Frontdesk, talk: Talk) -> None:
    talk.context = type(talk.context)(clock=NOW + timedelta(days=60))
    await talk.say("你好")
    runs = Runs(talk.pool)
    context = {"clock": (NOW + timedelta(days=60)).isoformat(), "time_zone": "Asia/Shanghai"}
    waiting = await runs.submit(
        thread_id=talk.thread_id, tenant=ME.tenant, user=ME.user, turn_id="t", input={"message": "x"}, context=context
    )
    said = await frontdesk("replay", "--day", "2027-01-29")
    assert said.status == 1
    assert said.lines[0] == "Replayed turns: 0, changed: 0."
    assert said.lines[1].startswith(f"{talk.thread_id}, turn 1 to 2, could not be replayed: this thread is in the mid")
    missed = json.loads((await frontdesk("replay", "--day", "2027-01-29", "--json")).out)["missed"]
    assert missed[0] | {"why": ""} == {
        "thread_id": str(talk.thread_id), "first_turn": 1, "last_turn": 2, "why": "",
    }  # fmt: skip
    await runs.cancel_any(waiting.run.run_id, "interrupt")
    said = await frontdesk("replay", "--day", "2027-01-29")
    assert (said.status, said.lines) == (
        0,
        [
            "Replayed turns: 1, changed: 0.",
            "Not replayed: 1, which never ran or whose record was pruned.",
        ],
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "name either a thread or a --day"),
        (["x", "--day", "2026-11-30"], "name either a thread or a --day"),
        (["--day", "2026-11-30", "--turn", "1"], "--turn and --until are of one thread"),
        (["x", "--tenant", "acme"], "--tenant belongs to a --day"),
        (["x"], "Invalid thread ID"),
        (["0199c0de-7a00-7000-8000-000000000001"], "Thread with ID 0199c0de-7a00-7000-8000-000000000001 not found"),
        (["--day", "2026-11-30", "--tenant", "umbrella"], "--tenant: there is no tenant 'umbrella'; there are acme"),
        (["--day", "2026-11-30", "--model", "fast"], "model: there is no model 'fast'; there are none"),
        (["--day", "2026-11-30", "--agent", "/nowhere.yaml"], "--agent: '/nowhere.yaml' cannot be read"),
    ],
)
async def test_a_command_line_of_no_sense_is_refused(frontdesk: Frontdesk, arguments: list[str], error: str) -> None:
    said = await frontdesk("replay", *arguments)
    assert said.status == 2
    assert said.err.startswith(f"error: {error}")


@pytest.mark.parametrize("arguments", [["x", "--turn", "0"], ["x", "--turn", "-1"], ["--day", "30.11.2026"]])
async def test_a_turn_or_a_day_that_is_none_is_refused(frontdesk: Frontdesk, arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        await frontdesk("replay", *arguments)


async def test_a_definition_that_does_not_fit_is_told_by_its_key(frontdesk: Frontdesk, tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    path.write_text("name: business\ncolour: red\n", encoding="utf-8")
    said = await frontdesk("replay", "--day", "2026-11-30", "--agent", str(path))
    assert said.status == 2
    assert "agent: unknown key 'colour'" in said.err
