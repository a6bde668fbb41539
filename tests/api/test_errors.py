"""Every error has its status, and only ours speak in their own words."""

import httpx
import psycopg
import pytest
from fastapi import FastAPI
from psycopg_pool import PoolTimeout

import errors
from api.errors import install, refusal


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (errors.InvalidInput("message: nothing is written in it"), 422, "message: nothing is written in it"),
        (errors.TooLarge(), 413, "The request is too large."),
        (errors.NotFound(), 404, "Not found."),
        (errors.NoInterrupt(), 409, "Nothing on this thread waits for an answer."),
        (errors.StaleInterrupt(), 409, "This question is not the one that waits for an answer."),
        (errors.ExpiredInterrupt(), 409, "This question has expired; send the request again."),
        (errors.StaleThread(), 409, "Another request moved this thread on; send the request again."),
        (errors.Unavailable("the desk is shutting down"), 503, "the desk is shutting down"),
        (errors.ConfigurationError("a path of the house"), 500, "Internal error"),
        (psycopg.OperationalError("password of the house"), 503, "the database does not answer"),
        (PoolTimeout("no connection"), 503, "the database does not answer"),
        (psycopg.errors.UndefinedTable("a table of the house"), 500, "Internal error"),
        (KeyError("a secret"), 500, "Internal error"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_table(error: Exception, status: int, detail: str) -> None:
    assert refusal(error) == (status, detail)


async def test_what_nobody_expected_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    install(app)

    @app.get("/")
    async def fail() -> None:
        raise RuntimeError("a secret of the house")

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://desk") as client:
        answer = await client.get("/")
    assert (answer.status_code, answer.json()) == (500, {"detail": "Internal error"})
    assert "a secret of the house" in caplog.text
