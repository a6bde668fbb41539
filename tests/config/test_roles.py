"""What roles grant, and what a permission code may look like."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalogue import Catalogue
from config.check import check, warnings
from config.loading import load_catalogue, read_catalogue
from config.records import Localised
from config.roles import Role, granted, malformed, permits, ungranted
from errors import ConfigurationError
from tests.config.written import SHOP_TOOLS, Facts, MoveArguments, copied, replaced

WORDS = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)
BOTH = Localised(zh="x", en="x")


@pytest.mark.parametrize(
    ("codes", "wanted", "expected"),
    [
        ({"order:write"}, "order:write", True),
        ({"order:write"}, "order:read", False),
        ({"*:read"}, "order:read", True),
        ({"*:read"}, "order:write", False),
        ({"order:*"}, "order:write", True),
        ({"order:*"}, "user:write", False),
        ({"*:*"}, "user:write", True),
        ({"*:*"}, "audit", False),
        ({"*"}, "user:write", True),
        ({"*"}, "audit", True),
        ({"audit"}, "audit", True),
        ({"audit"}, "audit:read", False),
        (set(), "order:read", False),
        ({"order:read", "*:write"}, "order:write", True),
        ({"*:read"}, "order", False),
        ({"*:read"}, "", False),
    ],
)
def test_a_code_covers_what_it_says(codes: set[str], wanted: str, expected: bool) -> None:
    assert permits(frozenset(codes), wanted) is expected


@given(WORDS, WORDS, WORDS, WORDS)
def test_a_plain_code_covers_itself_alone(thing: str, act: str, other_thing: str, other_act: str) -> None:
    code, other = f"{thing}:{act}", f"{other_thing}:{other_act}"
    assert permits({code}, other) is (code == other)
    assert permits({f"{thing}:*"}, other) is (thing == other_thing)
    assert permits({f"*:{act}"}, other) is (act == other_act)


def test_roles_add_up_and_one_that_there_is_not_grants_nothing() -> None:
    known = {
        "reader": Role(description=BOTH, permissions=("*:read",)),
        "clerk": Role(description=BOTH, permissions=("order:write",)),
    }
    assert granted(["reader", "clerk", "boss"], known) == {"*:read", "order:write"}
    assert granted([], known) == frozenset()


@pytest.mark.parametrize(("role", "codes"), [
    ("viewer", {"*:read"}), ("operator", {"*:read", "*:write"}), ("auditor", {"audit"}), ("admin", {"*"}),
])  # fmt: skip
def test_the_shipped_roles_grant_what_they_are_called(catalogue: Catalogue, role: str, codes: set[str]) -> None:
    assert catalogue.permissions([role]) == codes


@pytest.mark.parametrize(
    "code", ["order", "order:", ":write", "order:write:now", "Order:read", "order read", "订单:读", "**", "aduit", "* "]
)
def test_a_code_that_says_nothing_stops_the_start_naming_file_and_key(tmp_path: Path, code: str) -> None:
    config = replaced(copied(tmp_path), "roles.yaml", 'permissions: ["*:read"]', f'permissions: ["*:read", "{code}"]')
    with pytest.raises(ConfigurationError) as raised:
        load_catalogue(config)
    assert "config/roles.yaml: roles.viewer.permissions.1: " in str(raised.value)
    assert repr(code) in str(raised.value)


def test_an_unknown_key_of_a_role_stops_the_start(tmp_path: Path) -> None:
    config = replaced(copied(tmp_path), "roles.yaml", "    permissions: [audit]", "    permisions: [audit]")
    problems = read_catalogue(config).problems
    expected = "config/roles.yaml: roles.auditor: unknown key 'permisions'; did you mean 'permissions'?"
    assert expected in problems


@pytest.mark.parametrize("code", ["order", "", "order:*", "*", "audit", "Order:Write", "order:write "])
def test_a_tool_with_a_code_that_nobody_could_be_given_is_found(catalogue: Catalogue, code: str) -> None:
    tool = Facts(name="move_goods", group="shop", arguments=MoveArguments, permission=code)
    problem = f"tool 'move_goods': permission: {code!r} must be thing:act, such as 'order:read'"
    assert list(malformed([tool])) == [problem]
    assert problem in check(catalogue, {**SHOP_TOOLS, "move_goods": tool})


def test_a_code_that_only_everything_covers_is_worth_a_warning(catalogue: Catalogue) -> None:
    tool = Facts(name="move_goods", group="shop", arguments=MoveArguments, permission="goods:wrte")
    warning = "tool 'move_goods': permission: no role names 'goods:wrte', only one that may do everything"
    assert warning in warnings(catalogue, {"move_goods": tool})
    assert list(ungranted(SHOP_TOOLS.values(), catalogue.roles)) == []
