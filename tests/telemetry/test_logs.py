"""Every line of the log is structured, carries the request's ids and keeps secrets to itself."""

import json
import logging
from typing import Any

import pytest
import structlog

from telemetry import logs


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_line_carries_the_ids_of_its_request(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info", "json")
    with structlog.contextvars.bound_contextvars(request_id="r", thread_id="t", run_id="n"):
        structlog.get_logger("desk").info("turn finished", elapsed_ms=3)
        logging.getLogger("elsewhere").warning("slow: %s ms", 900)
    first, second = lines(capsys)
    assert first["event"] == "turn finished"
    assert (first["level"], first["logger"], first["elapsed_ms"]) == ("info", "desk", 3)
    assert second["event"] == "slow: 900 ms"
    for line in (first, second):
        assert (line["request_id"], line["thread_id"], line["run_id"]) == ("r", "t", "n")


def test_secrets_are_masked_in_messages_values_and_foreign_records(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("debug", "json")
    structlog.get_logger().debug("我的密码是 hunter2", arguments={"phone": "13812345678", "api_key": "hunter2"})
    logging.getLogger("uvicorn.error").info("Bearer %s", "hunter2")
    text = capsys.readouterr().err
    assert "hunter2" not in text
    assert "138****5678" in text
    assert "我的密码是 ***" in text


def test_an_exception_shows_its_lines_but_no_local_values(capsys: pytest.CaptureFixture[str]) -> None:
    for format_ in ("json", "console"):
        logs.configure("info", "json" if format_ == "json" else "console")
        local_value = "".join(["very", "private"])
        try:
            raise RuntimeError("password is hunter2")
        except RuntimeError:
            structlog.get_logger().exception("it broke")
        text = capsys.readouterr().err
        assert "RuntimeError" in text
        assert "test_logs.py" in text
        assert local_value not in text
        assert "hunter2" not in text


def test_uvicorn_writes_through_the_same_handler_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    logging.getLogger("uvicorn.access").setLevel("CRITICAL")  # as another server of this process may have left it
    logs.configure("info", "json")
    logs.configure("info", "json")
    logging.getLogger("uvicorn.access").info('%s - "%s %s HTTP/%s" %d', "127.0.0.1:1", "GET", "/healthz", "1.1", 200)
    (line,) = lines(capsys)
    assert line["event"] == '127.0.0.1:1 - "GET /healthz HTTP/1.1" 200'


def test_below_the_level_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("warning", "console")
    structlog.get_logger().info("not this")
    logging.getLogger("x").info("nor this")
    assert capsys.readouterr().err == ""


def test_a_message_cannot_pretend_to_be_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info", "console")
    logging.getLogger("x").warning("one\n2026-01-01 [error] two\x1b[31m")
    (line,) = capsys.readouterr().err.splitlines()
    assert "one\\n2026-01-01" in line
    assert "\x1b[31m" not in line


def test_an_object_that_cannot_be_shown_does_not_break_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    logs.configure("info", "json")
    structlog.get_logger().info("看", value=Broken(), text="\ud800", number=float("nan"))
    (line,) = lines(capsys)
    assert line["event"] == "看"
    assert "cannot be shown" in line["value"]
