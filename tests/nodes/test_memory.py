"""How much of a thread goes on into the next turn."""

from dataclasses import replace

import pytest

from config.catalogue import Catalogue, MemoryRules
from nodes.memory import bounds_for, write_finished
from nodes.state import Memory, Request
from tests.nodes.said import result
from tools.registry import Registry


def clearing(catalogue: Catalogue, name: str) -> Catalogue:
    """The catalogue with one agent that starts afresh after a write."""
    rules = MemoryRules(rounds=4, clear_when_done=True)
    agents = {**catalogue.agents, name: catalogue.agents[name].model_copy(update={"memory": rules})}
    return replace(catalogue, agents=agents)


def remembered(*, finished: bool) -> Memory:
    request = Request(agent="todo", intent="todo.add", entities={}, spans=[])
    return Memory(requests=[request], finished=finished)


def test_the_agent_of_the_last_turn_says_how_much_is_remembered(catalogue: Catalogue) -> None:
    assert bounds_for(Memory(), catalogue).rounds == 6
    assert bounds_for(remembered(finished=False), clearing(catalogue, "todo")).rounds == 4


def test_after_a_finished_write_only_the_new_turn_is_left(catalogue: Catalogue) -> None:
    assert bounds_for(remembered(finished=True), clearing(catalogue, "todo")).rounds == 1


@pytest.mark.parametrize("status", ["failed", "refused", "rejected", "unknown", "accepted", "not_executed"])
def test_a_write_that_is_not_done_is_not_finished(catalogue: Catalogue, registry: Registry, status: str) -> None:
    answers = [result("x", "add_todo", agent="todo", status=status)]
    assert not write_finished(answers, clearing(catalogue, "todo"), registry)


def test_only_a_write_of_an_agent_that_wants_it_finishes(catalogue: Catalogue, registry: Registry) -> None:
    wrote, read = result("x", "add_todo", agent="todo"), result("y", "list_todos", agent="todo")
    assert write_finished([read, wrote], clearing(catalogue, "todo"), registry)
    assert not write_finished([read], clearing(catalogue, "todo"), registry)
    assert not write_finished([wrote], clearing(catalogue, "business"), registry)
    assert not write_finished([], clearing(catalogue, "todo"), registry)
