"""The MCP server of `mcp_server` over standard input and output, startable from any folder."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.fakes.mcp_server import server

    server(Path(sys.argv[1])).run("stdio")
