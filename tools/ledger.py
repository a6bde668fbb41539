"""What the executor asks of a ledger, so that an effect happens once: a row before the call, and its end after it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal, Protocol

Begun = Literal["begun", "recorded", "unknown"]
Settled = Literal["done", "failed"]


class Row(Protocol):
    """What `begin` found or made.

    `begun`: the row is ours, `started` and committed, and the call is to be made. `recorded`: the call was made before,
    `result` is what `settle` was given then (None with the other two, and where an operator settled the row by hand).
    `unknown`: the call was begun before and nothing is known of its end; whoever may repeat it settles this row. `own`:
    it is this very call's; False where another one has the same business key.
    """

    @property
    def id(self) -> int: ...
    @property
    def state(self) -> Begun: ...
    @property
    def result(self) -> Mapping[str, Any] | None: ...
    @property
    def own(self) -> bool: ...


class Ledger(Protocol):
    async def begin(
        self,
        *,
        effect_key: str,
        business_key: str | None,
        tenant: str,
        user: str,
        thread_id: str,
        turn_id: str,
        run_id: str,
        tool: str,
        arguments: Mapping[str, Any],
    ) -> Row:
        """Commit a `started` row together with the checkpoints that the turn has gathered.

        `effect_key`: the same for the same call in the same turn. `business_key`: unique for tenant and tool across
        turns, None where the tool declares none. `arguments`: coerced, JSON values.

        A row in the way, by either key: `done` is recorded, `started` is unknown, `failed` is started again and ours.
        Of two at once with one key only one is begun. Raises StaleThread and Unavailable, with nothing begun.
        """

    async def settle(self, row_id: int, status: Settled, result: Mapping[str, Any]) -> None:
        """Write the end of a call, at once or with the turn's next commit, also where the turn is given up.

        A row that is not `started` any more stays as it is. Raises Unavailable where the database does not answer.
        """


def effect_key(turn_id: str, tool: str, arguments: Mapping[str, Any], undoes: str = "") -> str:
    """`arguments`: coerced, so that the same call in other spelling has the same key. `undoes`: the id of the call that
    this one undoes, so that it is not mistaken for the same call made for its own sake."""
    parts = [turn_id, canonical(tool, arguments), *([undoes] if undoes else [])]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def canonical(tool: str, arguments: Mapping[str, Any]) -> str:
    """One call as one text: under it a replay finds the recorded outcome."""
    return json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def undo_of(call: str) -> str:
    """The undoing of a call, which is given as one text, as one text."""
    return f"undo {call}"
