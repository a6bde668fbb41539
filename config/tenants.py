"""Whom the desk serves: tenants with their zone and language."""

from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import field_validator

from config.records import Record


class Tenant(Record):
    """`time_zone`: an IANA name, in which days are counted. `locale`: of messages that do not show their language."""

    time_zone: str
    locale: Literal["zh", "en"]

    @field_validator("time_zone")
    @classmethod
    def _known(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"no time zone {name!r}; use a name such as 'Europe/Berlin'") from error
        return name
