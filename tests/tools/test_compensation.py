"""How a call is undone: which one it takes, with which arguments, and that only this one goes without a yes."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from auth.principal import Principal
from errors import ConfigurationError
from tests.fakes.ledger import MemoryLedger
from tests.tools.samples import agent, caller, search
from tools.call import Call, Caller, Done, Outcome
from tools.compensation import undoing
from tools.executor import Executor
from tools.ledger import canonical, effect_key, undo_of
from tools.registry import Registry
from tools.switches import Stops, Switches
from tools.tool import Arg, Compensation, Tool, ToolContext, ToolResult, tool

NO = Arg(description="what it is about", example="7")
GIVE_BACK = Compensation(tool="refund", arguments={"no": "result.receipts.0.no", "note": "arguments.note"})


class Receipt(BaseModel):
    no: str


class Paid(BaseModel):
    receipts: list[Receipt]


def paying(compensate: Compensation | None = GIVE_BACK, **metadata: Any) -> Tool:
    @tool(**{"group": "shop", "permission": "order:write", "effect": True, "compensate": compensate, **metadata})
    async def pay(ctx: ToolContext, no: Annotated[str, NO], note: Annotated[str | None, NO] = None) -> ToolResult:
        """Pay."""
        return ToolResult(content=f"paid {no}", data={"receipts": [{"no": f"r-{no}"}]})

    return pay


class Till:
    """What was given back."""

    def __init__(self, **metadata: Any) -> None:
        self.refunded: list[str] = []
        self.keys: list[str] = []

        @tool(**{"group": "undo", "permission": "money:back", "confirm": True, **metadata})
        async def refund(
            ctx: ToolContext, no: Annotated[str, NO], note: Annotated[str | None, NO] = None
        ) -> ToolResult:
            """Give it back."""
            self.refunded.append(no)
            self.keys.append(ctx.idempotency_key)
            return ToolResult(content=f"gave back {no}")

        self.refund = refund


DONE = Done(id="c1", tool="pay", arguments={"no": "7"}, data={"receipts": [{"no": "r-7"}]})
WHO = Principal(permissions=frozenset())


async def run(by: Executor, who: Caller, name: str = "refund", no: str = "r-7") -> Outcome:
    call = Call(id="u0", name=name, arguments={"no": no})
    return await by.run(call, who, confirmation=None, deadline_s=5)


def test_the_arguments_come_from_the_call_and_from_what_it_gave_back() -> None:
    assert undoing(DONE, paying()) == {"no": "r-7", "note": None}
    noted = Done(id="c1", tool="pay", arguments={"no": "7", "note": "late"}, data=DONE.data)
    assert undoing(noted, paying()) == {"no": "r-7", "note": "late"}


@pytest.mark.parametrize("data", [{}, {"receipts": []}, {"receipts": [{}]}, {"receipts": "r-7"}, {"receipts": None}])
def test_a_call_that_did_not_give_back_what_is_needed_cannot_be_undone(data: dict[str, Any]) -> None:
    assert undoing(Done(id="c", tool="pay", arguments={"no": "7"}, data=data), paying()) is None


def test_a_tool_that_says_nothing_of_it_cannot_be_undone() -> None:
    assert undoing(DONE, paying(None)) is None


@pytest.mark.parametrize(
    ("compensate", "says"),
    [
        (Compensation(tool="refunds", arguments={}), "there is no tool 'refunds' beside it; did you mean 'refund'?"),
        (Compensation(tool="search", arguments={}), "'search' has no effect"),
        (Compensation(tool="refund", arguments={}), "'refund' requires 'no', which nothing fills"),
        (Compensation(tool="refund", arguments={"no": "arguments.no", "nr": "arguments.no"}), "no parameter 'nr'"),
        (Compensation(tool="refund", arguments={"no": "arguments.number"}), "there is no such argument"),
        (Compensation(tool="refund", arguments={"no": "no"}), "must be 'arguments.<name>' or 'result.<path>'"),
        (Compensation(tool="refund", arguments={"no": "result."}), "must be 'arguments.<name>' or 'result.<path>'"),
        (Compensation(tool="refund", arguments={"no": "result.receipt"}), "did you mean 'receipts'?"),
        (Compensation(tool="refund", arguments={"no": "result.receipts.no"}), "must be an index such as 0"),
    ],
)
def test_a_way_of_undoing_that_can_never_work_stops_the_start(compensate: Compensation, says: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        Registry([paying(compensate, result=Paid), Till().refund, search])
    assert str(raised.value).startswith("tool 'pay': compensate: ")
    assert says in str(raised.value)


def test_a_tool_is_undone_by_one_of_its_own_source() -> None:
    registry = Registry([paying(), Till().refund])
    with pytest.raises(ConfigurationError, match="there is no tool 'refund' beside it"):
        registry.replace("elsewhere", [replaced(paying(), source="elsewhere", name="pay_there")])
    assert set(registry) == {"pay", "refund"}


def test_a_tool_that_changes_nothing_has_nothing_to_undo() -> None:
    with pytest.raises(ConfigurationError, match="compensate on a tool without an effect"):
        paying(effect=False)


def replaced(made: Tool, **changes: Any) -> Tool:
    return Tool(**{**vars(made), **changes})


async def test_an_undo_needs_neither_a_yes_nor_a_permission_of_its_own() -> None:
    till = Till()
    by = Executor(Registry([paying(), till.refund]), {}, {})
    outcome = await run(by, caller(principal=WHO, undoes=DONE))
    assert (outcome.status, till.refunded) == ("done", ["r-7"])


async def test_what_undoes_something_is_else_refused_and_asked_about_like_any_tool() -> None:
    till = Till()
    by = Executor(Registry([paying(), till.refund]), {}, {})
    assert (await run(by, caller())).reason == "not_permitted"
    allowed = caller(agent=agent(tool_groups=("undo",)), principal=Principal(permissions=frozenset({"*"})))
    assert (await run(by, allowed)).reason == "not_confirmed"
    assert till.refunded == []


@pytest.mark.parametrize(
    "undone", [Done(id="c", tool="search", arguments={}, data={}), Done(id="c", tool="gone", arguments={}, data={})]
)
async def test_only_the_tool_that_undoes_a_call_is_let_through_for_it(undone: Done) -> None:
    till = Till()
    by = Executor(Registry([paying(), till.refund, search]), {}, {})
    outcome = await run(by, caller(undoes=undone))
    assert (outcome.status, outcome.reason, till.refunded) == ("refused", "not_permitted", [])
    assert (await run(by, caller(undoes=DONE, agent=agent(tool_groups=())), name="pay")).reason == "not_permitted"


@pytest.mark.parametrize("stops", [Stops(read_only=True), Stops(disabled=frozenset({"refund"}))])
async def test_what_an_operator_has_stopped_is_not_undone_either(stops: Stops) -> None:
    till = Till()
    by = Executor(Registry([paying(), till.refund]), {}, {}, switches=Switches(stops))
    outcome = await run(by, caller(undoes=DONE))
    assert (outcome.status, till.refunded) == ("refused", [])
    assert outcome.reason in ("read_only", "disabled")


async def test_an_undo_happens_once_and_is_not_taken_for_the_same_call_made_for_its_own_sake() -> None:
    till, ledger = Till(confirm=False, effect=True, group="shop"), MemoryLedger()
    by = Executor(Registry([paying(), till.refund]), {}, {}, ledger=ledger)
    permitted = Principal(permissions=frozenset({"*"}))
    await run(by, caller(principal=permitted))
    for _ in range(2):
        outcome = await run(by, caller(principal=permitted, undoes=DONE))
    assert (till.refunded, outcome.reason) == (["r-7", "r-7"], "recorded")
    assert till.keys == [row.effect_key for row in ledger.rows]
    assert ledger.rows[1].effect_key == effect_key("t1", "refund", {"no": "r-7"}, "c1")


async def test_a_replay_answers_an_undo_from_the_record_of_what_it_undid() -> None:
    till = Till()
    by = Executor(Registry([paying(), till.refund]), {}, {})
    own = {"status": "done", "summary": "for its own sake"}
    undo = {"status": "done", "summary": "gave back"}
    arguments = {"no": "r-7"}
    recorded = {canonical("refund", arguments): own, undo_of(canonical("pay", DONE.arguments)): undo}
    outcome = await run(by, caller(mode="replay", recorded=recorded, undoes=DONE))
    assert (outcome.status, outcome.content) == ("done", "gave back")
    missed = await run(by, caller(mode="replay", recorded={canonical("refund", arguments): own}, undoes=DONE))
    assert (missed.status, till.refunded) == ("not_executed", [])


async def test_work_that_an_earlier_turn_did_says_so() -> None:
    pays, ledger = paying(business_key="{no}"), MemoryLedger()
    by = Executor(Registry([pays, Till().refund]), {}, {}, ledger=ledger)
    permitted = Principal(permissions=frozenset({"*"}))
    outcomes = [await run(by, caller(principal=permitted, turn_id=turn), name="pay") for turn in ("t1", "t1", "t2")]
    assert [outcome.reason for outcome in outcomes] == ["", "recorded", "done_before"]
