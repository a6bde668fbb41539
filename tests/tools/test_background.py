"""A call of a background tool is accepted once, with a number, and its caller's tasks are its caller's alone."""

import asyncio
from collections.abc import Mapping
from typing import Any

import psycopg
import pytest

from auth.principal import Principal
from checkpoints.database import Pool
from checkpoints.ledger import LedgerStore
from checkpoints.saver import TurnSaver
from checkpoints.tasks import Tasks
from tests.checkpoints.asking import count
from tests.checkpoints.working import accept, again
from tests.fakes.ledger import MemoryLedger
from tests.tools.packing import packing
from tests.tools.samples import caller
from tools.background import Background, TaskStore
from tools.call import Call, Caller, Outcome
from tools.executor import Executor
from tools.ledger import Ledger
from tools.registry import Registry
from tools.tasks import Task
from tools.tool import Tool, ToolContext, ToolResult, tool


def executor(pool: Pool, *, ledger: Ledger | None = None, made: Tool | None = None) -> Executor:
    background = Background(Tasks(pool))
    return Executor(Registry([made or packing()]), {}, {}, ledger=ledger, background=background)


async def ask(by: Executor, who: Caller, arguments: Mapping[str, Any] | None = None, name: str = "pack") -> Outcome:
    call = Call(id="c1", name=name, arguments={"number": "三"} if arguments is None else arguments)
    return await by.run(call, who, confirmation=None, deadline_s=5.0)


async def test_a_call_is_accepted_with_a_number(pool: Pool) -> None:
    who = caller(thread_id="t1", turn_id="accepted")
    outcome = await ask(executor(pool), who)
    number = outcome.data["task_id"]
    assert (outcome.status, outcome.direct, outcome.arguments) == ("accepted", True, {"number": 3})
    assert f"background task {number}" in outcome.content
    task = await Tasks(pool).get(int(number), who.principal.tenant, who.principal.user)
    assert (task.tool, task.title, task.arguments, task.thread_id) == ("pack", "packing", {"number": 3}, "t1")
    assert (task.agent, task.locale, tuple(task.roles)) == (who.agent.name, who.locale, who.principal.roles)


async def test_it_is_said_in_the_callers_language(pool: Pool) -> None:
    outcome = await ask(executor(pool), caller(locale="zh", turn_id="chinese"))
    assert outcome.content.startswith("已受理：打包，后台任务 ")


@pytest.mark.parametrize("kind", ["memory", "stored", "none"])
async def test_the_same_call_of_a_turn_is_one_task(pool: Pool, kind: str) -> None:
    ledgers: dict[str, Ledger | None] = {
        "memory": MemoryLedger(),
        "stored": LedgerStore(pool, TurnSaver(pool)),
        "none": None,
    }
    by, who = executor(pool, ledger=ledgers[kind]), caller(turn_id=f"same {kind}")
    outcomes = await asyncio.gather(*(ask(by, who) for _ in range(4)))
    assert len({outcome.data["task_id"] for outcome in outcomes}) == 1
    assert {outcome.status for outcome in outcomes} == {"accepted"}
    assert await count(pool, f"frontdesk.tasks WHERE turn_id = 'same {kind}'") == 1


async def test_a_call_whose_end_was_not_written_down_finds_its_task(pool: Pool) -> None:
    """The process died after the task was put in, and before the ledger could say so."""
    who, ledger = caller(turn_id="cut off"), MemoryLedger()
    first = await ask(executor(pool, ledger=ledger), who)
    ledger.rows[0].status, ledger.rows[0].result = "started", None
    again_ = await ask(executor(pool, ledger=ledger), who)
    assert (again_.status, again_.data) == ("accepted", first.data)
    assert await count(pool, "frontdesk.tasks WHERE turn_id = 'cut off'") == 1
    assert [row.status for row in ledger.rows] == ["done"]


async def test_bad_arguments_put_nothing_in(pool: Pool) -> None:
    for arguments in ({"number": "many"}, {"number": 1, "x": 2}, {"number": True}):
        outcome = await ask(executor(pool), caller(turn_id="bad"), arguments)
        assert (outcome.status, outcome.reason) == ("refused", "bad_arguments")
    assert await count(pool, "frontdesk.tasks WHERE turn_id = 'bad'") == 0


async def test_without_a_permission_nothing_is_put_in(pool: Pool) -> None:
    who = caller(turn_id="reader", principal=Principal(permissions=frozenset({"*:read"})))
    assert (await ask(executor(pool), who)).reason == "not_permitted"
    assert await count(pool, "frontdesk.tasks WHERE turn_id = 'reader'") == 0


async def test_what_needs_a_yes_waits_for_it(pool: Pool) -> None:
    by, who = executor(pool, made=packing(confirm=True)), caller(turn_id="yes")
    assert (await ask(by, who)).status == "rejected"
    assert await count(pool, "frontdesk.tasks WHERE turn_id = 'yes'") == 0


async def test_a_replay_puts_nothing_in(pool: Pool) -> None:
    outcome = await ask(executor(pool), caller(turn_id="replayed", mode="replay"))
    assert outcome.status == "not_executed"
    assert await count(pool, "frontdesk.tasks WHERE turn_id = 'replayed'") == 0


async def test_a_desk_without_background_work_says_so() -> None:
    by = Executor(Registry([packing()]), {}, {})
    outcome = await ask(by, caller())
    assert (outcome.status, outcome.reason) == ("refused", "no_background")


class Away:
    """Where tasks would be kept, and nothing answers."""

    def __init__(self, fault: Exception | None) -> None:
        self._fault = fault

    async def accept(self, **_: Any) -> Task:
        if self._fault is not None:
            raise self._fault
        await asyncio.Event().wait()
        raise AssertionError

    async def get(self, task_id: int, tenant: str, user: str) -> Task:
        raise NotImplementedError

    async def latest(self, tenant: str, user: str, thread_id: str, *, limit: int) -> list[Task]:
        raise NotImplementedError

    async def cancel(self, task_id: int, tenant: str, user: str) -> Task:
        raise NotImplementedError


@pytest.mark.parametrize("fault", [psycopg.OperationalError("gone"), None])
async def test_where_the_database_does_not_answer_nobody_knows(fault: Exception | None) -> None:
    ledger, away = MemoryLedger(), Away(fault)
    store: TaskStore = away
    by = Executor(Registry([packing()]), {}, {}, ledger=ledger, background=Background(store))
    call = Call(id="c1", name="pack", arguments={})
    outcome = await by.run(call, caller(turn_id="away"), confirmation=None, deadline_s=0.1)
    assert (outcome.status, outcome.reason) == ("unknown", "queue")
    assert ledger.rows[0].status == "started"


async def test_a_tool_sees_its_callers_tasks_and_nobody_elses(pool: Pool) -> None:
    seen: list[ToolContext] = []

    @tool(group="shop", permission="order:read")
    async def look(ctx: ToolContext) -> ToolResult:
        """Look."""
        seen.append(ctx)
        return ToolResult(content="seen")

    mine, theirs = await accept(pool, user="seer", thread_id="t9"), await accept(pool, user="kim", thread_id="t9")
    who = caller(thread_id="t9", principal=Principal(user="seer"))
    await ask(executor(pool, made=look), who, {}, "look")
    own = seen[0].tasks
    assert own is not None
    assert seen[0].thread_id == "t9"
    assert [task.task_id for task in await own.latest("t9", limit=5)] == [mine.task_id]
    assert (await own.find(str(mine.task_id))) is not None
    for wrong in (str(theirs.task_id), "", "x", "١٢", "-1", "9" * 40):
        assert await own.find(wrong) is None
        assert await own.cancel(wrong) is None
    assert (await again(pool, theirs)).status == "queued"
    cancelled = await own.cancel(str(mine.task_id))
    assert cancelled is not None
    assert cancelled.status == "cancelled"
