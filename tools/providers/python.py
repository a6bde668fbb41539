"""Tools from Python files: loads adapter files by path, and opens what each of them needs."""

import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from errors import ConfigurationError
from tools.tool import Tool

BUILT_IN = Path(__file__).parent.parent / "adapters"
Lifespan = Callable[[Any, Mapping[str, Any]], AbstractAsyncContextManager[Any]]


@dataclass(frozen=True, kw_only=True)
class AdapterFile:
    """One file of adapters. `lifespan`: its function of that name, an async context manager over (pool, resources)."""

    path: Path
    tools: tuple[Tool, ...]
    lifespan: Lifespan | None = None


class _Section(dict[str, Any]):
    """What RESOURCES holds for one file. A key that is missing is told as what it is, not as a KeyError."""

    file: AdapterFile

    @classmethod
    def of(cls, file: AdapterFile, given: object) -> "_Section":
        if not isinstance(given, Mapping):
            raise ConfigurationError(f"RESOURCES: {file.path.stem!r} must be an object, for {file.path}")
        section = cls(given)
        section.file = file
        return section

    def __missing__(self, key: str) -> Any:
        raise ConfigurationError(f"RESOURCES: {key!r} is missing in {self.file.path.stem!r}, for {self.file.path}")


def load_adapters(folders: Sequence[Path], *, built_in: Path | None = BUILT_IN) -> tuple[AdapterFile, ...]:
    """Every `*.py` of the built-in folder, then of `folders`, by name, but those that begin with an underscore.

    A file is executed once in a process, however often it is loaded. Raises ConfigurationError naming file or folder.
    """
    paths: dict[Path, None] = {}
    for folder in (*((built_in,) if built_in else ()), *folders):
        if not folder.is_dir():
            raise ConfigurationError(f"the folder of tool adapters {str(folder)!r} does not exist (TOOL_DIRS)")
        paths |= dict.fromkeys(path.resolve() for path in sorted(folder.glob("*.py")) if not path.name.startswith("_"))
    return tuple(_adapter(path) for path in paths)


@asynccontextmanager
async def open_adapters(
    files: Sequence[AdapterFile], pool: Any, resources: Mapping[str, Any]
) -> AsyncGenerator[Mapping[str, Any]]:
    """Yields tool name -> what the lifespan of its file yielded (None without one); closes in reverse order.

    `resources`: of the settings; a file sees the section that bears its name without `.py`.
    """
    opened: dict[str, Any] = {}
    async with AsyncExitStack() as stack:
        for file in files:
            resource = None
            if file.lifespan is not None:
                section = _Section.of(file, resources.get(file.path.stem, {}))
                try:
                    resource = await stack.enter_async_context(file.lifespan(pool, section))
                except Exception as error:
                    error.add_note(f"while opening the tools of {file.path}")
                    raise
            opened |= {tool.name: resource for tool in file.tools}
        yield opened


def _adapter(path: Path) -> AdapterFile:
    module = _module(path)
    tools: list[Tool] = []
    for value in vars(module).values():
        own = isinstance(value, Tool) and getattr(value.call, "__module__", None) == module.__name__
        if own and not any(value is tool for tool in tools):
            tools.append(value)
    lifespan = getattr(module, "lifespan", None)
    if lifespan is not None and (not callable(lifespan) or _is_bare(lifespan)):
        raise ConfigurationError(f"{path}: `lifespan` must be an async context manager function (@asynccontextmanager)")
    return AdapterFile(path=path, tools=tuple(tools), lifespan=lifespan)


def _module(path: Path) -> ModuleType:
    name = _module_name(path)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"{path}: cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except ConfigurationError:
        del sys.modules[name]
        raise  # it names the file itself
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise ConfigurationError(f"{path}{_line(path, error)}: {type(error).__name__}: {error}") from error
    return module


def _line(path: Path, error: BaseException) -> str:
    """Which line of the file it was; a SyntaxError says so itself."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {lines[-1]}" if lines else ""


def _is_bare(lifespan: Callable[..., Any]) -> bool:
    return inspect.isasyncgenfunction(lifespan) or inspect.iscoroutinefunction(lifespan)


def _module_name(path: Path) -> str:
    """The built-in files keep their import names, so that an import and a load give one module."""
    if path.parent == BUILT_IN.resolve():
        return f"tools.adapters.{path.stem}"
    return f"tool_adapter_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
