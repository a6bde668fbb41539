"""What the operator wrote, read as a whole and checked; nothing is open yet."""

from collections.abc import Iterator
from dataclasses import dataclass

from auth.principal import DEV_ROLES, DEV_TENANT
from config.catalogue import Catalogue
from config.check import check
from config.functions import FunctionRules, load_function_rules
from config.loading import read_catalogue
from config.mcp import McpConfig, check_mcp, load_mcp
from config.models import ModelsConfig, load_models
from config.settings import Settings
from errors import ConfigurationError
from tools.cards import undesigned
from tools.providers.python import AdapterFile, load_adapters
from tools.registry import Registry


@dataclass(frozen=True, kw_only=True)
class Written:
    """Read and found sound."""

    catalogue: Catalogue
    models: ModelsConfig
    adapters: tuple[AdapterFile, ...]
    registry: Registry
    functions: FunctionRules
    mcp: McpConfig


def read(settings: Settings) -> Written:
    """Blocks while it reads files. Raises ConfigurationError naming file and key."""
    adapters = load_adapters(settings.tool_dirs)
    registry = Registry(tool for file in adapters for tool in file.tools)
    models = load_models(settings.config_dir / "models.yaml")
    functions = load_function_rules(settings.config_dir)
    mcp = load_mcp(settings.config_dir)
    loaded = read_catalogue(settings.config_dir, settings.agent_dirs)
    catalogue, problems = loaded.catalogue, list(loaded.problems)
    if catalogue is not None:
        # What another process brings is not there yet: then it is checked once it is.
        tools = None if settings.function_centre_url else registry
        problems += check(catalogue, tools, models.models, elsewhere=mcp.groups)
        problems += check_mcp(mcp, secrets=settings.mcp_secrets, cards=catalogue.cards, tools=registry)
        problems += undesigned(registry.values(), catalogue.cards)
        problems += identity_problems(catalogue)
    if catalogue is None or problems:
        raise ConfigurationError("\n".join(problems))
    return Written(
        catalogue=catalogue, models=models, adapters=adapters, registry=registry, functions=functions, mcp=mcp
    )


def identity_problems(catalogue: Catalogue) -> Iterator[str]:
    """What the development identity has that the operator's files do not: problems of the configuration."""
    for role in DEV_ROLES:
        if role not in catalogue.roles:
            yield f"roles.yaml: roles: the development identity's role {role!r} is missing"
    if DEV_TENANT not in catalogue.tenants:
        yield f"tenants.yaml: tenants: the development identity's tenant {DEV_TENANT!r} is missing"
