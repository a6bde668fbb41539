"""Two models of different skill: one that knows what sentences of the tests want, one that only talks."""

from typing import Any

from tests.fakes.openai_policies import last_exchange, offered
from tests.fakes.openai_replies import Call, Reply, text

Json = dict[str, Any]
# Sentence -> intent, tool, arguments. None of them has a word that any rule could know.
WANTED: dict[str, tuple[str, str, Json]] = {
    "glim wopple tarn": ("order", "list_orders", {}),
    "fessick ruvo": ("user", "find_users", {}),
    "pellish quorn dabbit": ("dashboard", "dashboard_overview", {}),
}
TOKENS = 100


def skilled(request: Json) -> Reply:
    """Its tokens are as many as what it is sent weighs, so that a long prompt costs more."""
    functions, forced, _ = offered(request)
    said, answered = last_exchange(request["messages"])
    weight = len(str(request["messages"])) // 4 + len(str(functions)) // 4
    intent, tool, arguments = WANTED.get(said, ("unknown", "", {}))
    if answered or not functions:
        return text("Nothing to show.", input_tokens=weight)
    if forced == "choose_intents":
        return Reply(
            calls=(Call(name=forced, arguments={"intents": [intent], "confidence": 0.9}),), input_tokens=weight
        )
    if tool not in {function["name"] for function in functions}:
        return text("I cannot help with that.", input_tokens=weight)
    return Reply(calls=(Call(name=tool, arguments=arguments),), input_tokens=weight)


def dull(_: Json) -> Reply:
    return text("Certainly, one moment please.", input_tokens=TOKENS)
