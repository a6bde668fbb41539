"""A ledger in memory, for tests of what stands around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tools.ledger import Begun, Settled


@dataclass(frozen=True, kw_only=True)
class Found:
    id: int
    state: Begun
    result: Mapping[str, Any] | None = None
    own: bool = True


@dataclass(kw_only=True)
class Written:
    id: int
    effect_key: str
    business_key: str | None
    tenant: str
    user: str
    thread_id: str
    turn_id: str
    run_id: str
    tool: str
    arguments: Mapping[str, Any]
    status: Literal["started", "done", "failed"] = "started"
    result: Mapping[str, Any] | None = None


@dataclass(kw_only=True)
class MemoryLedger:
    """`broken_by`: raised by `begin` or `settle`, as where the database does not answer."""

    rows: list[Written] = field(default_factory=list)
    broken_by: dict[Literal["begin", "settle"], Exception] = field(default_factory=dict)

    async def begin(self, *, effect_key: str, business_key: str | None, tenant: str, tool: str, **rest: Any) -> Found:
        if error := self.broken_by.get("begin"):
            raise error
        keys = tenant, tool, business_key
        in_the_way = [
            row
            for row in self.rows
            if row.effect_key == effect_key
            or (business_key and row.status != "failed" and (row.tenant, row.tool, row.business_key) == keys)
        ]
        for status, state in (("done", "recorded"), ("started", "unknown")):
            for row in in_the_way:
                if row.status == status:
                    own = row.effect_key == effect_key
                    return Found(id=row.id, state=state, result=row.result, own=own)  # type: ignore[arg-type]  # of two
        if in_the_way:
            in_the_way[0].status = "started"
            return Found(id=in_the_way[0].id, state="begun")
        row = Written(
            id=len(self.rows), effect_key=effect_key, business_key=business_key, tenant=tenant, tool=tool, **rest
        )
        self.rows.append(row)
        return Found(id=row.id, state="begun")

    async def settle(self, row_id: int, status: Settled, result: Mapping[str, Any]) -> None:
        if error := self.broken_by.get("settle"):
            raise error
        row = self.rows[row_id]
        if row.status == "started":
            row.status, row.result = status, dict(result)
