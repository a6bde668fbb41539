"""What functions.yaml may say of a function centre."""

from pathlib import Path

import pytest

from config.functions import FunctionRule, FunctionRules, load_function_rules
from config.settings import HERE
from errors import ConfigurationError


def written(folder: Path, text: str) -> FunctionRules:
    (folder / "functions.yaml").write_text(text)
    return load_function_rules(folder)


def test_the_shipped_file_lets_the_demo_serve_todos_and_the_calendar() -> None:
    assert load_function_rules(HERE) == FunctionRules(groups=("todo", "calendar", "undo"))


def test_without_a_file_nothing_is_narrowed(tmp_path: Path) -> None:
    assert load_function_rules(tmp_path) == FunctionRules()
    assert FunctionRules().of("anything") == FunctionRule()


def test_a_rule_holds_for_its_function_alone(tmp_path: Path) -> None:
    rules = written(tmp_path, "functions:\n  add_todo: {confirm: true, permission: 'todo:write'}\n")
    assert rules.of("add_todo") == FunctionRule(confirm=True, permission="todo:write")
    assert rules.of("list_todos") == FunctionRule()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("functions:\n  a/b: {confirm: true}\n", "no name of a function"),
        ("functions:\n  add_todo: {permission: all}\n", "functions.add_todo.permission: 'all' must be thing:act"),
        ("groups: [todo]\nfunctions:\n  a: {group: vault}\n", "functions.a.group: 'vault' is not one of `groups`"),
        ("functions:\n  add_todo: {confirmed: true}\n", "confirmed"),
        ("functions:\n  add_todo: {timeout_s: 0}\n", "timeout_s"),
        ("groups: todo\n", "groups"),
        ("", "empty"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_key(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^functions\.yaml: ") as error:
        written(tmp_path, text)
    assert problem in str(error.value)
