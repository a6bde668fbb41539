"""What the settings alone can say is wrong, before anything is opened."""

import pytest
from pydantic import ValidationError

from commands.settings import read_settings
from config.settings import Settings
from errors import ConfigurationError

WRONG = [
    ("host", "0.0.0.0", "not loopback"),
    ("host", "desk.example", "not loopback"),
    ("database_url", "mysql://localhost/desk", "must begin with postgresql://"),
    ("database_url", "localhost/desk", "must begin with postgresql://"),
    ("redis_url", "http://localhost", "must begin with redis://"),
    ("confirmation_minutes", "1e300", "less than or equal to 1440"),
    ("confirmation_minutes", "nan", "less than or equal to 1440|greater than 0|finite"),
    ("turn_timeout_s", "inf", "less than or equal to 3600"),
    ("renew_s", "151", "less than or equal to 150"),
    ("sweep_s", "1e9", "less than or equal to 3600"),
    ("drain_s", "1e9", "less than or equal to 3600"),
    ("keep_events_minutes", "1e9", "less than or equal to 1440"),
    ("keep_audit_days", "1e9", "less than or equal to 100000"),
    ("port", "65536", "less than or equal to 65535"),
    ("function_centre_url", "127.0.0.1:8010", "must be an http or https address"),
    ("function_centre_url", "file:///etc/passwd", "must be an http or https address"),
    ("function_centre_url", "http://", "must be an http or https address"),
    ("function_centre_url", "http://bob:secret@centre", "without user, query and fragment"),
    ("function_centre_url", "http://centre/?to=elsewhere", "without user, query and fragment"),
    ("function_centre_url", "http://centre:99999", "must be an http or https address"),
    ("function_centre_token", "two words", "printable ASCII without blanks"),
    ("function_centre_token", "a\r\nx-more: b", "printable ASCII without blanks"),
    ("function_centre_read_s", "0", "greater than 0"),
    ("function_centre_max_bytes", "1", "greater than or equal to 1000"),
]


@pytest.mark.parametrize(("name", "value", "problem"), WRONG)
def test_a_setting_out_of_bounds_is_named_whatever_reads_it(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, problem: str
) -> None:
    monkeypatch.setenv(name.upper(), value)
    with pytest.raises(ValidationError, match=problem):
        Settings()
    with pytest.raises(ConfigurationError, match=f"^{name.upper()}: .*({problem})"):
        read_settings()


def test_a_secret_that_is_wrong_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://alex:hunter2@localhost/desk")
    with pytest.raises(ConfigurationError) as raised:
        read_settings()
    assert "hunter2" not in str(raised.value)


def test_a_pinned_clock_is_for_development() -> None:
    pinned = "2026-11-30T10:00:00+08:00"
    assert Settings.model_validate({"clock": pinned}).clock is not None
    with pytest.raises(ValidationError, match="in development only"):
        Settings.model_validate({"clock": pinned, "environment": "production"})


@pytest.mark.parametrize("url", ["postgresql://u:p@db:5432/desk", "postgres:///desk?host=%2Ftmp"])
def test_a_database_has_either_scheme(url: str) -> None:
    assert Settings.model_validate({"database_url": url}).database_url is not None
