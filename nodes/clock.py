"""The one place where a node learns what time it is."""

from datetime import datetime
from zoneinfo import ZoneInfo

from nodes.context import Context


def now_of(context: Context) -> datetime:
    """The request's own now, in the tenant's zone."""
    zone = ZoneInfo(context.time_zone)
    return context.clock.astimezone(zone) if context.clock else datetime.now(zone)
