"""The shape of the house: who may import whom, how long things may be, and what must not happen at import."""

import ast
import importlib.metadata
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OPEN = frozenset({"errors", "telemetry"})  # to everybody but language
BELOW_NODES = frozenset({"tools", "models", "language", "auth", "config"})
BELOW_API = BELOW_NODES | {"graphs", "nodes", "checkpoints"}
EVERYTHING = BELOW_API | {"api", "demo", "opening", "commands", "server", "evals"}

# The arrows: what a package or module may import, beside itself. docs/architecture.md draws them.
ARROWS: dict[str, frozenset[str]] = {
    "errors": frozenset(),
    "language": frozenset(),
    "telemetry": frozenset({"errors"}),
    "config": OPEN | {"language"},
    "auth": OPEN | {"config"},
    "demo": OPEN,
    "demo.function_centre": OPEN | {"demo"},  # a program of its own beside the desk, whose HTTP it speaks itself
    "tools": OPEN | {"auth", "config", "language"},
    "tools.adapters": OPEN | {"auth", "config", "language", "tools", "demo"},
    "checkpoints": OPEN | {"config"},
    "models": OPEN | {"config"},
    "nodes": OPEN | BELOW_NODES,
    "graphs": OPEN | BELOW_NODES | {"nodes", "checkpoints"},
    "api": OPEN | BELOW_API,
    "evals": OPEN | BELOW_API,
    "opening": OPEN | BELOW_API | {"demo"},
    "server": OPEN | EVERYTHING - {"commands", "evals"},
    "commands": OPEN | EVERYTHING,
    "cli": OPEN | EVERYTHING,
}
FREE = frozenset({"tests", "bench"})
APART = {("tools", "adapters"), ("demo", "function_centre")}  # have a row of their own

# Libraries that belong to some packages only.
WEB = frozenset({"api", "server", "commands", "demo.function_centre"})
AGENTS = WEB | {"evals", "tools", "models", "nodes", "graphs", "checkpoints"}  # the business side knows nothing of them
LIBRARIES: dict[str, frozenset[str]] = {
    "fastapi": WEB,
    "starlette": WEB,
    "uvicorn": frozenset({"commands"}),
    "langgraph": AGENTS,
    "langchain_core": AGENTS,
    "langchain_openai": frozenset({"models"}),
    "mcp": frozenset({"tools", "api"}),
}
LANGUAGE_USES = frozenset({"opencc"})

# Folders of tests/ that test the whole and mirror nothing.
WHOLE = {("llm",), ("studio",), ("fakes",), ("crash",), ("load",)}

MAX_LINES, MAX_FUNCTION_LINES = 500, 60
VAGUE = frozenset({"utils", "util", "helpers", "helper", "common", "core", "manager", "base", "misc", "services"})
IO_AT_IMPORT = frozenset(
    {
        "open", "connect", "read_text", "read_bytes", "write_text", "iterdir", "glob", "rglob", "mkdir", "exists",
        "getenv", "Popen", "safe_load", "load_catalogue", "compile", "build_graph", "OpenCC", "AsyncClient",
        "ChatOpenAI", "AsyncConnectionPool", "Settings", "create_app", "run",
    }
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Module:
    path: Path
    source: str
    tree: ast.Module

    @property
    def place(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def part(self) -> str:
        """The row of the table that this module stands under."""
        parts = self.path.relative_to(ROOT).with_suffix("").parts
        return ".".join(parts[:2]) if parts[:2] in APART else parts[0]


def top_level_names() -> list[str]:
    folders = [path.parent.name for path in ROOT.glob("*/__init__.py")]
    return sorted([*folders, *(path.stem for path in ROOT.glob("*.py"))])


def read(path: Path) -> Module:
    source = path.read_text()
    return Module(path=path, source=source, tree=ast.parse(source))


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    """Every Python file of ours, tests and benchmarks among them."""
    folders = [ROOT / name for name in top_level_names() if (ROOT / name).is_dir()]
    return [
        read(path) for path in sorted([*ROOT.glob("*.py"), *(file for one in folders for file in one.rglob("*.py"))])
    ]


def product(modules: list[Module]) -> list[Module]:
    return [module for module in modules if module.part not in FREE]


def imports(module: Module) -> Iterator[tuple[int, str]]:
    """Line and full name of everything imported, at the top or inside a function."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def calls_at_import(node: ast.AST) -> Iterator[ast.Call]:
    """Calls that run when the module is imported: everything but the bodies of functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in [*child.decorator_list, *child.args.defaults, *(d for d in child.args.kw_defaults if d)]:
                yield from calls_at_import(ast.Expr(part))
        elif not isinstance(child, ast.Lambda):
            if isinstance(child, ast.Call):
                yield child
            yield from calls_at_import(child)


def name_of(call: ast.Call) -> str:
    called = call.func
    owner = called.value.id if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) else ""
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return "" if (owner, name) == ("re", "compile") else name


def test_every_part_of_the_tree_has_a_row_in_the_table() -> None:
    assert set(top_level_names()) <= {*ARROWS, *FREE}


def test_imports_follow_the_arrows(modules: list[Module]) -> None:
    ours = set(top_level_names())
    wrong = []
    for module in product(modules):
        allowed = ARROWS[module.part] | {module.part.partition(".")[0]}
        for line, name in imports(module):
            first = name.partition(".")[0]
            if name.startswith("."):
                wrong.append(f"{module.place}:{line} imports relatively: {name}")
            elif first in ours and first not in allowed:
                wrong.append(f"{module.place}:{line} must not import {name}")
    assert wrong == []


def test_adapters_are_loaded_by_path_and_imported_by_nobody(modules: list[Module]) -> None:
    wrong = [
        f"{module.place}:{line} imports {name}"
        for module in product(modules)
        for line, name in imports(module)
        if name.startswith("tools.adapters") and module.part != "tools.adapters"
    ]
    assert wrong == []


def test_libraries_stay_where_they_belong(modules: list[Module]) -> None:
    wrong = []
    for module in product(modules):
        for line, name in imports(module):
            first = name.partition(".")[0]
            if module.part not in LIBRARIES.get(first, {module.part}):
                wrong.append(f"{module.place}:{line} imports {name}")
            foreign = first not in sys.stdlib_module_names and first not in LANGUAGE_USES | {"language"}
            if module.part == "language" and foreign:
                wrong.append(f"{module.place}:{line} imports {name}: language is pure")
    assert wrong == []


def test_files_and_functions_are_short(modules: list[Module]) -> None:
    wrong = [
        f"{module.place} has {lines} lines" for module in modules if (lines := module.source.count("\n")) > MAX_LINES
    ]
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > MAX_FUNCTION_LINES:
                    wrong.append(f"{module.place}:{node.lineno} {node.name} has {length} lines")
    assert wrong == []


def test_every_module_says_what_it_is_for(modules: list[Module]) -> None:
    assert [module.place for module in modules if module.source.strip() and not ast.get_docstring(module.tree)] == []


def test_no_file_has_a_name_that_says_nothing(modules: list[Module]) -> None:
    assert [module.place for module in modules if module.path.stem in VAGUE] == []


def test_nodes_and_graphs_catch_nothing_broadly(modules: list[Module]) -> None:
    """An interrupt is an Exception: whoever catches all of them swallows the question to the user."""
    wrong = [
        f"{module.place}:{node.lineno}"
        for module in modules
        if module.part in {"nodes", "graphs"}
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or {"Exception", "BaseException"} & {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)}
        )
    ]
    assert wrong == []


def test_nothing_is_opened_read_or_compiled_at_import(modules: list[Module]) -> None:
    wrong = [
        f"{module.place}:{call.lineno} {name_of(call)}(...)"
        for module in product(modules)
        for call in calls_at_import(module.tree)
        if name_of(call) in IO_AT_IMPORT
    ]
    assert wrong == []


def test_only_the_settings_read_the_environment(modules: list[Module]) -> None:
    wrong = [
        f"{module.place}:{node.lineno}"
        for module in product(modules)
        if module.place != "config/settings.py"
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "environb"})
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and {"environ", "getenv"} & {a.name for a in node.names}
        )
    ]
    assert wrong == []


def test_no_installed_package_has_one_of_our_names() -> None:
    """An editable installation comes last on the path: a distribution with such a name would win."""
    installed = importlib.metadata.packages_distributions()
    taken = {name: owners for name in top_level_names() if (owners := set(installed.get(name, ())) - {"frontdesk"})}
    assert taken == {}
    assert set(top_level_names()).isdisjoint(sys.stdlib_module_names)


def test_the_tests_mirror_the_tree() -> None:
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    mirrored = [folder for folder in sorted(folders) if folder.parts[:1] not in WHOLE]
    assert [str(folder) for folder in mirrored if not (ROOT / folder).is_dir()] == []
    assert [str(folder) for folder in sorted(folders) if not (ROOT / "tests" / folder / "__init__.py").is_file()] == []
