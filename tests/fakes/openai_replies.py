"""What a scripted model server can be told to answer, faults included."""

import json
from dataclasses import dataclass, field, replace
from typing import Any, Literal

AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class Call:
    """`arguments`: an object, or the raw text of one, whole or half."""

    name: str
    arguments: dict[str, Any] | str
    id: str = ""

    @property
    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer. Times in seconds.

    `finish`: AUTO says stop or tool_calls, None leaves it out. `piece_chars`, `piece_s`: how a stream is cut up and how
    long it waits between pieces. `first_s`: wait before the first byte. `usage`: in the last piece of a stream that
    asks for it, in each piece as the sum so far, or never. `cut`: the stream ends after its pieces, in good order or by
    a broken connection. `endless`: pieces without end. `hang`: nothing at all. `body`: sent as it is. `message`: laid
    over the message of the wire.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str | None = AUTO
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    piece_chars: int = 8
    piece_s: float = 0.0
    first_s: float = 0.0
    usage: Literal["last", "each", "none"] = "last"
    input_tokens: int = 11
    output_tokens: int = 7
    cut: Literal["no", "clean", "abrupt"] = "no"
    endless: bool = False
    hang: bool = False
    body: bytes | None = None
    content_type: str = "application/json"
    refusal: str | None = None
    message: dict[str, Any] = field(default_factory=dict)

    def but(self, **changes: Any) -> "Reply":
        return replace(self, **changes)


def text(said: str, **options: Any) -> Reply:
    return Reply(text=said, **options)


def call(name: str, arguments: dict[str, Any] | str | None = None, **options: Any) -> Reply:
    return Reply(calls=(Call(name=name, arguments={} if arguments is None else arguments, id="call_1"),), **options)


def calls(*made: tuple[str, dict[str, Any]], **options: Any) -> Reply:
    listed = tuple(Call(name=name, arguments=given, id=f"call_{n}") for n, (name, given) in enumerate(made, 1))
    return Reply(calls=listed, **options)


def status(code: int, **options: Any) -> Reply:
    return Reply(status=code, **options)


def hang() -> Reply:
    return Reply(hang=True)


def endless(piece_s: float = 0.0, *, piece_chars: int = 8) -> Reply:
    return Reply(text="again " * piece_chars, endless=True, piece_s=piece_s, piece_chars=piece_chars)


def cut(said: str, *, abrupt: bool = False) -> Reply:
    """A stream that breaks off: no finish reason, no end mark; `abrupt`: the connection itself breaks."""
    return Reply(text=said, finish=None, cut="abrupt" if abrupt else "clean")


def raw(body: str | bytes, content_type: str = "application/json") -> Reply:
    return Reply(body=body.encode() if isinstance(body, str) else body, content_type=content_type)
