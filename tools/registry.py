"""Every tool that this process knows, whatever it came from: the one source of names, groups and schemas."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from config.roles import permits
from errors import ConfigurationError
from tools.arguments import file_of
from tools.compensation import problems
from tools.schema import describe
from tools.tool import Tool

MOST_KEPT = 1_000


class Registry(Mapping[str, Tool]):
    """Tools by name, in the order given; what comes from another process is put in its place by `replace`.

    Raises ConfigurationError for a name that two tools have and for a schema that cannot be shown to a model.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._first = tuple(tools)
        self._later: Mapping[str, tuple[tuple[Tool, ...], frozenset[str]]] = {}
        self._put(self._first)

    def replace(self, source: str, tools: Iterable[Tool], *, over: Collection[str] = ()) -> None:
        """Exactly these are the tools of `source` from now on, at once for everybody who asks.

        `over`: names of tools whose place one of these may take for as long as it is there. Raises ConfigurationError
        as the registry itself does, and changes nothing then.
        """
        later = {**self._later, source: (tuple(tools), frozenset(over))}
        first = [tool for tool in self._first if tool.source not in later]
        taking = {tool.name: tool for some, names in later.values() for tool in some if tool.name in names}
        placed = [taking.pop(tool.name, tool) for tool in first]
        rest = (tool for some, _ in later.values() for tool in some if not any(tool is one for one in placed))
        self._put((*placed, *rest))
        self._later = later

    def _put(self, tools: Iterable[Tool]) -> None:
        named: dict[str, Tool] = {}
        for tool in tools:
            if (other := named.get(tool.name)) is not None:
                raise ConfigurationError(f"two tools are named {tool.name!r}: in {origin(other)} and in {origin(tool)}")
            named[tool.name] = tool
        for problem in problems(named):
            raise ConfigurationError(problem)
        schemas = {name: describe(tool) for name, tool in named.items()}
        self._tools: Mapping[str, Tool] = MappingProxyType(named)
        self._schemas = schemas
        self._usable: dict[tuple[tuple[str, ...], frozenset[str]], Mapping[str, Tool]] = {}

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tool.group for tool in self._tools.values()))

    def group(self, name: str) -> tuple[Tool, ...]:
        return tuple(tool for tool in self._tools.values() if tool.group == name)

    def usable(self, groups: tuple[str, ...], codes: frozenset[str]) -> Mapping[str, Tool]:
        """The tools of these groups that a holder of these codes may call, by name: looked up, not scanned."""
        found = self._usable.get((groups, codes))
        if found is None:
            if len(self._usable) >= MOST_KEPT:
                self._usable.clear()
            some = (tool for group in dict.fromkeys(groups) for tool in self.group(group))
            found = MappingProxyType({tool.name: tool for tool in some if permits(codes, tool.permission)})
            self._usable[groups, codes] = found
        return found

    def schema(self, tool: Tool | str) -> dict[str, Any]:
        """The tool's OpenAI function schema `{"name", "description", "parameters"}`; not to be changed."""
        return self._schemas[tool if isinstance(tool, str) else tool.name]


def origin(tool: Tool) -> str:
    return file_of(tool.call) if tool.source == "python" else tool.source
