"""GET /agents, /tools, /healthz, /readyz, the OpenAPI page and what all answers have in common."""

import pytest
from psycopg import AsyncConnection, sql
from psycopg.conninfo import conninfo_to_dict

from checkpoints.embedded import EmbeddedPostgres
from language.periods import PERIOD_NAMES
from tests.api.desk import Desk, in_process, settings
from tests.fakes.openai_server import ModelServer


async def test_agents_are_shown_with_what_they_can_be_asked_for(desk: Desk) -> None:
    agents = {agent["name"]: agent for agent in (await desk.http.get("/agents")).json()}
    assert {"business", "todo", "calendar", "contact", "question"} <= set(agents)
    business = agents["business"]
    assert set(business) == {"name", "title", "description", "intents", "tools"}
    assert "order" in {intent["name"] for intent in business["intents"]}
    assert "list_orders" in business["tools"]
    assert set(business["title"]) == {"zh", "en"}


async def test_tools_are_shown_with_their_parameters(desk: Desk) -> None:
    tools = {tool["name"]: tool for tool in (await desk.http.get("/tools")).json()}
    write = tools["update_order_status"]
    assert (write["confirm"], write["effect"], write["agents"]) == (True, True, ["business"])
    assert set(write["parameters"]["required"]) == {"order_no", "status"}
    assert not tools["list_orders"]["effect"]


async def test_alive_and_ready(desk: Desk) -> None:
    answer = await desk.http.get("/healthz")
    assert (answer.status_code, answer.json()["status"], answer.json()["model"]) == (200, "ok", "disabled")
    assert answer.json()["parts"]["agents"] >= 5
    ready = (await desk.http.get("/readyz")).json()
    assert ready == {"status": "ready", "read_only": False, "disabled_tools": []}


async def test_a_configured_model_shows(fresh_database_url: str, model_server: ModelServer) -> None:
    chosen = settings(fresh_database_url, demo=False, model_base_url=model_server.url, model_name="m")
    async with in_process(chosen) as desk:
        assert (await desk.http.get("/healthz")).json()["model"] == "configured"


async def test_without_its_database_it_is_alive_but_not_ready_and_says_so(
    fresh_database_url: str, postgres: EmbeddedPostgres
) -> None:
    name = str(conninfo_to_dict(fresh_database_url)["dbname"])
    closed = sql.SQL("alter database {} allow_connections {}")
    async with (
        in_process(settings(fresh_database_url, demo=False)) as desk,
        await AsyncConnection.connect(postgres.url_of("postgres"), autocommit=True) as admin,
    ):
        await admin.execute(closed.format(sql.Identifier(name), sql.SQL("false")))
        await admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))
        assert (await desk.http.get("/healthz")).status_code == 200
        ready = await desk.http.get("/readyz")
        assert (ready.status_code, type(ready.json()["detail"])) == (503, str)
        await admin.execute(closed.format(sql.Identifier(name), sql.SQL("true")))


async def test_openapi_tells_what_can_be_asked(desk: Desk) -> None:
    page = (await desk.http.get("/openapi.json")).json()
    invoke = page["paths"]["/invoke"]["post"]
    assert all(name in invoke["description"] for name in PERIOD_NAMES)
    assert len(invoke["requestBody"]["content"]["application/json"]["examples"]) >= 3
    assert invoke["responses"]["200"]["content"]["application/json"]["example"]["status"] == "completed"
    for path, methods in page["paths"].items():
        for method, route in methods.items():
            assert route["summary"], (path, method)
    assert "HTTPValidationError" not in str(page)
    assert (await desk.http.get("/docs")).status_code == 200


async def test_a_request_id_is_kept_or_made(desk: Desk) -> None:
    answer = await desk.http.get("/healthz", headers={"X-Request-Id": "mine-1"})
    assert answer.headers["x-request-id"] == "mine-1"
    made = (await desk.http.get("/healthz", headers={"X-Request-Id": "not plain!"})).headers["x-request-id"]
    assert made not in ("", "not plain!")


async def test_unknown_paths_and_methods_have_the_same_body(desk: Desk) -> None:
    for answer in (await desk.http.get("/nothing"), await desk.http.get("/invoke")):
        assert answer.status_code in (404, 405)
        assert isinstance(answer.json()["detail"], str)


async def test_a_browser_may_ask_from_an_allowed_page_and_from_a_private_network(desk: Desk) -> None:
    preflight = {
        "Origin": "https://smith.langchain.com",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,x-api-key",
        "Access-Control-Request-Private-Network": "true",
    }
    answer = await desk.http.options("/invoke", headers=preflight)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-private-network"] == "true"
    assert answer.headers["access-control-allow-origin"] == "https://smith.langchain.com"
    other = await desk.http.options("/invoke", headers={**preflight, "Origin": "https://evil.example"})
    assert other.status_code == 400
    shown = await desk.http.get("/healthz", headers={"Origin": "https://smith.langchain.com"})
    assert "Content-Location" in shown.headers["access-control-expose-headers"]


@pytest.mark.parametrize("path", ["/agents", "/tools"])
async def test_who_calls_is_checked_everywhere(desk: Desk, path: str) -> None:
    assert (await desk.http.get(path, headers={"X-Dev-Tenant": "nobody"})).status_code == 422
