"""The differences of a replay in words, in both languages."""

import json
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import Any

from graphs.difference import Difference, SeenCall, Summary, TurnDifference
from nodes.state import Locale

MOST_LINES = 12  # of a reply's differences
LONGEST = 200  # characters of a question or a value
WORDS: dict[str, tuple[str, str]] = {
    "turn": ("第 {turn} 轮「{question}」：{found}", 'turn {turn} "{question}": {found}'),
    "same": ("无变化", "no difference"),
    "tokens_alone": ("只有用量不同", "the same but for its tokens"),
    "count": ("{count} 处不同", "{count} different"),
    "status": ("结果", "status"),
    "route": ("智能体", "route"),
    "intents": ("意图", "intents"),
    "entities": ("参数", "entities"),
    "entity": ("{intent} 的 {slot}", "{slot} of {intent}"),
    "decided_by": ("判定方式", "decided by"),
    "plan": ("计划", "plan"),
    "call": ("调用", "calls"),
    "new_call": ("新增调用", "calls besides"),
    "no_call": ("不再调用", "no longer calls"),
    "arguments": ("调用参数", "arguments of"),
    "ends": ("调用 {tool} 的状态", "status of {tool}"),
    "reply": ("回复", "reply"),
    "tokens": ("用量", "tokens"),
    "usage": (
        "{model_calls} 次模型调用，{input_tokens} + {output_tokens} 个词元",
        "{model_calls} model calls, {input_tokens} + {output_tokens} tokens",
    ),
    "nothing": ("无", "nothing"),
    "summary": ("共回放 {turns} 轮，{changed} 轮有变化。", "Replayed turns: {turns}, changed: {changed}."),
    "kinds": ("其中：{kinds}。", "By kind: {kinds}."),
    "used": ("用量：{recorded} → {replayed}。", "Tokens: {recorded} -> {replayed}."),
    "left_out": ("第 {turn} 轮未回放：{why}。", "Turn {turn} was not replayed: {why}."),
    "never_ran": ("当时没有执行", "it never ran"),
    "pruned": ("记录已清理", "its record was pruned"),
}  # fmt: skip
BETWEEN = (("、", "：", " → "), (", ", ": ", " -> "))  # of a list, after a name, from before to now


def in_words(turn: TurnDifference, locale: Locale) -> str:
    """A line for the turn, and a line or a few for each of its differences."""
    found = turn["differences"]
    count = word("count", locale, count=len(found)) if turn["changed"] else word("tokens_alone", locale)
    head = word(
        "turn",
        locale,
        turn=turn["turn"],
        question=short(turn["question"]),
        found=count if found else word("same", locale),
    )
    return "\n".join([head, *(f"  {line}" for one in found for line in _lines(one, locale))])


def summary_in_words(summary: Summary, left_out: Sequence[tuple[int, str]], locale: Locale) -> str:
    """`left_out`: turns that were not replayed, by number, and why: `never_ran` or `pruned`."""
    comma, colon, _ = BETWEEN[locale == "en"]
    said = [word("summary", locale, turns=summary["turns"], changed=summary["changed"])]
    if kinds := [f"{word(kind, locale)}{colon}{count}" for kind, count in summary["by_kind"].items()]:
        said.append(word("kinds", locale, kinds=comma.join(kinds)))
    tokens = summary["tokens"]
    if any(usage["model_calls"] for usage in tokens.values()):
        said.append(word("used", locale, **{side: word("usage", locale, **usage) for side, usage in tokens.items()}))
    said += (word("left_out", locale, turn=turn, why=word(why, locale)) for turn, why in left_out)
    return "\n".join(said)


def word(key: str, locale: Locale, **values: Any) -> str:
    zh, en = WORDS[key]
    return (en if locale == "en" else zh).format(**values)


def short(text: str) -> str:
    """On one line, not too long, and nothing that a terminal would act upon."""
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"


def _lines(difference: Difference, locale: Locale) -> Iterator[str]:
    _, colon, arrow = BETWEEN[locale == "en"]
    before, now = difference["recorded"], difference["replayed"]
    match difference["what"]:
        case "call":
            yield _call(difference, locale)
        case "reply":
            yield f"{word('reply', locale)}{colon}".rstrip()
            yield from (f"  {line}" for line in _changed_lines(before, now))
        case "tokens":
            usage = [word("usage", locale, **side) for side in (before, now)]
            yield f"{word('tokens', locale)}{colon}{arrow.join(usage)}"
        case "entities":
            name = word("entity", locale, intent=difference["intent"], slot=difference["slot"])
            yield f"{name}{colon}{_shown(before, locale)}{arrow}{_shown(now, locale)}"
        case what:
            yield f"{word(what, locale)}{colon}{_shown(before, locale)}{arrow}{_shown(now, locale)}"


def _call(difference: Difference, locale: Locale) -> str:
    _, colon, arrow = BETWEEN[locale == "en"]
    before: SeenCall | None = difference["recorded"]
    now: SeenCall | None = difference["replayed"]
    if before is None or now is None:
        key, call = ("new_call", now) if before is None else ("no_call", before)
        assert call is not None  # noqa: S101 - one of the two was made
        return f"{word(key, locale)}{colon}{_written(call)}"
    if before["arguments"] == now["arguments"]:
        return f"{word('ends', locale, tool=now['tool'])}{colon}{before['status']}{arrow}{now['status']}"
    changed = _written(before), _written(now)
    ends = "" if before["status"] == now["status"] else f" [{before['status']}{arrow}{now['status']}]"
    return f"{word('arguments', locale)} {now['tool']}{colon}{arrow.join(changed)}{ends}"


def _written(call: SeenCall) -> str:
    return f"{call['tool']}({', '.join(f'{k}={_value(v)}' for k, v in call['arguments'].items())})"


def _changed_lines(before: str, now: str) -> Iterator[str]:
    found = list(unified_diff(before.splitlines(), now.splitlines(), n=0, lineterm=""))
    changed = [line for line in found[2:] if not line.startswith("@@")]
    yield from (f"{line[0]} {short(line[1:])}" for line in changed[:MOST_LINES])
    if len(changed) > MOST_LINES:
        yield "…"


def _shown(value: Any, locale: Locale) -> str:
    if value in (None, [], ""):
        return word("nothing", locale)
    if isinstance(value, list):
        return BETWEEN[locale == "en"][0].join(_shown(one, locale) for one in value)
    return _value(value)


def _value(value: Any) -> str:
    return short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
