"""Which MCP servers the desk uses, which of their tools, and on what terms: config/mcp.yaml, typed."""

import re
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from config.records import Record
from config.roles import CODE
from config.strict_yaml import did_you_mean, load_record

FILE = "mcp.yaml"
SERVER = re.compile(r"[a-z][a-z0-9_]{0,31}")
TOOL = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
OURS = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding"}
)


class McpToolRule(Record):
    """What holds for one tool, whatever its server says of it; what a server says of its own harmlessness counts for
    nothing.

    `name`: ours for it; None: `<server>_<tool>`. `effect`: false only for what changes nothing anywhere. `confirm`:
    None: as `effect`. `card`: the type of the card that its structured content fills. `retries`: only without effect or
    if idempotent. `group`, `permission`, `timeout_s`: None: as the server's.
    """

    name: str | None = None
    description: str | None = None
    group: str | None = None
    permission: str | None = None
    effect: bool = True
    confirm: bool | None = None
    confirm_text: dict[Literal["zh", "en"], str] = Field(default_factory=dict)
    idempotent: bool = False
    retries: int = Field(default=0, ge=0, le=5)
    timeout_s: float | None = Field(default=None, gt=0, le=300)
    direct: bool = False
    card: str | None = None

    @property
    def needs_yes(self) -> bool:
        return self.effect if self.confirm is None else self.confirm

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.permission is not None and not CODE.fullmatch(self.permission):
            raise ValueError(f"permission: {self.permission!r} must be thing:act, such as 'weather:read'")
        if self.retries and self.effect and not self.idempotent:
            raise ValueError("retries: on a tool with an effect need idempotent: true")
        if self.confirm_text and not self.needs_yes:
            raise ValueError("confirm_text: without confirm: true")
        return self


class McpServer(Record):
    """One server, at an address or as a program that the desk starts and speaks to over its standard input and output.

    `headers`, `environment`: name -> the key in MCP_SECRETS that holds the value. `group`: the tool group of its tools.
    `permission`: a code for all its tools, or a thing (`weather`, by default the server's name), which makes
    `weather:read` for tools without an effect and `weather:write` for the others. `tools`: those that the desk uses, by
    the server's name for them; no other is ever called. `timeout_s`: for one call.
    """

    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    command: tuple[str, ...] = ()
    environment: dict[str, str] = Field(default_factory=dict)
    group: str = Field(min_length=1)
    permission: str | None = None
    timeout_s: float = Field(default=10.0, gt=0, le=300)
    tools: dict[str, McpToolRule] = Field(min_length=1)

    @field_validator("url")
    @classmethod
    def _an_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        try:
            address = urlsplit(url)
            usable = address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise ValueError(f"{url!r} is not an http or https address")
        if address.username is not None or address.password is not None:
            raise ValueError("names a user or a password; put them into MCP_SECRETS and name them under headers")
        return url

    @model_validator(mode="after")
    def _sound(self) -> Self:
        problems = []
        if (self.url is None) == (not self.command):
            problems.append("needs either `url` or `command`")
        if (self.url is None and self.headers) or (self.url is not None and self.environment):
            problems.append("`headers` go with `url`, `environment` with `command`")
        problems += [
            f"headers.{name}: cannot be set here"
            for name in self.headers
            if not HEADER.fullmatch(name) or name.lower() in OURS or name.lower().startswith("mcp-")
        ]
        problems += [
            f"environment.{name}: is no name of a variable" for name in self.environment if not VARIABLE.fullmatch(name)
        ]
        if self.permission is not None and not any(map(CODE.fullmatch, (self.permission, f"{self.permission}:read"))):
            problems.append(f"permission: {self.permission!r} must be thing:act or a thing, such as 'weather'")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def secrets(self) -> Iterator[tuple[str, str]]:
        """Where a secret is named, and its name."""
        yield from ((f"headers.{name}", secret) for name, secret in self.headers.items())
        yield from ((f"environment.{name}", secret) for name, secret in self.environment.items())

    def permission_of(self, server: str, rule: McpToolRule) -> str:
        given = rule.permission or self.permission or server
        return given if ":" in given else f"{given}:{'write' if rule.effect or rule.needs_yes else 'read'}"


class McpConfig(Record):
    """`servers`: by name."""

    servers: dict[str, McpServer] = Field(default_factory=dict)

    @property
    def groups(self) -> dict[str, str]:
        """Our name of each tool -> its group; whether its server answers or not."""
        return {
            our_name(server, tool, rule): rule.group or terms.group
            for server, terms in self.servers.items()
            for tool, rule in terms.tools.items()
        }

    @model_validator(mode="after")
    def _sound(self) -> Self:
        problems, taken = [], dict[str, str]()
        for server, terms in self.servers.items():
            if not SERVER.fullmatch(server):
                problems.append(f"servers.{server}: a name is lower-case Latin letters, digits and _")
            for tool, rule in terms.tools.items():
                where, ours = f"servers.{server}.tools.{tool}", our_name(server, tool, rule)
                if not TOOL.fullmatch(ours):
                    problems.append(f"{where}: {ours!r} is no name of a tool; give it another with `name`")
                elif (other := taken.setdefault(ours, where)) != where:
                    problems.append(f"{where}: {ours!r} is already the name of {other}")
        if problems:
            raise ValueError("; ".join(problems))
        return self


def our_name(server: str, tool: str, rule: McpToolRule) -> str:
    """What the desk calls a tool of a server."""
    return rule.name or re.sub(r"[^A-Za-z0-9_]", "_", f"{server}_{tool}")


def load_mcp(config_dir: Path) -> McpConfig:
    """No file: no servers. Raises ConfigurationError naming file and key."""
    path = config_dir / FILE
    return load_record(path, McpConfig, FILE) if path.exists() else McpConfig()


def check_mcp(
    config: McpConfig, *, secrets: Mapping[str, object], cards: Mapping[str, object], tools: Container[str]
) -> list[str]:
    """Secrets that are named and not set, cards that there are not, and names that one of `tools` has already."""
    problems = [f"{FILE}: there is already a tool named {name!r}" for name in config.groups if name in tools]
    for server, terms in config.servers.items():
        for where, secret in terms.secrets:
            if secret not in secrets:
                near = did_you_mean(secret, list(secrets))
                problems.append(f"{FILE}: servers.{server}.{where}: MCP_SECRETS holds no {secret!r}{near}")
        for tool, rule in terms.tools.items():
            if rule.card is not None and rule.card not in cards:
                near = did_you_mean(rule.card, list(cards))
                problems.append(f"{FILE}: servers.{server}.tools.{tool}.card: no card {rule.card!r}{near}")
    return problems
