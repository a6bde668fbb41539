"""Who is calling."""

from dataclasses import dataclass

DEV_TENANT, DEV_USER, DEV_ROLES = "acme", "alex", ("operator",)


@dataclass(frozen=True, kw_only=True)
class Principal:
    """A caller, as the server established it; never taken from a message or a model.

    The defaults are the development identity, which Studio and scripts use.
    """

    tenant: str = DEV_TENANT
    user: str = DEV_USER
    roles: tuple[str, ...] = DEV_ROLES
