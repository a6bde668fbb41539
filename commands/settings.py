"""Reads the settings for a command, and says plainly what is wrong with them."""

from typing import Any

from pydantic import ValidationError
from pydantic_settings import SettingsError

from config.settings import Settings
from errors import ConfigurationError


def read_settings(**given: Any) -> Settings:
    """The environment's settings with those given on the command line over them; None means not given.

    ConfigurationError names each variable that is wrong, and never quotes its value: it may be a secret.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        problems = [f"{_variable(problem['loc'])}: {_what(problem['msg'])}" for problem in error.errors()]
        raise ConfigurationError("; ".join(problems)) from error
    except SettingsError as error:
        raise ConfigurationError(
            f"{error} (RESOURCES, MODEL_KEYS and MCP_SECRETS take JSON, a list of words takes commas)"
        ) from error


def _variable(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location).upper() or "settings"


def _what(message: str) -> str:
    return message.removeprefix("Value error, ")
