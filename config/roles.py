"""What roles allow: permission codes, how they are written, and which of them covers which."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated, Protocol

from pydantic import AfterValidator

from config.records import Localised, Record
from config.strict_yaml import did_you_mean

EVERYTHING = "*"
OWN_CODES = ("audit",)  # of the desk itself; every other code is a tool's
CODE = re.compile(r"[a-z][a-z0-9_-]{0,63}:[a-z][a-z0-9_-]{0,63}")
GRANT = re.compile(r"(?:\*|[a-z][a-z0-9_-]{0,63}):(?:\*|[a-z][a-z0-9_-]{0,63})")


def _grant(code: str) -> str:
    if code != EVERYTHING and code not in OWN_CODES and not GRANT.fullmatch(code):
        near = did_you_mean(code, [EVERYTHING, *OWN_CODES])
        raise ValueError(f"{code!r} is no permission; write thing:act such as 'order:read', '*:read' or '*'{near}")
    return code


class Role(Record):
    """`permissions`: codes of tools (`order:write`); `*` stands for any thing or act (`*:read`), alone for everything.

    `audit` is the desk's own: who may read what was done.
    """

    description: Localised
    permissions: tuple[Annotated[str, AfterValidator(_grant)], ...]


class Roles(Record):
    """The file `roles.yaml`."""

    roles: dict[str, Role]


class Permitted(Protocol):
    """What has to be known of a tool here."""

    @property
    def name(self) -> str: ...
    @property
    def permission(self) -> str: ...


def granted(roles: Iterable[str], known: Mapping[str, Role]) -> frozenset[str]:
    """The codes that these roles have together; a role that there is not (any more) has none."""
    return frozenset(code for name in roles if (role := known.get(name)) for code in role.permissions)


def permits(codes: Collection[str], wanted: str) -> bool:
    """Whether one of `codes` covers the permission `wanted` (`order:write`, or `audit`)."""
    thing, colon, act = wanted.partition(":")
    wider = (f"{thing}:*", f"*:{act}", "*:*") if colon else ()
    return any(code in codes for code in (EVERYTHING, wanted, *wider))


def malformed(tools: Iterable[Permitted]) -> Iterator[str]:
    """Tools whose permission nobody could be given."""
    for tool in tools:
        if not CODE.fullmatch(tool.permission):
            yield f"tool {tool.name!r}: permission: {tool.permission!r} must be thing:act, such as 'order:read'"


def ungranted(tools: Iterable[Permitted], known: Mapping[str, Role]) -> Iterator[str]:
    """Tools that only a role for everything may use: a slip of the pen in a code looks like this."""
    named = granted(known, known) - {EVERYTHING, "*:*"}
    for tool in tools:
        if CODE.fullmatch(tool.permission) and not permits(named, tool.permission):
            yield f"tool {tool.name!r}: permission: no role names {tool.permission!r}, only one that may do everything"
