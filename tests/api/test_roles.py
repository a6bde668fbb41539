"""Who may do what over HTTP: roles, refusals, and what operators have stopped."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from psycopg import AsyncConnection

from checkpoints.switches import SwitchBoard
from tests.api.desk import Desk, Json, in_process, settings
from tests.api.scenes import refused, waiting

WRITES = {"update_order_status", "add_todo", "modify_todo", "add_event"}
CHANGE = "把订单 20261130001 改成已发货"
CLOSED: dict[str, Any] = {
    "name": "ledgers",
    "title": {"zh": "账本", "en": "Ledgers"},
    "description": {"zh": "账本", "en": "Ledgers"},
    "roles": ["admin"],
    "tool_groups": ["business"],
    "intents": {
        "ledgers.list": {
            "description": {"zh": "查账本", "en": "list the ledgers"},
            "synonyms": ["账本", "ledgers"],
            "tool": "list_orders",
            "examples": {"zh": ["查账本"], "en": ["list the ledgers"]},
        }
    },
}
THEIRS = {**CLOSED, "name": "vaults", "tenants": ["globex"], "roles": [], "intents": {
    "vaults.list": {**CLOSED["intents"]["ledgers.list"], "synonyms": ["金库", "vaults"]},
}}  # fmt: skip


@pytest.fixture(scope="module")
async def guarded(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    """A desk with an agent for one role, and one of another tenant."""
    folder: Path = tmp_path_factory.mktemp("agents")
    for agent in (CLOSED, THEIRS):
        (folder / f"{agent['name']}.yaml").write_text(yaml.safe_dump(agent, allow_unicode=True), encoding="utf-8")
    async with in_process(settings(database_url, agent_dirs=(folder,))) as desk:
        yield desk


def by(roles: str, **more: str) -> dict[str, str]:
    return {"X-Dev-Roles": roles, **more}


async def ask(desk: Desk, message: str, headers: dict[str, str], **more: Any) -> Json:
    answer = await desk.http.post("/invoke", json={"message": message, **more}, headers=headers)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def names(desk: Desk, path: str, headers: dict[str, str]) -> set[str]:
    return {one["name"] for one in (await desk.http.get(path, headers=headers)).json()}


async def test_an_unknown_role_is_refused_naming_those_that_there_are(guarded: Desk) -> None:
    for path in ("/agents", "/tools", "/threads/search"):
        send = guarded.http.post if path.endswith("search") else guarded.http.get
        status, reason = refused(await send(path, headers=by("viewer, boss")))
        assert (status, reason) == (
            422, "X-Dev-Roles: there is no role 'boss'; there are viewer, operator, auditor, admin",
        )  # fmt: skip


async def test_tools_are_listed_as_far_as_the_roles_go(guarded: Desk) -> None:
    everything = await names(guarded, "/tools", by("operator"))
    assert everything >= WRITES
    assert await names(guarded, "/tools", {}) == everything
    reading = await names(guarded, "/tools", by("viewer"))
    assert reading < everything
    assert not reading & WRITES
    assert await names(guarded, "/tools", by("viewer,operator")) == everything
    assert await names(guarded, "/tools", by("admin")) == everything
    assert await names(guarded, "/tools", by("auditor")) == set()
    assert await names(guarded, "/tools", by("")) == set()


async def test_agents_are_listed_with_what_the_caller_may_use_of_them(guarded: Desk) -> None:
    shown = {one["name"]: one for one in (await guarded.http.get("/agents", headers=by("viewer"))).json()}
    assert {"business", "todo", "chat"} <= shown.keys()
    assert not {"ledgers", "vaults"} & shown.keys()
    assert not WRITES & {tool for agent in shown.values() for tool in agent["tools"]}
    assert not WRITES & {intent["tool"] for agent in shown.values() for intent in agent["intents"]}
    assert "ledgers" in await names(guarded, "/agents", by("admin"))
    assert await names(guarded, "/agents", by("auditor")) == {"chat"}
    assert "vaults" in await names(guarded, "/agents", by("viewer", **{"X-Dev-Tenant": "globex"}))


async def test_a_change_without_the_permission_is_refused_and_changes_nothing(guarded: Desk) -> None:
    before = await _statuses(guarded)
    result = await ask(guarded, CHANGE, by("viewer"))
    assert (result["status"], result["interrupt"], result["intents"]) == ("completed", None, ["order.update_status"])
    assert result["reply"] == "您没有 order:write 权限，这一步没有执行"
    assert [(call["tool"], call["status"]) for call in result["tool_calls"]] == [("update_order_status", "refused")]
    assert await _statuses(guarded) == before


async def _statuses(desk: Desk) -> list[Any]:
    async with desk.opened["pool"].connection() as connection:
        rows = await connection.execute("SELECT tenant_id, order_no, status FROM demo.orders ORDER BY 1, 2")
        return await rows.fetchall()


async def test_an_agent_for_other_roles_is_named_with_the_role_and_one_of_another_tenant_not_at_all(
    guarded: Desk,
) -> None:
    closed = await ask(guarded, "查账本", by("operator"))
    assert closed["reply"] == "“账本”只对角色 admin 开放，这一步没有执行"
    assert (await ask(guarded, "查账本", by("admin")))["tool_calls"][0]["status"] == "done"
    theirs = await ask(guarded, "查金库", by("admin"))
    assert (theirs["intents"], theirs["tool_calls"]) == (["unknown"], [])
    for name in ("ledgers", "vaults"):
        answer = await guarded.http.post("/invoke", json={"message": "x", "agent": name}, headers=by("operator"))
        status, reason = refused(answer)
        assert status == 422
        assert "ledgers" not in reason.partition("; there are ")[2]


async def test_a_yes_by_somebody_whose_role_was_taken_away_changes_nothing(guarded: Desk) -> None:
    asked = await waiting(guarded)
    resume = {"interrupt_id": asked["interrupt"]["id"], "decisions": [{"type": "approve"}]}
    body = {"thread_id": asked["thread_id"], "resume": resume}
    before = await _statuses(guarded)
    answer = (await guarded.http.post("/invoke", json=body, headers=by("viewer"))).json()
    assert (answer["status"], answer["tool_calls"][0]["status"]) == ("completed", "refused")
    assert "order:write" in answer["reply"]
    assert await _statuses(guarded) == before


async def test_a_run_that_is_taken_up_later_has_the_permissions_of_the_roles_as_they_are_then(guarded: Desk) -> None:
    result = await ask(guarded, "查一下今天的订单", by("viewer"))
    async with guarded.opened["pool"].connection() as connection:
        query = "SELECT context FROM frontdesk.runs WHERE run_id = %s"
        row = await (await connection.execute(query, (result["run_id"],))).fetchone()
    assert row is not None
    assert row["context"]["roles"] == ["viewer"]
    assert "permissions" not in row["context"]


@pytest.fixture
async def board(guarded: Desk) -> AsyncIterator[SwitchBoard]:
    yield await SwitchBoard.opened(guarded.opened["pool"])
    async with guarded.opened["pool"].connection() as connection:
        await connection.execute("DELETE FROM frontdesk.switches")


async def test_writing_is_stopped_and_released_without_a_restart(guarded: Desk, board: SwitchBoard) -> None:
    asked = await waiting(guarded)
    await board.switch(None, stopped=True, by="olga")
    late = (await guarded.resume(asked, {"type": "approve"})).json()
    assert late["tool_calls"][0]["status"] == "refused"
    assert late["reply"] == "系统目前处于只读状态，暂时不能修改，这一步没有执行"
    todo = await ask(guarded, "add a todo: water the plants", {})
    assert todo["reply"] == "the desk is read-only at present; this was not carried out"
    assert (await ask(guarded, "查一下今天的订单", {}))["tool_calls"][0]["status"] == "done"
    await board.switch(None, stopped=False, by="olga")
    todo = await ask(guarded, "add a todo: water the plants", {})
    assert todo["tool_calls"][0]["status"] == "done"


async def test_readiness_tells_what_is_stopped(guarded: Desk, board: SwitchBoard) -> None:
    await board.switch(None, stopped=True, by="olga")
    await board.switch("add_todo", stopped=True, by="olga")
    await guarded.opened["switches"].now()
    ready = (await guarded.http.get("/readyz")).json()
    assert ready == {"status": "ready", "read_only": True, "disabled_tools": ["add_todo"]}


async def test_settings_stop_from_the_start_and_a_later_switch_releases(fresh_database_url: str) -> None:
    chosen = settings(fresh_database_url, read_only=True, disabled_tools="list_orders, nothing_here")
    async with in_process(chosen) as desk:
        todo = await ask(desk, "add a todo: water the plants", {})
        assert todo["reply"] == "the desk is read-only at present; this was not carried out"
        orders = await ask(desk, "show today's orders", {})
        assert orders["reply"] == "list_orders is switched off at present; this was not carried out"
        board = await SwitchBoard.opened(desk.opened["pool"])
        await board.switch(None, stopped=False, by="olga")
        assert (await ask(desk, "add a todo: water the plants", {}))["tool_calls"][0]["status"] == "done"
    async with in_process(chosen) as desk:
        todo = await ask(desk, "add a todo: water the plants", {})
        assert todo["tool_calls"][0]["status"] == "refused"


async def test_where_the_switches_cannot_be_read_nothing_is_changed(fresh_database_url: str) -> None:
    async with in_process(settings(fresh_database_url)) as desk:
        async with await AsyncConnection.connect(fresh_database_url, autocommit=True) as connection:
            await connection.execute("ALTER TABLE frontdesk.switches RENAME TO elsewhere")
        before = await _statuses(desk)
        result = await ask(desk, "add a todo: water the plants", {})
        assert result["status"] == "failed"
        assert await _statuses(desk) == before
