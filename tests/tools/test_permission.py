"""Who may use which tools."""

from auth.principal import Principal
from tests.tools.samples import agent, search, set_status
from tools.permission import Denied, agents_for, allowed, denied, holds, may_talk_to
from tools.registry import Registry

REGISTRY = Registry([search, set_status])
VIEWER = Principal(roles=("viewer",), permissions=frozenset({"*:read"}))
NOBODY = Principal(roles=(), permissions=frozenset())


def test_the_tools_of_the_agents_groups_are_allowed_as_far_as_the_callers_codes_go() -> None:
    assert allowed(Principal(), agent(), REGISTRY) == (search, set_status)
    assert allowed(Principal(), agent(tool_groups=("shop", "shop")), REGISTRY) == (search, set_status)
    assert allowed(Principal(), agent(tool_groups=("other",)), REGISTRY) == ()
    assert allowed(VIEWER, agent(), REGISTRY) == (search,)
    assert allowed(NOBODY, agent(), REGISTRY) == ()


def test_agents_are_shown_to_whom_they_are_for() -> None:
    open_to_all, hidden = agent("open"), agent("hidden", public=False)
    assert agents_for(Principal(tenant="globex"), [open_to_all, hidden]) == (open_to_all,)


def test_an_agent_of_a_tenant_is_its_own() -> None:
    ours, theirs = agent("ours", tenants=("acme",)), agent("theirs", tenants=("globex",), public=True)
    assert agents_for(Principal(tenant="acme"), [ours, theirs]) == (ours,)
    assert allowed(Principal(tenant="acme"), theirs, REGISTRY) == ()


def test_an_agent_that_names_roles_is_for_them_alone() -> None:
    bosses = agent("bosses", roles=("boss", "deputy"))
    assert not may_talk_to(Principal(), bosses)
    assert may_talk_to(Principal(roles=("operator", "deputy")), bosses)
    elsewhere = Principal(roles=("deputy",), tenant="globex")
    assert not may_talk_to(elsewhere, agent("theirs", roles=("deputy",), tenants=("acme",)))
    assert allowed(Principal(), bosses, REGISTRY) == ()


def test_what_is_missing_is_told_and_of_what_there_is_not_nothing() -> None:
    assert denied(Principal(), agent(), set_status, REGISTRY) is None
    assert denied(VIEWER, agent(), set_status, REGISTRY) == Denied(lacks="permission", needs=("order:write",))
    assert denied(VIEWER, agent(roles=("boss",)), set_status, REGISTRY) == Denied(lacks="role", needs=("boss",))
    for hidden in (agent(public=False), agent(tenants=("globex",), roles=("boss",)), agent(tool_groups=("other",))):
        assert denied(VIEWER, hidden, set_status, REGISTRY) == Denied(lacks="nothing")


def test_the_desks_own_codes_are_held_like_any_other() -> None:
    assert not holds(Principal(), "audit")
    assert holds(Principal(permissions=frozenset({"audit"})), "audit")
    assert holds(Principal(permissions=frozenset({"*"})), "audit")


def test_what_is_put_into_the_registry_later_is_allowed_at_once_and_what_goes_is_not() -> None:
    registry = Registry([search])
    assert [t.name for t in allowed(VIEWER, agent(), registry)] == ["search"]
    registry.replace("python", [search, set_status])
    assert [t.name for t in allowed(Principal(), agent(), registry)] == ["search", "set_status"]
    registry.replace("python", [])
    assert allowed(Principal(), agent(), registry) == ()


def test_the_look_up_is_made_once_for_the_same_codes() -> None:
    registry = Registry([search, set_status])
    first = registry.usable(("shop",), VIEWER.permissions)
    assert registry.usable(("shop",), frozenset({"*:read"})) is first
    for n in range(2_000):
        registry.usable(("shop",), frozenset({f"thing{n}:read"}))
    assert list(registry.usable(("shop",), VIEWER.permissions)) == ["search"]
