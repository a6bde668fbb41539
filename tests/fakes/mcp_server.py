"""An MCP server of the SDK as a process of its own, whose tools behave, break, hang and lie.

`python -m tests.fakes.mcp_server --folder F --port P [--stateless] [--json] [--token T]`. What its tools did is in
`F/done.txt`, a line each. `mcp_stdio` speaks over standard input and output instead.
"""

import argparse
import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import uvicorn
from mcp.server.fastmcp import Context, FastMCP
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

Wrote = Callable[[str], None]


class Forecast(BaseModel):
    city: str
    days: int
    sky: Literal["clear", "rain"] = "clear"


def server(folder: Path, *, stateless: bool = False, json: bool = False) -> FastMCP:
    made = FastMCP("weather", stateless_http=stateless, json_response=json, log_level="CRITICAL")

    def wrote(line: str) -> None:
        with (folder / "done.txt").open("a") as done:
            done.write(f"{line}\n")

    _that_behave(made, wrote)
    _that_do_not(made, wrote)
    return made


def _that_behave(made: FastMCP, wrote: Wrote) -> None:
    @made.tool()
    def get_forecast(
        city: str = Field(description="a city", examples=["Harbin"]),
        days: int = Field(default=1, ge=1, le=7, description="how many days"),
    ) -> Forecast:
        """What the weather will be."""
        wrote(f"forecast {city} {days}")
        return Forecast(city=city, days=days)

    @made.tool()
    def order_umbrella(colour: Literal["red", "blue"], ctx: Context[Any, Any, Any]) -> str:
        """Order an umbrella."""
        meta = ctx.request_context.meta
        key = (meta.model_extra or {}).get("frontdesk/idempotency-key", "") if meta else ""
        wrote(f"umbrella {colour} {bool(key)}")
        return f"a {colour} umbrella is on its way"

    @made.tool()
    def pictures() -> CallToolResult:
        """Answers in text, and in what is none."""
        wrote("pictures")
        image: Any = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
        return CallToolResult.model_validate({"content": [TextContent(type="text", text="a cloud"), image]})

    @made.tool()
    async def learn(name: str, ctx: Context[Any, Any, Any]) -> str:
        """From now on there is a tool of this name more."""

        def learnt() -> str:
            """A tool that came later."""
            return "learnt"

        made.add_tool(learnt, name=name)
        await ctx.session.send_tool_list_changed()
        return "learnt"


def _that_do_not(made: FastMCP, wrote: Wrote) -> None:
    @made.tool()
    def fall_over() -> str:
        """Raises."""
        raise RuntimeError("no barometer")

    @made.tool()
    async def hang(note: str) -> str:
        """Never answers."""
        wrote(f"hang {note}")
        await asyncio.sleep(600)
        return "never"

    @made.tool()
    async def die(note: str) -> str:
        """Does its work, and is killed before it answers."""
        wrote(f"die {note}")
        os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(600)
        return "never"

    @made.tool()
    def much(megabytes: int) -> str:
        """Answers at length."""
        wrote(f"much {megabytes}")
        return "x" * megabytes * 1_000_000

    @made.tool()
    def recursive(tree: dict[str, Any], secret: str = "") -> str:
        """Takes what cannot be described."""
        return "never"


class WithToken:
    """401 for whoever does not present the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (b"authorization", self._token) not in scope["headers"]:
            await PlainTextResponse("who are you?", 401)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--stateless", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--token")
    given = parser.parse_args()
    made = server(given.folder, stateless=given.stateless, json=given.json)
    app: ASGIApp = made.streamable_http_app()
    if given.token:
        app = WithToken(app, given.token)
    uvicorn.run(app, port=given.port, log_level="critical", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main()
