"""What is stored of a transcript is less, and reads back as the same."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from checkpoints.database import Pool
from checkpoints.leases import Leases
from checkpoints.runs import Runs
from checkpoints.transcripts import shortened, whole
from tests.checkpoints.asking import ask

Json = dict[str, Any]


def records(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.dictionaries(st.text("abc", min_size=1, max_size=2), of, max_size=3)


plain = st.recursive(
    st.none() | st.text(max_size=5) | st.integers(0, 9), lambda inner: st.lists(inner, max_size=2) | records(inner)
)
cards = st.fixed_dictionaries({"type": st.just("list"), "design": records(plain), "data": records(plain)})


@st.composite
def ended(draw: st.DrawFn) -> tuple[Json, Json]:
    """A transcript and the result of the same run, which mostly say the same."""
    calls, shown, shown_cards = [], [], []
    for number in range(draw(st.integers(0, 3))):
        arguments, text = draw(records(plain)), draw(st.text(max_size=5))
        card = draw(st.none() | cards)
        data = card["data"] if card and draw(st.booleans()) else draw(records(plain))
        content = draw(st.sampled_from([text, None]))
        calls.append(
            {
                "id": str(number), "tool": "t", "agent": "a", "arguments": draw(st.just(arguments) | records(plain)),
                "status": "done", "content": content, "data": data, "card": card, "direct": False,
                "elapsed_ms": 1.234, "confirmation": None,
            }
        )  # fmt: skip
        shown.append(
            {
                "id": str(number),
                "tool": "t",
                "arguments": arguments,
                "summary": text,
                "elapsed_ms": 1.2,
                "status": "done",
            }
        )
        if card and draw(st.booleans()):
            shown_cards.append(card)
    said = {"status": "completed", "requests": draw(st.lists(records(plain), max_size=2)), "usage": {"model_calls": 1}}
    result = {**said, "reply": "yes", "decisions": [], "interrupt": None, "tool_calls": shown, "cards": shown_cards}
    other = {"turn_id": "t", "question": "q", "resume": None, "locale": "en", "events": 5}
    answer = draw(st.sampled_from(["yes", "no"]))
    transcript = {**said, **other, "answer": answer, "decisions": [], "interrupt": None, "calls": calls}
    return transcript, result


@given(ended())
def test_it_reads_back_as_it_was(pair: tuple[Json, Json]) -> None:
    transcript, result = pair
    before = json.dumps([transcript, result])
    kept = shortened(transcript, result)
    assert whole(json.loads(json.dumps(kept)), result) == transcript
    assert json.dumps([transcript, result]) == before


@given(ended())
def test_one_from_before_anything_was_shortened_reads_back_as_it_is(pair: tuple[Json, Json]) -> None:
    transcript, result = pair
    assert whole(transcript, result) == transcript


def test_what_the_result_has_is_not_stored_twice() -> None:
    data = {"rows": ["x" * 100] * 20}
    card = {"type": "list", "design": {"title": "y" * 100}, "data": data}
    call = {"id": "1", "tool": "t", "arguments": {"n": 1}, "status": "done", "content": "said " * 100}
    transcript = {"answer": "said " * 100, "calls": [{**call, "data": data, "card": card, "agent": "a"}], "events": 1}
    shown = {"id": "1", "tool": "t", "arguments": {"n": 1}, "status": "done", "summary": "said " * 100}
    result = {"reply": "said " * 100, "tool_calls": [shown], "cards": [card]}
    assert shortened(transcript, result) == {
        "calls": [{"agent": "a", "card_at": 0, "data_of_card": True}], "events": 1,
    }  # fmt: skip


async def test_the_table_holds_the_short_form_and_readers_the_whole(pool: Pool) -> None:
    runs, leases = Runs(pool), Leases(pool, "here", 10)
    run = (await ask(runs, start=leases)).run
    card = {"type": "list", "design": {}, "data": {"n": [1, 2]}}
    call = {
        "id": "1",
        "tool": "t",
        "arguments": {},
        "status": "done",
        "content": "two",
        "data": {"n": [1, 2]},
        "card": card,
    }
    result = {
        "reply": "two",
        "tool_calls": [{"id": "1", "tool": "t", "summary": "two", "arguments": {}}],
        "cards": [card],
    }
    transcript = {"answer": "two", "calls": [call], "events": 3}
    async with pool.connection() as connection, connection.transaction():
        await runs.finish(
            connection, run.run_id, "here", status="success", thread_status="idle", result=result, transcript=transcript
        )
    async with pool.connection() as connection:
        rows = await connection.execute("SELECT transcript FROM frontdesk.runs WHERE run_id = %s", (run.run_id,))
        stored = await rows.fetchone()
    assert stored is not None
    assert stored["transcript"] == {
        "events": 3, "calls": [{"status": "done", "card_at": 0, "data_of_card": True}],
    }  # fmt: skip
    assert (await runs.get(run.run_id, None, run.tenant_id, run.user_id)).transcript == transcript
    (turn,) = await runs.turns_of(run.thread_id, run.tenant_id, run.user_id)
    assert turn[0].transcript == transcript
