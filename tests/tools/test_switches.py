"""What an operator has stopped, as a process sees it, over a board that a test sets."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from errors import Unavailable
from tests.tools.samples import answering, caller, search, set_status
from tools.call import Call, Outcome
from tools.executor import Executor
from tools.registry import Registry
from tools.switches import Stops, Switches
from tools.tool import Tool, ToolResult


@dataclass(frozen=True, kw_only=True)
class Set:
    tool: str | None
    stopped: bool
    later: bool = True


@dataclass(kw_only=True)
class Board:
    """`away`: nobody answers. `answers`: when it does; set is at once."""

    rows: list[Set] = field(default_factory=list)
    away: bool = False
    looks: int = 0
    answers: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.answers.set()

    async def switches(self) -> Sequence[Set]:
        self.looks += 1
        await self.answers.wait()
        if self.away:
            raise Unavailable
        return list(self.rows)


READ_ONLY = Stops(read_only=True)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  whoever is waited for tells nobody
            await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("start", "rows", "expected"),
    [
        (Stops(), [], Stops()),
        (READ_ONLY, [], READ_ONLY),
        (Stops(), [Set(tool=None, stopped=True, later=False)], READ_ONLY),
        (Stops(), [Set(tool=None, stopped=True)], READ_ONLY),
        (READ_ONLY, [Set(tool=None, stopped=False)], Stops()),
        (READ_ONLY, [Set(tool=None, stopped=False, later=False)], READ_ONLY),
        (Stops(), [Set(tool="a", stopped=True, later=False)], Stops(disabled=frozenset({"a"}))),
        (Stops(disabled=frozenset({"a", "b"})), [Set(tool="a", stopped=False)], Stops(disabled=frozenset({"b"}))),
        (
            Stops(disabled=frozenset({"a"})),
            [Set(tool="a", stopped=False, later=False)],
            Stops(disabled=frozenset({"a"})),
        ),
    ],
)
def test_a_stop_counts_whenever_it_was_set_and_only_a_later_release_lifts_what_was_there_at_the_start(
    start: Stops, rows: list[Set], expected: Stops
) -> None:
    assert start.under(rows) == expected


def test_read_only_stops_what_has_an_effect_and_disabled_stops_the_tool() -> None:
    assert READ_ONLY.stopping(set_status) == "read_only"
    assert READ_ONLY.stopping(search) is None
    both = Stops(read_only=True, disabled=frozenset({"search", "set_status"}))
    assert (both.stopping(search), both.stopping(set_status)) == ("disabled", "disabled")


async def test_before_an_effect_the_board_is_asked_each_time() -> None:
    board = Board()
    switches = Switches(board=board)
    assert await switches.stopping(set_status) is None
    board.rows = [Set(tool=None, stopped=True)]
    assert await switches.stopping(set_status) == "read_only"
    assert board.looks == 2


async def test_a_reading_call_is_content_with_a_copy_that_is_not_older_than_a_moment() -> None:
    board = Board()
    switches = Switches(board=board)
    for _ in range(50):
        assert await switches.stopping(search) is None
    assert board.looks == 1
    board.rows = [Set(tool="search", stopped=True)]
    async with asyncio.timeout(10):
        while await switches.stopping(search) is None:  # noqa: ASYNC110 - there is nothing to wait on but time
            await asyncio.sleep(0.01)
    assert switches.known.disabled == {"search"}


async def test_what_was_released_is_known_at_once_so_that_nothing_is_refused_for_an_old_stop() -> None:
    """Who plans goes by the copy: over an old stop it would ask for no yes, and the call would then lack one."""
    board = Board(rows=[Set(tool=None, stopped=True)])
    switches = Switches(board=board)
    assert await switches.lately() == READ_ONLY
    for _ in range(20):
        assert await switches.lately() == READ_ONLY
    assert board.looks == 1
    board.rows = [Set(tool=None, stopped=False)]
    switches._asked_at -= 0.2  # as time would do
    assert await switches.lately() == Stops()


async def test_many_readers_at_once_look_once() -> None:
    board = Board()
    board.answers.clear()
    switches = Switches(board=board)
    readers = [asyncio.create_task(switches.stopping(search)) for _ in range(20)]
    await until(lambda: bool(board.looks))
    board.answers.set()
    assert await asyncio.gather(*readers) == [None] * 20
    assert board.looks == 1


async def test_where_the_board_is_away_reading_goes_on_as_it_was_and_no_effect_begins() -> None:
    board = Board(rows=[Set(tool="search", stopped=True)])
    switches = Switches(board=board)
    await switches.now()
    board.away = True
    switches._asked_at = float("-inf")  # as time would do
    assert await switches.stopping(search) == "disabled"
    looks = board.looks
    assert await switches.stopping(search) == "disabled"
    assert board.looks == looks
    with pytest.raises(Unavailable):
        await switches.stopping(set_status)


async def test_a_board_that_does_not_answer_keeps_no_reader_waiting() -> None:
    board = Board()
    board.answers.clear()
    async with asyncio.timeout(10):
        assert await Switches(board=board).stopping(search) is None


async def test_an_older_answer_does_not_take_the_place_of_a_newer_one() -> None:
    board = Board()
    switches = Switches(board=board)
    board.answers.clear()
    slow = asyncio.create_task(switches.now())
    await until(lambda: bool(board.looks))
    switches._asked_at, switches._known = asyncio.get_running_loop().time() + 1, READ_ONLY  # another one was quicker
    board.answers.set()
    assert (await slow, switches.known) == (Stops(), READ_ONLY)


def executor(switches: Switches, *tools: Tool, max_parallel: int = 16) -> Executor:
    return Executor(Registry(tools), {}, {}, switches=switches, max_parallel=max_parallel)


async def run(
    on: Executor, tool: Tool, arguments: dict[str, str] | None = None, yes: bool = True, locale: str = "en"
) -> Outcome:
    call = Call(id="c", name=tool.name, arguments=arguments or {})
    return await on.run(call, caller(locale=locale), confirmation={"type": "approve"} if yes else None, deadline_s=5)


def fail() -> None:
    raise AssertionError("called")


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en", "the desk is read-only at present; this was not carried out"),
        ("zh", "系统目前处于只读状态，暂时不能修改，这一步没有执行"),
    ],
)
async def test_what_changes_something_is_refused_plainly_while_the_desk_is_read_only(locale: str, said: str) -> None:
    tool = answering(fail, effect=True)
    outcome = await run(executor(Switches(READ_ONLY), tool), tool, locale=locale)
    assert (outcome.status, outcome.reason, outcome.content) == ("refused", "read_only", said)
    reading = answering(ToolResult(content="read"))
    assert (await run(executor(Switches(READ_ONLY), reading), reading)).content == "read"


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en", "answer is switched off at present; this was not carried out"),
        ("zh", "answer 目前已停用，这一步没有执行"),
    ],
)
async def test_a_disabled_tool_is_refused_plainly_and_no_other(locale: str, said: str) -> None:
    tool, stops = answering(fail), Stops(disabled=frozenset({"answer"}))
    on = executor(Switches(stops), tool, search)
    outcome = await run(on, tool, locale=locale)
    assert (outcome.status, outcome.reason, outcome.content) == ("refused", "disabled", said)
    assert (await run(on, search)).status == "done"


async def test_a_persons_no_stays_a_no_and_a_missing_yes_is_not_asked_for_what_is_stopped() -> None:
    on, arguments = executor(Switches(READ_ONLY), set_status), {"order_no": "1", "status": "shipped"}
    assert (await run(on, set_status, arguments, yes=False)).reason == "read_only"
    call = Call(id="c", name="set_status", arguments=arguments)
    rejected = await on.run(call, caller(), confirmation={"type": "reject"}, deadline_s=5)
    assert rejected.status == "rejected"


async def test_a_replay_is_not_stopped_since_nothing_runs() -> None:
    on = executor(Switches(READ_ONLY), set_status)
    call = Call(id="c", name="set_status", arguments={"order_no": "1", "status": "shipped"})
    outcome = await on.run(call, replace(caller(), mode="replay"), confirmation=None, deadline_s=5)
    assert outcome.status == "not_executed"


async def test_a_call_that_waited_for_its_turn_is_stopped_by_what_was_switched_meanwhile() -> None:
    board, free, made = Board(), asyncio.Event(), list[str]()

    async def hold() -> ToolResult:
        made.append("made")
        await free.wait()
        return ToolResult(content="done")

    tool = answering(hold, effect=True, timeout_s=60)
    on = executor(Switches(board=board), tool, max_parallel=1)

    async def ask(turn: str) -> Outcome:
        call = Call(id=turn, name="answer", arguments={})
        return await on.run(call, caller(turn_id=turn), confirmation=None, deadline_s=60)

    first = asyncio.create_task(ask("1"))
    await until(lambda: bool(made))
    second = asyncio.create_task(ask("2"))
    await until(lambda: board.looks == 2)
    board.rows = [Set(tool=None, stopped=True)]
    free.set()
    assert (await first).status == "done"
    assert ((await second).status, made) == ("refused", ["made"])
