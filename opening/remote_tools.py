"""Tools of other processes: MCP servers and the function centre, put into the registry and kept up to date there."""

from contextlib import AsyncExitStack

from checkpoints.database import Pool
from checkpoints.lists import ToolLists
from config.check import check
from config.settings import Settings
from errors import ConfigurationError
from opening.written import Written
from tools.providers.discovery import open_functions
from tools.providers.function_centre import Address
from tools.providers.mcp_servers import open_servers

MCP_WITHIN_S = 5.0


async def open_remote_tools(settings: Settings, written: Written, pool: Pool, stack: AsyncExitStack) -> None:
    """Puts what other processes serve into the registry. Raises ConfigurationError where it does not fit the agents."""
    secrets = {name: secret.get_secret_value() for name, secret in settings.mcp_secrets.items()}
    servers = open_servers(written.mcp.servers, secrets, written.registry, ToolLists(pool), within_s=MCP_WITHIN_S)
    await stack.enter_async_context(servers)
    await _functions(settings, written, pool, stack)
    if settings.function_centre is not None or written.mcp.servers:
        models, later = written.models.models, written.mcp.groups
        if problems := check(written.catalogue, written.registry, models, elsewhere=later):
            raise ConfigurationError("\n".join(problems))


async def _functions(settings: Settings, written: Written, pool: Pool, stack: AsyncExitStack) -> None:
    """What the function centre serves, in the registry from now on, and as it changes."""
    if (given := settings.function_centre) is not None:
        lists, cards = ToolLists(pool), written.catalogue.cards
        functions = open_functions(Address(**given), lists, written.registry, written.functions, cards)
        await stack.enter_async_context(functions)
