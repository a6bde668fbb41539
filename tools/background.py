"""Calls that are not waited for: accepted as tasks, and what a tool may see of its caller's tasks."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import psycopg
from psycopg_pool import PoolTimeout

from auth.principal import Principal
from errors import NotFound, Unavailable
from tools.call import Caller, Outcome
from tools.ledger import effect_key
from tools.tasks import OwnTasks, Task
from tools.texts import attempted, text
from tools.tool import Tool

logger = logging.getLogger(__name__)
ACCEPT_S = 5.0
AWAY = (psycopg.OperationalError, PoolTimeout, Unavailable, TimeoutError)
LONGEST_NUMBER = 18


class TaskStore(Protocol):
    """Where tasks are kept, for those who ask for them."""

    async def accept(
        self,
        *,
        effect_key: str,
        tenant: str,
        user: str,
        roles: Sequence[str],
        agent: str,
        thread_id: str,
        turn_id: str,
        run_id: str,
        tool: str,
        title: str,
        arguments: Mapping[str, Any],
        extra: Mapping[str, Any],
        locale: str,
    ) -> Task:
        """Store it and put it into the queue, both or neither; again with the same `effect_key` gives the first one."""

    async def get(self, task_id: int, tenant: str, user: str) -> Task:
        """Raises NotFound, for somebody else's as well."""

    async def latest(self, tenant: str, user: str, thread_id: str, *, limit: int) -> Sequence[Task]: ...
    async def cancel(self, task_id: int, tenant: str, user: str) -> Task:
        """Raises NotFound."""


class Background:
    """What the executor does with a call that is not to be waited for."""

    def __init__(self, tasks: TaskStore) -> None:
        self._tasks = tasks

    async def accept(self, tool: Tool, arguments: Mapping[str, Any], caller: Caller, limit_s: float) -> Outcome:
        """`accepted` with the number of the task. Where the database does not answer in time: `unknown`."""
        try:
            async with asyncio.timeout(min(ACCEPT_S, limit_s)):
                task = await self._tasks.accept(
                    effect_key=effect_key(caller.turn_id, tool.name, arguments),
                    tenant=caller.principal.tenant,
                    user=caller.principal.user,
                    roles=caller.principal.roles,
                    agent=caller.agent.name,
                    thread_id=caller.thread_id,
                    turn_id=caller.turn_id,
                    run_id=caller.run_id,
                    tool=tool.name,
                    title=tool.title.get(caller.locale) or tool.name,
                    arguments=arguments,
                    extra=caller.extra,
                    locale=caller.locale,
                )
        except AWAY as error:
            logger.error("tool %s could not be put into the queue", tool.name, exc_info=error)
            content = text("unknown", caller.locale, what=attempted(tool, arguments, caller.locale))
            return Outcome(status="unknown", reason="queue", content=content, arguments=dict(arguments))
        number = str(task.task_id)
        return Outcome(
            status="accepted",
            content=text("accepted", caller.locale, number=number, title=task.title),
            data={"task_id": number, "title": task.title},
            direct=True,
            arguments=dict(arguments),
        )

    def of(self, principal: Principal) -> OwnTasks:
        """What a tool may see of its caller's tasks."""
        return _Own(self._tasks, principal)


@dataclass(frozen=True)
class _Own:
    tasks: TaskStore
    principal: Principal

    async def find(self, number: str) -> Task | None:
        try:
            return await self.tasks.get(_number(number), self.principal.tenant, self.principal.user)
        except NotFound:
            return None

    async def latest(self, thread_id: str, *, limit: int) -> Sequence[Task]:
        return await self.tasks.latest(self.principal.tenant, self.principal.user, thread_id, limit=limit)

    async def cancel(self, number: str) -> Task | None:
        try:
            return await self.tasks.cancel(_number(number), self.principal.tenant, self.principal.user)
        except NotFound:
            return None


def _number(said: str) -> int:
    """0, which no task has, for what is no number."""
    return int(said) if said.isascii() and said.isdigit() and len(said) <= LONGEST_NUMBER else 0
