"""What the operator allows the function centre: config/functions.yaml, typed."""

import re
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from config.records import Record
from config.roles import CODE
from config.strict_yaml import load_record

FILE = "functions.yaml"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


class FunctionRule(Record):
    """What holds for one function, whatever the centre says of it.

    `allowed`: false leaves it out. `group`, `permission`: in place of the centre's. `effect`, `confirm`: true adds what
    the centre does not say; false takes nothing away. `timeout_s`: at most this.
    """

    allowed: bool = True
    group: str | None = None
    permission: str | None = None
    effect: bool = False
    confirm: bool = False
    timeout_s: float | None = Field(default=None, gt=0, le=3_600)


class FunctionRules(Record):
    """`groups`: those that the centre's functions may be in; None: any."""

    groups: tuple[str, ...] | None = None
    functions: dict[str, FunctionRule] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _usable(self) -> Self:
        problems = [
            f"functions.{name!r}: is no name of a function" for name in self.functions if not NAME.fullmatch(name)
        ]
        for name, rule in self.functions.items():
            if rule.permission is not None and not CODE.fullmatch(rule.permission):
                problems.append(f"functions.{name}.permission: {rule.permission!r} must be thing:act")
            if rule.group is not None and self.groups is not None and rule.group not in self.groups:
                problems.append(f"functions.{name}.group: {rule.group!r} is not one of `groups`")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def of(self, name: str) -> FunctionRule:
        return self.functions.get(name) or FunctionRule()


def load_function_rules(config_dir: Path) -> FunctionRules:
    """No file: nothing is narrowed. Raises ConfigurationError naming file and key."""
    path = config_dir / FILE
    return load_record(path, FunctionRules, FILE) if path.exists() else FunctionRules()
