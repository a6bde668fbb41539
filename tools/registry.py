"""Every tool that this process knows, whatever it came from: the one source of names, groups and schemas."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from errors import ConfigurationError
from tools.schema import describe
from tools.tool import Tool


class Registry(Mapping[str, Tool]):
    """Tools by name, in the order given; what comes from another process is put in its place by `replace`.

    Raises ConfigurationError for a name that two tools have and for a schema that cannot be shown to a model.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._put(tools)

    def replace(self, source: str, tools: Iterable[Tool]) -> None:
        """Exactly these are the tools of `source` from now on, at once for everybody who asks.

        Raises ConfigurationError as the registry itself does, and changes nothing then.
        """
        self._put((*(tool for tool in self._tools.values() if tool.source != source), *tools))

    def _put(self, tools: Iterable[Tool]) -> None:
        named: dict[str, Tool] = {}
        for tool in tools:
            if (other := named.get(tool.name)) is not None:
                raise ConfigurationError(f"two tools are named {tool.name!r}: in {origin(other)} and in {origin(tool)}")
            named[tool.name] = tool
        schemas = {name: describe(tool) for name, tool in named.items()}
        self._tools: Mapping[str, Tool] = MappingProxyType(named)
        self._schemas = schemas

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

    def schema(self, tool: Tool | str) -> dict[str, Any]:
        """The tool's OpenAI function schema `{"name", "description", "parameters"}`; not to be changed."""
        return self._schemas[tool if isinstance(tool, str) else tool.name]


def origin(tool: Tool) -> str:
    return str(getattr(tool.call, "__module__", tool.source))
