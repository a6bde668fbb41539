"""The chat model of langchain-openai, taught to speak with any vendor and to show only what is meant for a reader."""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any, cast

import openai
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI

from config.models import Vendor
from models import functions_form
from models.answer import Abstained
from models.reading import completion, text_of, usage_of
from models.request import for_vendor
from models.strict import clean
from models.thinking import ThinkFilter

logger = logging.getLogger(__name__)
Json = dict[str, Any]
LOGGED = 8000


class WireModel(ChatOpenAI):
    """`max_chars`: how long a streamed answer, thoughts included, may grow. Raises Abstained for a useless answer."""

    vendor: Vendor
    max_chars: int = 20_000

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        return for_vendor(super()._get_request_payload(input_, stop=stop, **kwargs), self.vendor)

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        data = response.model_dump(warnings=False) if isinstance(response, openai.BaseModel) else response
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug("model %s answered %s", self.model_name, _brief(data))
        message = completion(data)
        return ChatResult(generations=[ChatGeneration(message=message, generation_info=generation_info or None)])

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        return super()._convert_chunk_to_generation_chunk(plain_chunk(chunk), default_chunk_class, base_generation_info)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        """Tokens without thoughts, usage once and last: some vendors send the sum so far with every chunk."""
        thinking, usage, raw = ThinkFilter(), cast("UsageMetadata | None", None), _Raw(self.max_chars)
        stream = super()._astream(messages, stop, run_manager, **kwargs)
        try:
            async with aclosing(cast("Any", stream)) as chunks:
                async for chunk in chunks:
                    message = cast("AIMessageChunk", chunk.message)
                    raw.add(str(message.content))
                    usage, message.usage_metadata = message.usage_metadata or usage, None
                    yield _saying(chunk, thinking.feed(clean(str(message.content))))
        except (AttributeError, KeyError, TypeError) as error:
            raise Abstained("bad_answer", f"{type(error).__name__}: {error}"[:200], fault="endpoint") from error
        finally:
            logger.debug("model %s said %s", self.model_name, raw)
        yield ChatGenerationChunk(message=AIMessageChunk(content=thinking.end(), usage_metadata=usage))


class _Raw:
    """What came over a stream so far, bounded: empty pieces count as well."""

    def __init__(self, max_chars: int) -> None:
        self._pieces: list[str] = []
        self._left = self._max = max_chars

    def add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._left -= len(piece) + 1
        if self._left < 0:
            raise Abstained("too_long", f"more than {self._max} characters", fault="endpoint")

    def __str__(self) -> str:
        return "".join(self._pieces)[:LOGGED]


def plain_chunk(chunk: Mapping[str, Any]) -> Json:
    """A piece of a stream with what we read of it, and without the shapes that langchain-openai stumbles over."""
    choices = chunk.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        return {"choices": [], "usage": _usage(chunk.get("usage"))}
    given = choice.get("delta")
    delta = functions_form.delta(dict(given)) if isinstance(given, Mapping) else {}
    finish = "content_filter" if delta.get("refusal") else choice.get("finish_reason")
    plain = {"role": "assistant", "content": text_of(delta.get("content")), "tool_calls": delta.get("tool_calls")}
    return {
        "choices": [{"delta": plain, "finish_reason": finish if isinstance(finish, str) else None}],
        "usage": _usage(chunk.get("usage") or choice.get("usage")),
    }


def _usage(raw: Any) -> Json | None:
    """Counts only: details with nulls in them break the sum that LangChain makes."""
    counts = usage_of(raw)
    return counts and {"prompt_tokens": counts["input_tokens"], "completion_tokens": counts["output_tokens"]}


def _saying(chunk: ChatGenerationChunk, text: str) -> ChatGenerationChunk:
    message = chunk.message.model_copy(update={"content": text})
    return ChatGenerationChunk(message=message, generation_info=chunk.generation_info)


def _brief(data: Any) -> str:
    shown = data.get("choices", data) if isinstance(data, Mapping) else data
    return json.dumps(shown, ensure_ascii=False, default=str)[:LOGGED]
