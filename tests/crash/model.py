"""A model server whose plan is always another: `python -m tests.crash.model --port 9000`.

The message's invented word says which tools are called, round by round; what they are called with is drawn anew each
time, so that a plan that is made twice would have its effects twice.
"""

import argparse
import random
import secrets
from typing import Any

from tests.fakes.openai_policies import echo_classify, offered
from tests.fakes.openai_replies import Call, Reply, text
from tests.fakes.openai_server import ModelServer

Json = dict[str, Any]
ROUNDS = {
    "payium": (("pay",),),
    "pairium": (("pay", "ship"),),
    "chainium": (("pay",), ("ship",)),
    "wirium": (("wire",),),
    "bothium": (("wire", "look"), ("ship",)),
}


def plans_at_random(request: Json) -> Reply:
    asked, made = _last_turn(request["messages"])
    rounds = next((rounds for word, rounds in ROUNDS.items() if word in asked), None)
    functions, _, _ = offered(request)
    if rounds is None or not {tool for tools in rounds for tool in tools} <= {f["name"] for f in functions}:
        return echo_classify(request)
    if made >= len(rounds):
        return text(f"settled {asked}")
    return Reply(calls=tuple(Call(name=tool, arguments={"no": secrets.token_hex(4)}) for tool in rounds[made]))


def _last_turn(messages: list[Json]) -> tuple[str, int]:
    """What the user said last, and in how many rounds tools were called since."""
    asked, made = "", 0
    for message in messages:
        if message["role"] == "user":
            asked, made = str(message.get("content") or ""), 0
        made += bool(message.get("tool_calls"))
    return asked, made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--slow-ms", type=float, default=60, help="the longest that an answer takes (%(default)s)")
    given = parser.parse_args()

    def policy(request: Json) -> Reply:
        server.requests.clear()
        server.headers.clear()
        return plans_at_random(request).but(first_s=random.uniform(0, given.slow_ms / 1000))

    server = ModelServer(policy, port=given.port)
    server.serve()


if __name__ == "__main__":
    main()
