"""What the audit keeps of turns that go wrong, over the real ledger and the real tables."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from checkpoints.audit import AuditStore, Recorded, Wanted
from server import House
from tests.graphs.driver import APPROVE, Desk
from tests.graphs.test_assistant_effects import Till, again
from tools.executor import Executor
from tools.providers.python import open_adapters


class AuditedTill(Till):
    """A till whose calls are recorded as well."""

    def watched_by(self, audit: AuditStore) -> "AuditedTill":
        services = self._services
        self.asks = services.registry["pay"].confirm
        cards = services.catalogue.cards
        executor = Executor(services.registry, self._resources, cards, ledger=self._ledger, audit=audit)
        self._services = replace(services, executor=executor)
        self.audit = audit
        return self

    async def calls(self, desk: Desk) -> list[Recorded]:
        """The oldest first."""
        return (await self.audit.find(Wanted(thread_id=desk.thread)))[::-1]

    def desk(self, **more: object) -> Desk:
        one = super().desk(**more)
        one.asking(run_id="")  # the driver makes no row of a run
        return one


@pytest.fixture(params=[False, True], ids=["at once", "after a yes"])
async def till(house: House, request: pytest.FixtureRequest) -> AsyncIterator[AuditedTill]:
    async with open_adapters(house.written.adapters, house.pool, {}) as resources:
        one = AuditedTill(house, resources, confirm=request.param)
        yield one.watched_by(AuditStore(house.pool, house.saver))


async def pay(desk: Desk) -> None:
    await desk.say("tillia 7")
    if desk.interrupts:
        await desk.answer(APPROVE)


async def test_an_effect_is_in_the_ledger_and_in_the_audit_and_both_agree(till: AuditedTill) -> None:
    desk = till.desk()
    await pay(desk)
    (row,) = await till.rows(desk)
    (call,) = await till.calls(desk)
    assert (call.tool, call.outcome, call.turn_id) == (row.tool, row.status, row.turn_id)
    assert (row.tool, row.status) == ("pay", "done")
    assert call.arguments == row.arguments
    assert (call.confirmation or {}).get("answer") == ("approve" if till.asks else None)


async def test_an_effect_that_ended_though_its_turn_was_cancelled_is_in_it(till: AuditedTill) -> None:
    desk = till.desk()
    till.during = lambda: asyncio.sleep(0.1)
    turn = asyncio.create_task(pay(desk))
    await till.began.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert [(call.outcome, call.result) for call in await till.calls(desk)] == [("done", "paid tillia 7, 1")]


async def test_a_call_whose_end_nobody_knows_is_in_it_as_unknown(till: AuditedTill) -> None:
    desk = till.desk()
    await pay(desk)
    await till.forget_the_end(desk)
    await again(desk, "execute")
    assert [(call.outcome, call.reason) for call in await till.calls(desk)] == [("done", ""), ("unknown", "unsettled")]


async def test_a_call_that_is_answered_from_the_ledger_says_so(till: AuditedTill) -> None:
    desk = till.desk()
    await pay(desk)
    await again(desk, "execute")
    assert [(call.outcome, call.reason) for call in await till.calls(desk)] == [("done", ""), ("done", "recorded")]
    assert till.paid == ["tillia 7"]


@pytest.mark.parametrize("till", [True], indirect=True, ids=["after a yes"])
async def test_two_processes_that_answer_at_once_are_both_in_it_with_one_effect(till: AuditedTill) -> None:
    one = till.desk()
    await one.say("tillia 7")
    two = till.desk()
    two.thread, two.interrupts = one.thread, one.interrupts
    till.during = lambda: asyncio.sleep(0.05)
    await asyncio.gather(one.answer(APPROVE), two.answer(APPROVE), return_exceptions=True)
    calls = await till.calls(one)
    assert till.paid == ["tillia 7"]
    assert sorted((call.outcome, call.reason) for call in calls)[0] == ("done", "")
    assert all(call.confirmation is not None and call.confirmation["by"] == "alex" for call in calls)
