"""What the routes need, as FastAPI dependencies: what the lifespan opened, and who is calling."""

import re
from datetime import datetime
from typing import Annotated, cast

from fastapi import Depends, Header, Path, Request
from typing_extensions import TypedDict

from auth.principal import DEV_ROLES, DEV_TENANT, DEV_USER, Principal
from checkpoints.database import Pool
from checkpoints.threads import Thread, Threads, parse_thread_id
from config.catalogue import Catalogue
from errors import InvalidInput
from graphs.assistant import Desk
from graphs.runner import Runner
from models.registry import Models
from tools.registry import Registry

TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
MOST_ROLES = 32


class Opened(TypedDict):
    """What the lifespan opened, for the life of the app. `clock`: pinned, in development only; None means now."""

    catalogue: Catalogue
    registry: Registry
    pool: Pool
    threads: Threads
    graph: Desk
    runner: Runner
    clock: datetime | None
    models: Models


async def opened(request: Request) -> Opened:
    return cast("Opened", request.scope["state"])


House = Annotated[Opened, Depends(opened)]


async def principal(
    house: House,
    x_dev_user: Annotated[str, Header(description="Development identity: who calls")] = DEV_USER,
    x_dev_tenant: Annotated[str, Header(description="Development identity: whose data it is")] = DEV_TENANT,
    x_dev_roles: Annotated[str, Header(description="Development identity: roles, by commas")] = ",".join(DEV_ROLES),
) -> Principal:
    """The development identity. Raises InvalidInput for anything but plain tokens, and for an unknown tenant."""
    roles = tuple(dict.fromkeys(role for part in x_dev_roles.split(",") if (role := part.strip())))
    if len(roles) > MOST_ROLES:
        raise InvalidInput(f"X-Dev-Roles: at most {MOST_ROLES} roles")
    tokens = [("X-Dev-User", x_dev_user), ("X-Dev-Tenant", x_dev_tenant), *(("X-Dev-Roles", role) for role in roles)]
    for name, token in tokens:
        if not TOKEN.fullmatch(token):
            raise InvalidInput(f"{name}: at most 64 letters, digits and _ . @ -, beginning with a letter or digit")
    if x_dev_tenant not in house["catalogue"].tenants:
        known = ", ".join(house["catalogue"].tenants)
        raise InvalidInput(f"X-Dev-Tenant: there is no tenant {x_dev_tenant!r}; there are {known}")
    return Principal(tenant=x_dev_tenant, user=x_dev_user, roles=roles)


Caller = Annotated[Principal, Depends(principal)]


async def own_thread(
    house: House,
    caller: Caller,
    thread_id: Annotated[str, Path(description="a UUID", examples=["0199c0de-7a00-7000-8000-000000000001"])],
) -> Thread:
    """Raises InvalidInput for what is no UUID, NotFound for a thread that is not the caller's."""
    return await house["threads"].get(parse_thread_id(thread_id), caller.tenant, caller.user)


OwnThread = Annotated[Thread, Depends(own_thread)]
