"""What a caller sees of a model: its words as they come, what it cost, and nothing of what it got wrong."""

from collections.abc import AsyncIterator

import pytest

from graphs.runner import Asked
from nodes.context import Context
from tests.api.desk import Desk, in_process, settings
from tests.fakes.openai_replies import Reply, call, cut, text
from tests.fakes.openai_server import ModelServer

UNKNOWN = call("choose_intents", {"intents": ["unknown"]})
SAID = "I can look up orders, users and figures for you; just ask."
QUESTION = "fly me to the moon"


@pytest.fixture(scope="module")
async def helped(database_url: str, running_model_server: ModelServer) -> AsyncIterator[Desk]:
    chosen = settings(
        database_url, demo=False, model_base_url=running_model_server.url, model_name="m", model_api_key="k"
    )
    async with in_process(chosen) as opened:
        yield opened


async def test_the_model_s_words_come_piece_by_piece_and_make_up_the_reply(
    helped: Desk, model_server: ModelServer
) -> None:
    model_server.script([UNKNOWN, text(SAID)])
    events = await helped.events(message=QUESTION)
    pieces = [event.data for event in events if event.kind == "token"]
    assert len(pieces) > 3
    assert len({piece["message_id"] for piece in pieces}) == 1
    result = events[-1].data
    assert "".join(piece["content"] for piece in pieces) == result["reply"] == SAID
    assert result["usage"]["model_calls"] == 2
    assert result["usage"]["output_tokens"] > 0
    assert (result["intents"], result["agent"]) == (["unknown"], None)


@pytest.mark.parametrize(
    "reply", [cut(SAID), Reply(text=""), Reply(text=SAID, finish="length")], ids=["cut", "empty", "length"]
)
async def test_words_that_break_off_are_followed_by_the_whole_answer_under_another_id(
    helped: Desk, model_server: ModelServer, reply: Reply
) -> None:
    model_server.script([UNKNOWN, reply, reply, reply])
    events = await helped.events(message=QUESTION)
    pieces = [event.data for event in events if event.kind == "token"]
    result = events[-1].data
    assert result["status"] == "completed"
    last = [piece["content"] for piece in pieces if piece["message_id"] == pieces[-1]["message_id"]]
    assert "".join(last) == result["reply"] != SAID


async def test_a_model_that_is_gone_is_not_seen(helped: Desk, model_server: ModelServer) -> None:
    model_server.script([])
    result = await helped.ask(QUESTION)
    assert (result["status"], result["intents"]) == ("completed", ["unknown"])
    assert result["suggestions"]


async def test_the_first_event_comes_before_any_model_is_asked(helped: Desk, model_server: ModelServer) -> None:
    model_server.script([UNKNOWN.but(first_s=0.3), text(SAID)])
    run = await helped.opened["runner"].start(Asked(context=Context(), message=QUESTION))
    first = await anext(run.events())
    assert first is not None
    assert first.kind == "turn"
    assert not model_server.requests
    await run.result()
