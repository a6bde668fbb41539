"""A chat model that answers usefully and in time or abstains: time limit, second try, fallbacks, breaker, checks."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import RunnableConfig

from models.answer import Abstained, Answer, Usage
from models.breaker import Breaker
from models.checks import called, complete, spoken, with_fresh_ids
from models.faults import FAULTS, understood
from models.history import call_ids, sendable
from models.reading import REFUSED, check_finish
from models.schema import on_the_wire
from models.wire import WireModel

logger = logging.getLogger(__name__)
Tool = Mapping[str, Any]

PAUSE_S = 0.2
# A model that has fallbacks behind it leaves them this much of the time.
KEPT_FOR_FALLBACKS = 0.4
QUIET: RunnableConfig = {"tags": ["nostream"]}


@dataclass(frozen=True, kw_only=True)
class Seat:
    """One model in the line of those that may answer."""

    name: str
    wire: WireModel
    breaker: Breaker


@dataclass(kw_only=True)
class Tally:
    """What one answer has cost so far. `shown`: a token has reached a reader, so that nothing can be said again."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    shown: bool = False

    def spend(self, message: AIMessage) -> None:
        if usage := message.usage_metadata:
            self.input_tokens += usage["input_tokens"]
            self.output_tokens += usage["output_tokens"]

    def usage(self) -> Usage:
        return Usage(model_calls=self.model_calls, input_tokens=self.input_tokens, output_tokens=self.output_tokens)


Ask = Callable[[Seat, Tally], Awaitable[AIMessage]]


class ChatModel:
    """A line of models, the first to be asked first. `limit_s`: seconds for a whole answer, fallbacks included.

    `slots`: how many calls this process has open at once, of all lines together; the rest waits, within its time.
    Cancellation passes through, and so does every exception that is none of a model's.
    """

    def __init__(self, line: Sequence[Seat], *, limit_s: float, slots: asyncio.Semaphore) -> None:
        self._line, self._limit_s, self._slots = tuple(line), limit_s, slots

    @property
    def name(self) -> str:
        return self._line[0].name

    async def choose(
        self, messages: Sequence[BaseMessage], tool: Tool, *, known: Collection[str] | None = None
    ) -> Answer:
        """One forced call of one tool with its required arguments; further calls are dropped. Never streamed.

        `known`: the names that the called tool may have; None: its own. The values are the caller's to check.
        """
        offered = [on_the_wire(tool)]
        names = {offered[0]["function"]["name"]} if known is None else known

        async def ask(seat: Seat, tally: Tally) -> AIMessage:
            said = await _called(seat, tally, messages, offered, names, must_call=True)
            complete(said.tool_calls[0], offered[0]["function"]["parameters"])
            return said.model_copy(update={"tool_calls": said.tool_calls[:1]})

        return await self._answer(ask, needs_tools=True)

    async def call(self, messages: Sequence[BaseMessage], tools: Sequence[Tool], *, must_call: bool) -> Answer:
        """Calls of the tools, or prose if that is allowed.

        Tokens are not streamed, so that an answer that abstains is never seen; where a graph streams messages, the one
        that its node returns appears as a whole.
        """
        offered = [on_the_wire(tool) for tool in tools]
        names = {tool["function"]["name"] for tool in offered}

        async def ask(seat: Seat, tally: Tally) -> AIMessage:
            return await _called(seat, tally, messages, offered, names, must_call=must_call)

        if must_call and not offered:
            return self._abstain(Abstained("unsupported", "no tools to call"), self._line[0], Tally())
        return await self._answer(ask, needs_tools=bool(offered))

    async def say(self, messages: Sequence[BaseMessage]) -> Answer:
        """Prose, streamed through LangChain's callbacks, so that a graph's message stream shows its tokens.

        After the first token there is neither a second try nor a fallback: a fault leaves the words that were shown
        without a message, and the caller answers in another way.
        """

        async def ask(seat: Seat, tally: Tally) -> AIMessage:
            return await _streamed(seat.wire, sendable(messages), tally)

        return await self._answer(ask, needs_tools=False)

    async def _answer(self, ask: Ask, *, needs_tools: bool) -> Answer:
        loop, tally = asyncio.get_running_loop(), Tally()
        end = loop.time() + self._limit_s
        fault, seat = Abstained("unsupported", "no model"), self._line[0]
        for index, seat in enumerate(self._line):
            last = index == len(self._line) - 1
            until = end if last else end - (end - loop.time()) * KEPT_FOR_FALLBACKS
            try:
                message = await self._tries(seat, ask, tally, until, needs_tools=needs_tools)
            except Abstained as abstained:
                fault = abstained
                logger.info("model %s abstained: %s", seat.name, fault)
                if fault.fault == "content" or tally.shown:
                    break
            else:
                return Answer(message=message, usage=tally.usage(), model=seat.name)
        return self._abstain(fault, seat, tally)

    def _abstain(self, fault: Abstained, seat: Seat, tally: Tally) -> Answer:
        return Answer(abstained=fault.reason, detail=fault.detail, usage=tally.usage(), model=seat.name)

    async def _tries(self, seat: Seat, ask: Ask, tally: Tally, until: float, *, needs_tools: bool) -> AIMessage:
        """One model's answer, at the second try if the first failed in a way that may pass."""
        if needs_tools and seat.wire.vendor.tools == "none":
            raise Abstained("unsupported", "no tools", fault="request", sent=False)
        await self._slot(until)
        try:
            return await self._tried(seat, ask, tally, until)
        finally:
            self._slots.release()

    async def _slot(self, until: float) -> None:
        """Waiting for our own limit is no fault of an endpoint, and no request went out."""
        try:
            async with asyncio.timeout_at(until):
                await self._slots.acquire()
        except TimeoutError:
            raise Abstained("busy", "too many calls of models at once", fault="request", sent=False) from None

    async def _tried(self, seat: Seat, ask: Ask, tally: Tally, until: float) -> AIMessage:
        if not seat.breaker.admit():
            raise Abstained("breaker_open", fault="request", sent=False)
        try:
            return await _once(seat, ask, tally, until)
        except Abstained as fault:
            left = until - asyncio.get_running_loop().time()
            if not fault.again or tally.shown or left <= PAUSE_S:
                raise
            await asyncio.sleep(PAUSE_S)
            if not seat.breaker.admit():
                raise
        return await _once(seat, ask, tally, until)


async def _once(seat: Seat, ask: Ask, tally: Tally, until: float) -> AIMessage:
    """One request, counted, inside its time, and its outcome told to the breaker."""
    settle = seat.breaker.released
    tally.model_calls += 1
    try:
        async with asyncio.timeout_at(until):
            message = await ask(seat, tally)
        settle = seat.breaker.succeeded
    except FAULTS as error:
        fault = understood(error)
        tally.model_calls -= 0 if fault.sent else 1
        tally.input_tokens += fault.input_tokens
        tally.output_tokens += fault.output_tokens
        settle = {"endpoint": seat.breaker.failed, "content": seat.breaker.succeeded}.get(fault.fault, settle)
        raise fault from error
    finally:
        settle()
    return message


async def _called(
    seat: Seat,
    tally: Tally,
    messages: Sequence[BaseMessage],
    offered: list[dict[str, Any]],
    names: Collection[str],
    *,
    must_call: bool,
) -> AIMessage:
    options: dict[str, Any] = {"stream": False, **({"tools": offered} if offered else {})}
    if must_call:
        forced = {"type": "function", "function": {"name": offered[0]["function"]["name"]}}
        options["tool_choice"] = forced if len(offered) == 1 else "required"
    said = await seat.wire.ainvoke(sendable(messages), QUIET, **options)
    tally.spend(said)
    in_text = seat.wire.vendor.tools == "json" and bool(offered)
    checked = called(said, names, must_call=must_call, in_text=in_text)
    return checked.model_copy(update={"tool_calls": with_fresh_ids(checked.tool_calls, call_ids(messages))})


async def _streamed(wire: WireModel, messages: Sequence[BaseMessage], tally: Tally) -> AIMessage:
    said, finish, usage, message_id = "", None, None, None
    async with aclosing(cast("Any", wire.astream(list(messages)))) as chunks:
        async for chunk in chunks:
            piece = cast("AIMessageChunk", chunk)
            said += piece.text
            tally.shown = tally.shown or bool(piece.text)
            finish = finish if finish in REFUSED else piece.response_metadata.get("finish_reason") or finish
            usage, message_id = piece.usage_metadata or usage, piece.id or message_id
    metadata = {"finish_reason": finish, "model_name": wire.model_name}
    message = AIMessage(said, id=message_id, usage_metadata=usage, response_metadata=metadata)
    tally.spend(message)
    check_finish(finish)
    return spoken(message)
