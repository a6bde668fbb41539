"""What a guarded call gives back: a message, or the reason why the model is taken to have abstained."""

from dataclasses import dataclass
from typing import Literal

from langchain_core.messages import AIMessage
from typing_extensions import TypedDict


class Usage(TypedDict):
    """`model_calls`: requests that were really sent, second tries and fallbacks among them."""

    model_calls: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Exactly one of `message` and `abstained` is there.

    `abstained`: one stable word: timeout, connection, status_<code>, breaker_open, busy, cut_off, too_long, refused,
    empty, prose, odd_shape, bad_json, bad_arguments, unknown_tool, bad_answer, unsupported. `detail`: what was
    wrong, for logs and reasons, never for a user. `model`: the name in models.yaml of the one that was asked last.
    """

    message: AIMessage | None = None
    abstained: str | None = None
    detail: str = ""
    usage: Usage
    model: str


Fault = Literal["content", "request", "endpoint"]


class Abstained(ValueError):
    """The model gave nothing that can be used.

    `fault`: `content`, the endpoint lives and what it said is of no use: rules go on at once; `request`, it does not
    take this request: a fallback may; `endpoint`, it failed: a fallback may, and the breaker counts it. `again`: a
    second try makes sense. `sent`: whether a request went out. The tokens are those that the useless answer cost.
    """

    def __init__(
        self,
        reason: str,
        detail: str = "",
        *,
        fault: Fault = "content",
        again: bool = False,
        sent: bool = True,
        input_tokens: int = 0,
        output_tokens: int = 0,
    ) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason, self.detail, self.fault, self.again, self.sent = reason, detail, fault, again, sent
        self.input_tokens, self.output_tokens = input_tokens, output_tokens
