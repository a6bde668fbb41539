"""The OpenAPI page: every route says what it is for, and its examples look as answers do."""

from typing import Any

import pytest

from api.thread_examples import RUN_EXAMPLE, STATE_EXAMPLE, THREAD_EXAMPLE, TURN_EXAMPLE
from tests.api.desk import Desk
from tests.api.scenes import ROW, RUN, STATE, get


async def operations(desk: Desk) -> dict[str, dict[str, Any]]:
    page = await get(desk, "/openapi.json")
    return {
        f"{method.upper()} {path}": operation
        for path, by_method in page["paths"].items()
        for method, operation in by_method.items()
    }


async def test_every_route_says_in_a_few_words_what_it_is_for(desk: Desk) -> None:
    found = await operations(desk)
    assert [name for name, operation in found.items() if not operation.get("summary")] == []
    ids = [operation["operationId"] for operation in found.values()]
    assert len(ids) == len(set(ids))


async def test_whatever_takes_a_body_shows_one(desk: Desk) -> None:
    bodies = {
        name: operation["requestBody"]["content"]["application/json"]
        for name, operation in (await operations(desk)).items()
        if "requestBody" in operation
    }
    assert bodies
    assert [name for name, body in bodies.items() if not body.get("examples")] == []


@pytest.mark.parametrize(("example", "keys"), [(THREAD_EXAMPLE, ROW), (STATE_EXAMPLE, STATE), (RUN_EXAMPLE, RUN)])
def test_an_example_has_the_keys_of_an_answer(example: dict[str, Any], keys: set[str]) -> None:
    assert set(example) == keys


async def test_the_example_of_a_transcript_has_the_keys_of_one(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    (turn,) = await get(desk, f"/threads/{asked['thread_id']}/turns")
    assert set(turn) == set(TURN_EXAMPLE)
    assert set(turn["runs"][0]) == set(TURN_EXAMPLE["runs"][0])
    assert set(turn["calls"][0]) == set(TURN_EXAMPLE["calls"][0])
