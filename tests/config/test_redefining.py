"""One agent defined otherwise: the rest stays as it was, and what does not fit is told by its key."""

import json
from typing import Any

import pytest
import yaml

from config.catalogue import Catalogue
from config.redefining import redefined
from tests.config.written import SHIPPED
from tools.registry import Registry

MODELS = ("default",)


def todo(**changes: Any) -> dict[str, Any]:
    read = yaml.safe_load((SHIPPED / "agents" / "todo.yaml").read_text(encoding="utf-8"))
    return {**read, **changes}


def problems(catalogue: Catalogue, registry: Registry, agent: Any) -> tuple[str, ...]:
    text = agent if isinstance(agent, str) else json.dumps(agent, ensure_ascii=False)
    loaded = redefined(catalogue, text, registry, MODELS)
    assert loaded.catalogue is None
    return loaded.problems


def test_the_shipped_definition_in_its_own_place_changes_nothing(catalogue: Catalogue, registry: Registry) -> None:
    text = (SHIPPED / "agents" / "todo.yaml").read_text(encoding="utf-8")
    for same in (text, json.dumps(todo(), ensure_ascii=False), json.dumps(todo())):
        loaded = redefined(catalogue, same, registry, MODELS)
        assert loaded.problems == ()
        assert loaded.catalogue is not None
        assert loaded.catalogue.agents == catalogue.agents
        assert list(loaded.catalogue.agents) == list(catalogue.agents)
        assert loaded.catalogue.agent_hash("todo") == catalogue.agent_hash("todo")


def test_only_the_named_agent_is_another_one(catalogue: Catalogue, registry: Registry) -> None:
    agent = todo(keywords=["清单"])
    agent["intents"]["todo.query"]["synonyms"] = ["办事清单"]
    made = redefined(catalogue, yaml.safe_dump(agent, allow_unicode=True), registry, MODELS).catalogue
    assert made is not None
    assert made.agents["todo"].keywords == ("清单",)
    assert made.intents["todo.query"].agent == "todo"
    assert "办事清单" in made.claimed_nouns
    assert "待办" not in made.claimed_nouns
    assert "办事清单" not in catalogue.claimed_nouns
    assert all(made.agents[name] is catalogue.agents[name] for name in catalogue.agents if name != "todo")
    assert made.agent_hash("todo") != catalogue.agent_hash("todo")


def test_an_agent_that_there_is_not_cannot_be_replaced(catalogue: Catalogue, registry: Registry) -> None:
    (problem,) = problems(catalogue, registry, todo(name="todos"))
    assert problem.startswith("agent: name: there is no agent 'todos' to replace; there are ")
    assert problem.endswith("; did you mean 'todo'?")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"colour": "red"}, "agent: unknown key 'colour'"),
        ({"title": {"zh": "待办"}}, "agent: title.en: is missing"),
        ({"memory": {"rounds": 0}}, "agent: memory.rounds: input should be greater than or equal to 1, not 0"),
        ({"prompt": "none.md"}, "agent: prompt: no prompt 'none.md'"),
        ({"model": "fast"}, "agent: model: no model 'fast'"),
        ({"roles": ["boss"]}, "agent: roles.0: no role 'boss'"),
        ({"tenants": ["acme", "umbrella"]}, "agent: tenants.1: no tenant 'umbrella'"),
        ({"tool_groups": ["to-do"]}, "agent: tool_groups.0: no tool is in a group 'to-do'; did you mean 'todo'?"),
    ],
)
def test_a_key_that_does_not_fit_is_named(
    catalogue: Catalogue, registry: Registry, change: dict[str, Any], said: str
) -> None:
    assert problems(catalogue, registry, todo(**change))[0].startswith(said)


def test_intents_are_checked_against_tools_and_other_agents(catalogue: Catalogue, registry: Registry) -> None:
    agent = todo()
    agent["intents"]["todo.query"] |= {"tool": "list_todo", "arguments": {}}
    agent["intents"]["todo.add"]["arguments"] = {"colour": "content"}
    agent["intents"]["order"] = agent["intents"]["todo.query"]
    found = problems(catalogue, registry, agent)
    assert "agent: intents.todo.query.tool: no tool 'list_todo'; did you mean 'list_todos'?" in found
    assert any(one.startswith("agent: intents.todo.add.arguments.colour: ") for one in found)
    assert any(one.startswith("agent: intents.order: must begin with its agent's name: todo.order") for one in found)


@pytest.mark.parametrize(
    "text",
    ["", "null", "42", "[]", "{", "name: [", "a: &x 1\nb: *x", "a: 1\na: 2", "x: \x01", "!!python/object:os.x {}"],
)
def test_what_is_no_definition_is_told(catalogue: Catalogue, registry: Registry, text: str) -> None:
    assert all(problem.startswith("agent: ") for problem in problems(catalogue, registry, text))
