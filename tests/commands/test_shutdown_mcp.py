"""A desk that is told to stop while MCP clients are connected: it does not wait for them."""

import signal

from tests.api.mcp_client import mcp_client, names, saying
from tests.commands.test_shutdown import serving


async def test_an_open_session_does_not_keep_the_desk_from_stopping(fresh_database_url: str) -> None:
    with serving(fresh_database_url, DRAIN_S="1") as (desk, address):
        async with mcp_client(address, elicit=saying([])) as session:
            assert "wait_a_second" in await names(session)
            desk.send_signal(signal.SIGTERM)
            assert desk.wait(10) in (0, -signal.SIGTERM)
