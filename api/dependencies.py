"""What the routes need, as FastAPI dependencies: what the lifespan opened, and who is calling."""

import re
from datetime import datetime
from typing import Annotated, cast

from fastapi import Depends, Header, Path, Request
from typing_extensions import TypedDict

from api.mcp_endpoint import McpEndpoint
from auth.principal import DEV_ROLES, DEV_TENANT, DEV_USER, Principal
from checkpoints.audit import AuditStore
from checkpoints.database import Pool
from checkpoints.feedback import FeedbackStore
from checkpoints.ledger import LedgerStore
from checkpoints.runs import Runs
from checkpoints.tasks import Tasks
from checkpoints.threads import Thread, Threads, parse_thread_id
from config.catalogue import Catalogue
from errors import InvalidInput
from graphs.assistant import Desk
from graphs.replay import Replays
from graphs.runner import Runner
from models.registry import Models
from tools.registry import Registry
from tools.switches import Switches

KEY = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?")
TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
EVENT_ID = re.compile(r"(-1|[0-9]{1,15})(?:-[0-9]{1,15})?")
MOST_ROLES = 32


class Opened(TypedDict):
    """What the lifespan opened, for the life of the app. `clock`: pinned, in development only; None means now."""

    catalogue: Catalogue
    registry: Registry
    pool: Pool
    threads: Threads
    runs: Runs
    tasks: Tasks
    ledger: LedgerStore
    audit: AuditStore
    feedback: FeedbackStore
    graph: Desk
    runner: Runner
    replays: Replays
    switches: Switches
    clock: datetime | None
    models: Models
    similarity: bool
    mcp: McpEndpoint


async def opened(request: Request) -> Opened:
    return cast("Opened", request.scope["state"])


House = Annotated[Opened, Depends(opened)]


async def principal(
    house: House,
    x_dev_user: Annotated[str, Header(description="Development identity: who calls")] = DEV_USER,
    x_dev_tenant: Annotated[str, Header(description="Development identity: whose data it is")] = DEV_TENANT,
    x_dev_roles: Annotated[str, Header(description="Development identity: roles, by commas")] = ",".join(DEV_ROLES),
) -> Principal:
    """The development identity, with what its roles permit now.

    Raises InvalidInput for anything but plain tokens, for an unknown tenant and for an unknown role.
    """
    roles = tuple(dict.fromkeys(role for part in x_dev_roles.split(",") if (role := part.strip())))
    if len(roles) > MOST_ROLES:
        raise InvalidInput(f"X-Dev-Roles: at most {MOST_ROLES} roles")
    tokens = [("X-Dev-User", x_dev_user), ("X-Dev-Tenant", x_dev_tenant), *(("X-Dev-Roles", role) for role in roles)]
    for name, token in tokens:
        if not TOKEN.fullmatch(token):
            raise InvalidInput(f"{name}: at most 64 letters, digits and _ . @ -, beginning with a letter or digit")
    catalogue = house["catalogue"]
    if x_dev_tenant not in catalogue.tenants:
        known = ", ".join(catalogue.tenants)
        raise InvalidInput(f"X-Dev-Tenant: there is no tenant {x_dev_tenant!r}; there are {known}")
    for role in roles:
        if role not in catalogue.roles:
            raise InvalidInput(f"X-Dev-Roles: there is no role {role!r}; there are {', '.join(catalogue.roles)}")
    return Principal(tenant=x_dev_tenant, user=x_dev_user, roles=roles, permissions=catalogue.permissions(roles))


Caller = Annotated[Principal, Depends(principal)]


async def idempotency_key(
    idempotency_key: Annotated[
        str | None, Header(description="The same key means the same run: sent again, its answer comes again")
    ] = None,
) -> str | None:
    """Raises InvalidInput for an empty or very long one."""
    if idempotency_key is not None and not KEY.fullmatch(idempotency_key):
        raise InvalidInput("Idempotency-Key: 1 to 255 printable characters of ASCII")
    return idempotency_key


IdempotencyKey = Annotated[str | None, Depends(idempotency_key)]


async def last_event(
    last_event_id: Annotated[
        str | None, Header(description="Only what follows this event; -1, 0 or none: everything that is kept")
    ] = None,
) -> int:
    """Raises InvalidInput for what is no event's id."""
    if last_event_id is None:
        return 0
    if not (match := EVENT_ID.fullmatch(last_event_id.strip())):
        raise InvalidInput("Last-Event-ID: must be the id of an event, or -1 for all")
    return max(int(match[1]), 0)


LastEvent = Annotated[int, Depends(last_event)]


async def own_thread(
    house: House,
    caller: Caller,
    thread_id: Annotated[str, Path(description="a UUID", examples=["0199c0de-7a00-7000-8000-000000000001"])],
) -> Thread:
    """Raises InvalidInput for what is no UUID, NotFound for a thread that is not the caller's."""
    return await house["threads"].get(parse_thread_id(thread_id), caller.tenant, caller.user)


OwnThread = Annotated[Thread, Depends(own_thread)]
