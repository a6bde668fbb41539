"""`/mcp` behind a real socket, by the official client: who sees what, what is asked, and what happens once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import ClientSession, McpError
from mcp.types import (
    CallToolResult,
    CancelledNotification,
    CancelledNotificationParams,
    ClientNotification,
    ElicitRequestParams,
    ElicitResult,
)

from checkpoints.database import Pool
from checkpoints.switches import SwitchBoard
from server import create_app
from tests.api.desk import on_a_socket, settings
from tests.api.mcp_client import beside, identity, mcp_client, names, saying, text
from tools.providers.python import load_adapters

GATE = Path(__file__).parent / "gate"
LOOKS = {"look_into_vault"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
POSTED = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gate")


@pytest.fixture(scope="module")
async def address(database_url: str, folder: Path) -> AsyncIterator[str]:
    more: dict[str, Any] = {"tool_dirs": (GATE / "tools",), "agent_dirs": (GATE / "agents",)}
    resources = {"gate": {"folder": str(folder)}}
    chosen = settings(database_url, resources=resources, confirmation_minutes=0.02, **more)
    async with on_a_socket(create_app(chosen)) as opened:
        yield opened


@dataclass(frozen=True, kw_only=True)
class Book:
    """What the tools of the gate wrote down, and the signs that they wait for."""

    folder: Path

    @property
    def text(self) -> str:
        return (self.folder / "book.txt").read_text()

    def empty(self) -> None:
        (self.folder / "book.txt").write_text("")

    def sign(self, note: str) -> None:
        (self.folder / f"{note}.sign").touch()

    def has_begun(self, note: str) -> bool:
        return (self.folder / f"{note}.begun").exists()


@pytest.fixture
def book(folder: Path) -> Book:
    book = Book(folder=folder)
    book.empty()
    return book


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - a tool tells by a file
            await asyncio.sleep(0.01)


def permissions() -> dict[str, tuple[str, bool]]:
    """Every tool that this desk has: its permission, and whether it needs a yes."""
    files = load_adapters((GATE / "tools",))
    return {tool.name: (tool.permission, tool.confirm) for file in files for tool in file.tools if tool.group != "undo"}


def usable(tenant: str, roles: str, *, can_ask: bool) -> set[str]:
    """By hand, from what roles.yaml says of the roles and the agents' files of whom they are for."""
    acts = {"viewer": {"read"}, "operator": {"read", "write"}, "auditor": set(), "admin": {"read", "write"}}
    mine = set().union(*(acts[role] for role in roles.split(",")))
    vault = tenant == "globex" and "admin" in roles
    return {
        name
        for name, (permission, confirm) in permissions().items()
        if permission.partition(":")[2] in mine and (can_ask or not confirm) and (vault or name not in LOOKS)
    }


@pytest.mark.parametrize("can_ask", [True, False], ids=["who can ask", "who cannot ask"])
@pytest.mark.parametrize("roles", ["viewer", "operator", "auditor", "admin", "viewer,auditor"])
@pytest.mark.parametrize("tenant", ["acme", "globex"])
async def test_the_official_client_lists_exactly_the_callers_tools(
    address: str, tenant: str, roles: str, can_ask: bool
) -> None:
    headers = identity(tenant=tenant, roles=roles)
    async with mcp_client(address, headers, saying([]) if can_ask else None) as session:
        assert await names(session) == usable(tenant, roles, can_ask=can_ask)
    async with httpx.AsyncClient(base_url=address, headers=headers, trust_env=False) as http:
        shown = (await http.get("/tools")).json()
    assert {tool["name"] for tool in shown} == usable(tenant, roles, can_ask=True)


async def test_a_tool_is_listed_with_its_schema_and_what_it_does(address: str) -> None:
    async with mcp_client(address, elicit=saying([])) as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    order, status = tools["list_orders"], tools["update_order_status"]
    assert order.annotations
    assert order.annotations.readOnlyHint is True
    assert status.annotations
    assert (status.annotations.readOnlyHint, status.annotations.destructiveHint) == (False, True)
    assert set(status.inputSchema["required"]) == {"order_no", "status"}
    assert str(status.description).startswith("Set the status of one order")


async def test_a_call_comes_back_as_text_and_as_data_with_its_card(address: str) -> None:
    async with mcp_client(address) as session:
        result = await session.call_tool("list_orders", {"Limit": "三", "status": "已发货"})
    assert not result.isError
    assert result.structuredContent
    assert len(result.structuredContent["orders"]) == 3
    assert beside(result, "status") == "done"
    assert beside(result, "card")["type"] == "order_list"
    assert text(result)


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("list_orders", {"limit": True}, "bad_arguments"),
        ("list_orders", {"colour": "red"}, "bad_arguments"),
        ("look_into_vault", {}, "not_permitted"),
        ("no_such_tool", {}, "unknown_tool"),
        ("open_gate", {"note": "without asking"}, "not_confirmed"),
    ],
)
async def test_a_refusal_is_an_answer_with_a_reason(
    address: str, book: Book, name: str, arguments: dict[str, Any], reason: str
) -> None:
    async with mcp_client(address) as session:
        result = await session.call_tool(name, arguments)
        assert (result.isError, beside(result, "reason")) == (True, reason)
        assert not (await session.call_tool("list_orders", {"limit": 1})).isError
    assert book.text == ""


async def test_who_may_not_write_cannot_write_by_the_name_of_the_tool(address: str, book: Book) -> None:
    asked: list[str] = []
    async with mcp_client(address, identity(roles="viewer"), saying(asked, confirm=True)) as session:
        result = await session.call_tool("open_gate", {"note": "viewer"})
    assert (result.isError, beside(result, "reason")) == (True, "not_permitted")
    assert (asked, book.text) == ([], "")


async def test_a_caller_for_whom_there_is_no_tool_at_all_is_refused(address: str) -> None:
    async with mcp_client(address, identity(roles="auditor")) as session:
        assert await names(session) == set()
        assert beside(await session.call_tool("list_orders", {}), "reason") == "not_permitted"


async def test_a_tool_that_breaks_says_nothing_of_its_inside(address: str) -> None:
    async with mcp_client(address) as session:
        result = await session.call_tool("break_down", {})
    assert (result.isError, beside(result, "status")) == (True, "failed")
    assert "hunter2" not in result.model_dump_json()


async def test_a_yes_is_asked_for_what_is_then_carried_out_and_once(address: str, book: Book, pool: Pool) -> None:
    asked: list[str] = []
    headers = identity(user="ira", tenant="globex")
    async with mcp_client(address, headers, saying(asked, confirm=True)) as session:
        result = await session.call_tool("open_gate", {"Note": " now "})
    assert (text(result), result.structuredContent, asked) == ("open: now", {"note": "now"}, ["Open (now)?"])
    assert book.text == "globex ira now\n"
    async with pool.connection() as connection:
        found = await connection.execute(
            "select status, thread_id, turn_id, arguments from frontdesk.ledger where user_id = 'ira'"
        )
        (row,) = await found.fetchall()
    assert (row["status"], row["thread_id"], row["arguments"]) == ("done", None, {"note": "now"})


async def test_every_call_is_in_the_audit_with_what_the_person_said(address: str, book: Book, pool: Pool) -> None:
    headers = identity(user="uma", tenant="globex")
    for action in ("accept", "decline"):
        async with mcp_client(address, headers, saying([], action, confirm=True)) as session:
            await session.call_tool("open_gate", {"note": action})
    async with mcp_client(address, headers) as session:
        await session.call_tool("look_into_vault", {})
    async with pool.connection() as connection:
        found = await connection.execute("select * from frontdesk.audit where user_id = 'uma' order by id")
        rows = await found.fetchall()
    assert [(row["tool"], row["outcome"], row["reason"], row["source"]) for row in rows] == [
        ("open_gate", "done", "", "mcp"),
        ("open_gate", "rejected", "rejected", "mcp"),
        ("look_into_vault", "refused", "not_permitted", "mcp"),
    ]
    answers = [row["confirmation"] and row["confirmation"]["answer"] for row in rows]
    assert answers == ["approve", "reject", None]
    assert rows[0]["confirmation"]["asked"] == {"note": "accept"}
    assert len({row["turn_id"] for row in rows}) == 3


@pytest.mark.parametrize(
    ("action", "content"),
    [("decline", {}), ("cancel", {}), ("accept", {"confirm": False}), ("accept", {}), ("accept", {"confirm": "yes"})],
)
async def test_anything_but_a_plain_yes_is_a_no(address: str, book: Book, action: str, content: dict[str, Any]) -> None:
    asked: list[str] = []
    async with mcp_client(address, elicit=saying(asked, action, **content)) as session:
        result = await session.call_tool("open_gate", {"note": "no"})
    assert (result.isError, beside(result, "status"), asked) == (True, "rejected", ["开门（no）？"])
    assert book.text == ""


async def test_a_question_that_nobody_answers_runs_out(address: str, book: Book) -> None:
    async def silent(context: Any, params: ElicitRequestParams) -> ElicitResult:
        await asyncio.sleep(3)
        return ElicitResult(action="accept", content={"confirm": True})

    async with mcp_client(address, elicit=silent) as session:
        result = await session.call_tool("open_gate", {"note": "late"})
        assert beside(result, "reason") == "expired"
    assert book.text == ""


async def test_what_would_be_refused_anyhow_is_not_asked_about(address: str) -> None:
    asked: list[str] = []
    async with mcp_client(address, elicit=saying(asked, confirm=True)) as session:
        result = await session.call_tool("open_gate", {"note": ["a", "b"]})
    assert (beside(result, "reason"), asked) == ("bad_arguments", [])


async def test_what_operators_have_stopped_is_not_asked_about(address: str, pool: Pool, book: Book) -> None:
    asked: list[str] = []
    board = await SwitchBoard.opened(pool)
    async with mcp_client(address, elicit=saying(asked, confirm=True)) as session:
        for tool, reason in ((None, "read_only"), ("open_gate", "disabled")):
            await board.switch(tool, stopped=True, by="test")
            result = await session.call_tool("open_gate", {"note": "stopped"})
            await board.switch(tool, stopped=False, by="test")
            assert (beside(result, "reason"), asked, book.text) == (reason, [], "")
        assert not (await session.call_tool("open_gate", {"note": "again"})).isError


@pytest.mark.parametrize(
    ("name", "roles", "said"),
    [
        ("add_todo", "viewer", "todo:write"),  # of an agent that is not the first one
        ("update_order_status", "viewer", "order:write"),
        ("list_orders", "auditor", "order:read"),
        ("look_into_vault", "operator", None),  # of an agent that there is not for this tenant
        ("restore_order_status", "operator", None),  # of a group that no agent has
    ],
)
async def test_a_refusal_names_what_is_missing_and_nothing_that_there_is_not(
    address: str, name: str, roles: str, said: str | None
) -> None:
    async with mcp_client(address, identity(roles=roles)) as session:
        result = await session.call_tool(name, {})
    assert beside(result, "reason") == "not_permitted"
    assert said in text(result) if said else ":" not in text(result)


async def test_the_same_call_in_two_requests_is_made_twice(address: str, book: Book) -> None:
    """Two requests are two turns: the ledger takes them for two."""
    async with mcp_client(address, elicit=saying([], confirm=True)) as session:
        for _ in range(2):
            assert not (await session.call_tool("open_gate", {"note": "again"})).isError
    assert book.text == "acme alex again\n" * 2


@pytest.mark.parametrize("can_ask", [True, False], ids=["in a session", "without a session"])
async def test_an_effect_is_brought_to_its_end_though_the_client_cancels_it(
    address: str, book: Book, can_ask: bool
) -> None:
    note = f"cancelled{can_ask}"
    async with mcp_client(address, elicit=saying([]) if can_ask else None) as session:
        calling = asyncio.create_task(session.call_tool("lift_barrier", {"note": note}))
        await until(lambda: book.has_begun(note))
        await cancel(session, request_id=1)
        if can_ask:
            with pytest.raises(McpError, match="cancelled"):
                await calling
        book.sign(note)
        await until(lambda: note in book.text)
        assert not (await session.call_tool("list_orders", {"limit": 1})).isError
        if not can_ask:
            assert text(await calling) == f"lifted: {note}"
    assert book.text == f"acme alex {note}\n"


async def cancel(session: ClientSession, request_id: int) -> None:
    params = CancelledNotificationParams(requestId=request_id, reason="test")
    await session.send_notification(
        ClientNotification(CancelledNotification(method="notifications/cancelled", params=params))
    )


async def test_an_effect_is_brought_to_its_end_though_the_client_leaves(address: str, book: Book, folder: Path) -> None:
    async def call_and_leave() -> None:
        async with mcp_client(address, elicit=saying([])) as session:
            await session.call_tool("lift_barrier", {"note": "left"})

    calling = asyncio.create_task(call_and_leave())
    await until(lambda: book.has_begun("left"))
    calling.cancel()
    await asyncio.wait({calling})
    book.sign("left")
    await until(lambda: book.text != "")
    assert book.text == "acme alex left\n"


async def test_a_session_belongs_to_who_opened_it(address: str) -> None:
    initialize = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    async with httpx.AsyncClient(base_url=address, headers=POSTED, trust_env=False, timeout=10) as http:
        opened = await http.post("/mcp", json=initialize, headers=identity("ann"))
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        assert (await http.post("/mcp", json=PING, headers={**session, **identity("ann")})).status_code == 200
        for other in (identity("bob"), identity("ann", "globex")):
            assert (await http.post("/mcp", json=PING, headers={**session, **other})).status_code == 404
            assert (await http.request("DELETE", "/mcp", headers={**session, **other})).status_code == 404
        assert (await http.request("DELETE", "/mcp", headers={**session, **identity("ann")})).status_code == 200
        assert (await http.post("/mcp", json=PING, headers={**session, **identity("ann")})).status_code == 404


async def test_who_cannot_ask_gets_no_session_and_plain_json(address: str) -> None:
    async with httpx.AsyncClient(base_url=address, headers=POSTED, trust_env=False, timeout=10) as http:
        listed = await http.post("/mcp", json={**PING, "method": "tools/list"})
        assert listed.headers["content-type"] == "application/json"
        assert "mcp-session-id" not in listed.headers
        assert listed.json()["result"]["tools"]
        assert (await http.get("/mcp")).status_code == 405
        assert (await http.request("DELETE", "/mcp")).status_code == 405


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:8000"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"X-Dev-Tenant": "nowhere"}, 422),
        ({"X-Dev-User": "a b"}, 422),
        ({"X-Dev-Roles": "emperor"}, 422),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Accept": "text/html"}, 406),
        ({"Mcp-Session-Id": "never-opened"}, 404),
    ],
)
async def test_strangers_are_kept_out(address: str, headers: dict[str, str], status: int) -> None:
    async with httpx.AsyncClient(base_url=address, headers=POSTED, trust_env=False, timeout=10) as http:
        assert (await http.post("/mcp", json=PING, headers=headers)).status_code == status


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"[" + b'{"jsonrpc":"2.0","id":1,"method":"ping"}' + b"]", 400),
        (b"nonsense", 422),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": 7}}', 200),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": []}', 400),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7}}', 200),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', 200),
        (b'{"a": "' + b"x" * 1_100_000 + b'"}', 413),
    ],
)
async def test_bad_messages_are_answered(address: str, body: bytes, status: int) -> None:
    async with httpx.AsyncClient(base_url=address, headers=POSTED, trust_env=False, timeout=10) as http:
        answered = await http.post("/mcp", content=body)
        assert answered.status_code == status
        if status == 200:
            assert "error" in answered.json()
        assert (await http.post("/mcp", json=PING)).json()["result"] == {}


async def test_a_page_that_may_use_the_desk_can_read_its_session(address: str) -> None:
    asked = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"}
    async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=10) as http:
        wanted = {**asked, "Access-Control-Request-Headers": "mcp-session-id,mcp-protocol-version,x-dev-user"}
        preflight = await http.options("/mcp", headers=wanted)
        assert preflight.status_code == 200
        assert "mcp-session-id" in preflight.headers["access-control-allow-headers"]
        answered = await http.post("/mcp", json=PING, headers={**POSTED, "Origin": "http://localhost:3000"})
        assert "Mcp-Session-Id" in answered.headers["access-control-expose-headers"]


async def test_many_clients_at_once_each_see_their_own(address: str) -> None:
    seen: dict[str, tuple[set[str], CallToolResult]] = {}

    async def visit(n: int) -> None:
        roles = ("viewer", "operator")[n % 2]
        async with mcp_client(address, identity(f"user{n}", roles=roles), saying([], confirm=True)) as session:
            seen[f"user{n}"] = (await names(session), await session.call_tool("open_gate", {"note": f"n{n}"}))

    async with anyio.create_task_group() as group:
        for n in range(8):
            group.start_soon(visit, n)
    for n in range(8):
        tools, result = seen[f"user{n}"]
        assert ("open_gate" in tools) == (n % 2 == 1)
        assert result.isError == (n % 2 == 0)
