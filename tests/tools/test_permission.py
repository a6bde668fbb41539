"""What a caller may use."""

from auth.principal import Principal
from tests.tools.samples import agent, search, set_status
from tools.permission import agents_for, allowed
from tools.registry import Registry

REGISTRY = Registry([search, set_status])


def test_all_tools_of_the_agents_groups_are_allowed() -> None:
    assert allowed(Principal(), agent(), REGISTRY) == (search, set_status)
    assert allowed(Principal(), agent(tool_groups=("shop", "shop")), REGISTRY) == (search, set_status)
    assert allowed(Principal(), agent(tool_groups=("other",)), REGISTRY) == ()


def test_a_public_agent_is_everybodys() -> None:
    open_to_all, hidden = agent("a"), agent("b", public=False)
    assert agents_for(Principal(tenant="globex"), [open_to_all, hidden]) == (open_to_all,)


def test_an_agent_that_names_tenants_is_theirs_alone() -> None:
    ours, theirs = agent("a", public=False, tenants=("acme",)), agent("b", tenants=("globex",))
    assert agents_for(Principal(tenant="acme"), [ours, theirs]) == (ours,)
    assert allowed(Principal(tenant="acme"), theirs, REGISTRY) == ()
