"""A real HTTP server that speaks the OpenAI wire for chat completions and answers by a script or by a policy.

As a process of its own: `python -m tests.fakes.openai_server --port 9000 --policy echo-classify`.
"""

import argparse
import asyncio
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from typing import Any, Self

import uvicorn

from tests.fakes.openai_policies import POLICIES, Policy, echo_classify
from tests.fakes.openai_replies import AUTO, Reply, status

Json = dict[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
STARTED = 1_700_000_000


class ModelServer:
    """`with ModelServer() as server` listens on `server.url` in a thread of its own.

    A script's replies are given in order, then 400. Without a script the policy answers. `requests` are the bodies
    seen, `headers` what came with them, `busy` how many requests are being answered,
    `most_at_once` how many ever were.
    """

    def __init__(self, policy: Policy = echo_classify, *, port: int = 0) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        config = uvicorn.Config(
            self._app,
            interface="asgi3",
            log_config=None,
            log_level="critical",
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self._first_policy = policy
        self._replies: deque[Reply] | None = None
        self.reset()

    @property
    def url(self) -> str:
        """What goes into MODEL_BASE_URL."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def script(self, replies: Sequence[Reply]) -> None:
        self._replies = deque(replies)

    async def until_busy(self, *, busy: bool = True) -> None:
        """Waits until a request is being answered, or none is any more."""
        async with asyncio.timeout(5):
            while bool(self.busy) is not busy:  # noqa: ASYNC110 - the other side is another thread
                await asyncio.sleep(0.01)

    def reset(self) -> None:
        self.policy = self._first_policy
        self._replies = None
        self.requests: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.busy = self.most_at_once = 0

    def __enter__(self) -> Self:
        self._thread.start()
        until = time.monotonic() + 10
        while not self._server.started:
            if time.monotonic() > until:
                raise TimeoutError("the model server did not start")
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()

    def serve(self) -> None:
        """In this thread, until a signal."""
        self._server.run(sockets=[self._socket])

    def _reply(self, request: Json) -> Reply:
        if self._replies is None:
            return self.policy(request)
        return self._replies.popleft() if self._replies else status(400)

    async def _app(self, scope: Message, receive: Receive, send: Send) -> None:
        body = await _read(receive)
        if not scope["path"].endswith("/chat/completions"):
            await _respond(send, 404, _error("no such path"))
            return
        request = json.loads(body)
        self.requests.append(request)
        self.headers.append({key.decode(): value.decode() for key, value in scope["headers"]})
        gone = asyncio.create_task(_until_gone(receive))
        self.busy += 1
        self.most_at_once = max(self.most_at_once, self.busy)
        try:
            await _answer(self._reply(request), request, send, gone)
        finally:
            self.busy -= 1
            gone.cancel()


async def _read(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return bytes(body)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _wait(gone: "asyncio.Task[None]", seconds: float | None) -> None:
    """Waits so long, or until the client has gone."""
    if seconds is None or seconds > 0:
        await asyncio.wait({gone}, timeout=seconds)


async def _answer(reply: Reply, request: Json, send: Send, gone: "asyncio.Task[None]") -> None:
    if reply.hang:
        await _wait(gone, None)
        return
    await _wait(gone, reply.first_s)
    if reply.status != 200:
        await _respond(send, reply.status, _error(f"scripted {reply.status}"), headers=reply.headers)
    elif reply.body is not None:
        await _respond(send, 200, reply.body, content_type=reply.content_type)
    elif request.get("stream"):
        await _stream(reply, request, send, gone)
    elif reply.endless or reply.cut != "no":
        await _broken(reply, send, gone)
    else:
        await _respond(send, 200, json.dumps(completion(reply, request), ensure_ascii=False).encode())


async def _respond(
    send: Send,
    code: int,
    body: bytes,
    *,
    content_type: str = "application/json",
    headers: dict[str, str] | None = None,
) -> None:
    given = {"content-type": content_type, "content-length": str(len(body)), **(headers or {})}
    await _begin(send, code, given)
    await send({"type": "http.response.body", "body": body})


async def _begin(send: Send, code: int, headers: dict[str, str]) -> None:
    raw = [(key.encode(), value.encode()) for key, value in headers.items()]
    await send({"type": "http.response.start", "status": code, "headers": raw})


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "scripted", "code": None}}).encode()


async def _broken(reply: Reply, send: Send, gone: "asyncio.Task[None]") -> None:
    """A body that is not a stream of events, and never ends or breaks off."""
    await _begin(send, 200, {"content-type": "application/json"})
    await send({"type": "http.response.body", "body": b'{"choices": [', "more_body": True})
    while reply.endless and not gone.done():
        await send({"type": "http.response.body", "body": b" " * 1024, "more_body": True})
        await _wait(gone, reply.piece_s or 0.001)
    if reply.cut == "abrupt":
        raise ConnectionAbortedError
    await send({"type": "http.response.body", "body": b""})


async def _stream(reply: Reply, request: Json, send: Send, gone: "asyncio.Task[None]") -> None:
    await _begin(send, 200, {"content-type": "text/event-stream"})
    for chunk in chunks(reply, request):
        if gone.done():
            return
        event = f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()
        await send({"type": "http.response.body", "body": event, "more_body": True})
        await _wait(gone, reply.piece_s or (0.001 if reply.endless else 0))
    if reply.cut == "abrupt":
        raise ConnectionAbortedError
    done = b"" if reply.cut == "clean" else b"data: [DONE]\n\n"
    await send({"type": "http.response.body", "body": done})


def completion(reply: Reply, request: Json) -> Json:
    old = "functions" in request
    said: Json = {"role": "assistant", "content": reply.text or None, "refusal": reply.refusal}
    if reply.calls and old:
        said["function_call"] = {"name": reply.calls[0].name, "arguments": reply.calls[0].text}
    elif reply.calls:
        said["tool_calls"] = [_call(reply, n) for n in range(len(reply.calls))]
    choice = {"message": {**said, **reply.message}, "finish_reason": _finish(reply, old=old), "logprobs": None}
    choices = [{"index": n, **choice} for n in range(request.get("n") or 1)]
    usage = {} if reply.usage == "none" else {"usage": _usage(reply, 1)}
    return {**_head(request, "chat.completion"), "choices": choices, **usage}


def chunks(reply: Reply, request: Json) -> Iterator[Json]:
    head, old = _head(request, "chat.completion.chunk"), "functions" in request
    deltas = list(_deltas(reply, old=old))
    for n, delta in enumerate(_without_end(deltas) if reply.endless else deltas, 1):
        each = {"usage": _usage(reply, min(1, n / len(deltas)))} if reply.usage == "each" else {}
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}], **each}
    if reply.finish is not None:
        each = {"usage": _usage(reply, 1)} if reply.usage == "each" else {}
        yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(reply, old=old)}], **each}
    if reply.usage == "last" and (request.get("stream_options") or {}).get("include_usage") and reply.cut == "no":
        yield {**head, "choices": [], "usage": _usage(reply, 1)}


def _deltas(reply: Reply, *, old: bool) -> Iterator[Json]:
    yield {"role": "assistant", "content": "", **reply.message}
    if reply.refusal:
        yield {"refusal": reply.refusal}
    for piece in _pieces(reply.text, reply.piece_chars):
        yield {"content": piece}
    for n, call in enumerate(reply.calls[:1] if old else reply.calls):
        if old:
            yield {"function_call": {"name": call.name, "arguments": ""}}
            yield from ({"function_call": {"arguments": piece}} for piece in _pieces(call.text, reply.piece_chars))
        else:
            begun = {"index": n, **_call(reply, n)}
            yield {"tool_calls": [{**begun, "function": {"name": call.name, "arguments": ""}}]}
            for piece in _pieces(call.text, reply.piece_chars):
                yield {"tool_calls": [{"index": n, "function": {"arguments": piece}}]}


def _without_end(deltas: Sequence[Json]) -> Iterator[Json]:
    yield from deltas
    while True:
        yield deltas[-1]


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def _call(reply: Reply, n: int) -> Json:
    call = reply.calls[n]
    call_id = call.id or f"call_{time.monotonic_ns()}_{n}"
    return {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": call.text}}


def _finish(reply: Reply, *, old: bool) -> str | None:
    if reply.finish != AUTO:
        return reply.finish
    return ("function_call" if old else "tool_calls") if reply.calls else "stop"


def _usage(reply: Reply, share: float) -> Json:
    made = round(reply.output_tokens * share)
    counts = {"prompt_tokens": reply.input_tokens, "completion_tokens": made}
    return {**counts, "total_tokens": reply.input_tokens + made}


def _head(request: Json, kind: str) -> Json:
    return {"id": "chatcmpl-fake", "object": kind, "created": STARTED, "model": request.get("model", "fake")}


def main() -> None:
    parser = argparse.ArgumentParser(description="A model server that answers by a policy.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--policy", choices=sorted(POLICIES), default="echo-classify")
    parser.add_argument("--delay-ms", type=float, default=0.0, help="wait before the first byte of every answer")
    given = parser.parse_args()
    policy = POLICIES[given.policy]
    ModelServer(lambda request: policy(request).but(first_s=given.delay_ms / 1000), port=given.port).serve()


if __name__ == "__main__":
    main()
