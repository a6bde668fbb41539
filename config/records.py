"""What every record of the configuration has in common."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Read from a file and never changed; a key that it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Localised(Record):
    zh: str
    en: str

    def for_(self, locale: str) -> str:
        return self.zh if locale == "zh" else self.en
