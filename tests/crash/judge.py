"""What became of all that was asked: counted from the vault, the runs, the checkpoints, and what the desk tells."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from checkpoints.database import Pool
from tests.crash.caller import Ask, Caller
from tests.crash.servers import Servers

Json = dict[str, Any]
LINES = """
SELECT thread_id, count(*) AS all_of_them, count(DISTINCT parent_checkpoint_id) AS parents,
    count(*) FILTER (WHERE parent_checkpoint_id IS NULL) AS roots,
    count(*) FILTER (WHERE parent_checkpoint_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM checkpoints p WHERE p.thread_id = c.thread_id AND p.checkpoint_ns = c.checkpoint_ns
        AND p.checkpoint_id = c.parent_checkpoint_id)) AS orphans
FROM checkpoints c WHERE checkpoint_ns = '' AND thread_id = ANY(%s) GROUP BY thread_id"""
UNSETTLED = """
SELECT t.thread_id::text, t.status, array_agg(r.status) FILTER (WHERE r.status IN ('pending', 'running')) AS runs
FROM frontdesk.threads t LEFT JOIN frontdesk.runs r USING (thread_id)
WHERE t.thread_id::text = ANY(%s) GROUP BY t.thread_id, t.status
HAVING t.status <> 'idle' OR bool_or(r.status IN ('pending', 'running'))"""


@dataclass(kw_only=True)
class Verdict:
    """Counts; all but `turns`, `effects` and `unknown` must be 0. `untrue`: where the desk told it otherwise."""

    turns: int = 0
    effects: int = 0
    twice: int = 0
    lost: int = 0
    stuck: int = 0
    damaged: int = 0
    untrue: int = 0
    unknown: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not (self.twice or self.lost or self.stuck or self.damaged or self.untrue or self.problems)

    def add(self, other: "Verdict") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


async def judge(callers: Sequence[Caller], servers: Servers, pool: Pool) -> Verdict:
    verdict = Verdict()
    asks = [ask for caller in callers for ask in caller.asks]
    threads = [caller.thread_id for caller in callers if caller.thread_id]
    verdict.turns = len(asks)
    await _effects(asks, pool, verdict)
    await _runs(asks, pool, verdict)
    async with pool.connection() as connection:
        for row in await (await connection.execute(UNSETTLED, (threads,))).fetchall():
            verdict.stuck += 1
            verdict.problems.append(f"thread {row['thread_id']} is {row['status']}, its runs {row['runs']}")
        for row in await (await connection.execute(LINES, (threads,))).fetchall():
            if row["roots"] != 1 or row["orphans"] or row["parents"] + 1 != row["all_of_them"]:
                verdict.damaged += 1
                verdict.problems.append(f"the checkpoints of thread {row['thread_id']} are not one line: {row}")
    for caller in callers:
        await _history(caller, servers, verdict)
    return verdict


async def _effects(asks: Collection[Ask], pool: Pool, verdict: Verdict) -> None:
    happened: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    async with pool.connection() as connection:
        names = [ask.name for ask in asks]
        rows = await connection.execute("SELECT ask, tool, no FROM vault.effects WHERE ask = ANY(%s)", (names,))
        async for row in rows:
            happened[row["ask"], row["tool"]].append(row["no"])
    verdict.effects = sum(map(len, happened.values()))
    for (name, tool), times in happened.items():
        if len(times) > 1:
            verdict.twice += 1
            verdict.problems.append(f"{tool} of {name} happened {len(times)} times: {times}")
    for ask in asks:
        effects = {(tool, no) for (name, tool), times in happened.items() if name == ask.name for no in times}
        for problem in untruths(ask, effects):
            verdict.untrue += 1
            verdict.problems.append(f"{ask.message}: {problem}")
        calls = (ask.result or {}).get("tool_calls", [])
        verdict.unknown += sum(call["status"] == "unknown" for call in calls)


def untruths(ask: Ask, effects: Collection[tuple[str, str]]) -> list[str]:
    """What was told and did not happen, what happened and was not told, and an answer to something else. Reads have no
    effect."""
    told = {"done": set[tuple[str, str]](), "unknown": set[tuple[str, str]]()}
    for call in (ask.result or {}).get("tool_calls", []):
        if call["tool"] != "look" and call["status"] in told:
            told[call["status"]].add((call["tool"], call["arguments"]["no"]))
    reply = (ask.result or {}).get("reply", "")
    strange = ask.result is not None and ask.message != "hello" and not told["unknown"] and ask.name not in reply
    return [
        *([f"the reply is {reply!r}"] if strange else []),
        *(f"{call} is done, and had no effect" for call in sorted(told["done"] - set(effects))),
        *(f"{call} had an effect, and is not told" for call in sorted(set(effects) - told["done"] - told["unknown"])),
    ]


async def _runs(asks: Collection[Ask], pool: Pool, verdict: Verdict) -> None:
    """Each input that a server took has its run, and that run its result."""
    taken = {run_id: ask for ask in asks for run_id in ask.runs.values() if run_id}
    async with pool.connection() as connection:
        rows = await connection.execute(
            "SELECT run_id::text, status, result IS NOT NULL AS answered FROM frontdesk.runs "
            "WHERE run_id::text = ANY(%s)",
            (list(taken),),
        )
        runs = {row["run_id"]: row async for row in rows}
    for ask in asks:
        wrong = [*ask.problems]
        for run_id in filter(None, ask.runs.values()):
            row = runs.get(run_id)
            if row is None:
                wrong.append(f"run {run_id} was taken, and is gone")
            elif row["status"] != "success" or not row["answered"]:
                wrong.append(f"run {run_id} came to {row['status']}, answered: {row['answered']}")
        if ask.result is None:
            wrong.append("has no answer")
        elif ask.result["status"] != "completed":
            wrong.append(f"is {ask.result['status']}: {ask.result['reply']}")
        if wrong:
            verdict.lost += 1
            verdict.problems += [f"{ask.message}: {problem}" for problem in wrong]


async def _history(caller: Caller, servers: Servers, verdict: Verdict) -> None:
    """As the desk itself shows it."""
    if not caller.thread_id:
        return
    questions = [ask.message for ask in caller.asks if ask.result is not None]
    url = next(server.url for server in servers.all if server.url)
    state = (await servers.http.get(f"{url}/threads/{caller.thread_id}/state")).json()
    turns = (await servers.http.get(f"{url}/threads/{caller.thread_id}/turns", params={"limit": 1000})).json()
    wrong = damage(state["values"]["messages"], questions)
    if [turn["question"] for turn in turns] != questions:
        wrong.append(f"the transcript has {[turn['question'] for turn in turns]}")
    wrong += [f"the turn {turn['question']} is {turn['status']}" for turn in turns if turn["status"] != "completed"]
    if wrong:
        verdict.damaged += 1
        verdict.problems += [f"thread {caller.thread_id}: {problem}" for problem in wrong]


def damage(messages: Sequence[Json], questions: Sequence[str]) -> list[str]:
    """What is wrong with a thread's messages: each question once and in order, each call answered at once and once,
    one reply to a turn, no id twice."""
    wrong = [
        f"the id {one} is there {times} times" for one, times in Counter(m["id"] for m in messages).items() if times > 1
    ]
    asked = [m["content"] for m in messages if m["type"] == "human"]
    if asked != list(questions):
        wrong.append(f"it was asked {list(questions)}, and holds {asked}")
    turns: list[list[Json]] = []
    for message in messages:
        if message["type"] == "human" or not turns:
            turns.append([])
        turns[-1].append(message)
    return wrong + [problem for turn in turns for problem in _of_turn(turn)]


def _of_turn(turn: Sequence[Json]) -> list[str]:
    question, *rest = turn
    wrong, open_calls, replies = [], set[str](), 0
    for message in rest:
        if message["type"] == "tool":
            if message["tool_call_id"] not in open_calls:
                wrong.append(f"{question['content']}: {message['tool_call_id']} is answered out of place")
            open_calls.discard(message["tool_call_id"])
            continue
        if open_calls:
            wrong.append(f"{question['content']}: {sorted(open_calls)} have no answer")
        open_calls = {call["id"] for call in message.get("tool_calls") or []}
        replies += not open_calls
    if open_calls:
        wrong.append(f"{question['content']}: {sorted(open_calls)} have no answer")
    if replies != 1 or rest[-1]["type"] != "ai":
        shape = [message["type"] for message in turn]
        wrong.append(f"{question['content']}: has {replies} replies in {shape}")
    return wrong
