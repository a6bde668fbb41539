"""Who is calling."""

from dataclasses import dataclass

DEV_TENANT, DEV_USER, DEV_ROLES = "acme", "alex", ("operator",)
DEV_PERMISSIONS = frozenset({"*:read", "*:write"})


@dataclass(frozen=True, kw_only=True)
class Principal:
    """A caller, as the server established it; never taken from a message or a model.

    `permissions`: the codes that its roles have in roles.yaml as it is now (`Catalogue.permissions`); wherever a caller
    is established anew, or a run is taken up from its row, they are looked up again. The defaults are the development
    identity.
    """

    tenant: str = DEV_TENANT
    user: str = DEV_USER
    roles: tuple[str, ...] = DEV_ROLES
    permissions: frozenset[str] = DEV_PERMISSIONS
