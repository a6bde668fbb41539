"""The two companies of the demo: where they are, what they charge in, and who works there."""

from dataclasses import dataclass
from datetime import tzinfo
from decimal import Decimal
from zoneinfo import ZoneInfo


@dataclass(frozen=True, kw_only=True)
class Tenant:
    """`staff`: who works there, as they sign in; the first one gets most of the entries."""

    tenant_id: str
    name: str
    time_zone: str
    currency: str
    staff: tuple[str, ...]

    @property
    def zone(self) -> tzinfo:
        return ZoneInfo(self.time_zone)


ACME = Tenant(
    tenant_id="acme",
    name="启明学堂",
    time_zone="Asia/Shanghai",
    currency="¥",
    staff=("alex", "meilin", "haoran", "yutong"),
)
GLOBEX = Tenant(
    tenant_id="globex",
    name="Globex Learning",
    time_zone="America/New_York",
    currency="$",
    staff=("alex", "dana", "marcus"),
)
TENANTS = {tenant.tenant_id: tenant for tenant in (ACME, GLOBEX)}


def money(tenant_id: str, amount: Decimal) -> str:
    """An amount as it is read aloud there: ¥1,234.50. A tenant that is not known here counts in ¥."""
    return f"{TENANTS.get(tenant_id, ACME).currency}{amount:,.2f}"
