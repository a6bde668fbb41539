"""What the desk says about a call of its own accord, in both languages."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from tools.tool import Arg, Locale, Tool
from tools.values import choices

ATTEMPTED_CHARACTERS = 300
# What makes a question of a statement, at its end.
ASKING = re.compile(
    r"[，,；;]?\s*(?:(?:是否|请|要)?(?:确认|确定|可以|继续|好|行)?(?:吗|么|嘛)?|ok|okay)\s*[?？]\s*$", re.IGNORECASE
)
TEXTS: dict[str, tuple[str, str]] = {
    "extra": ("没有名为 {name} 的参数，可用的参数：{known}", "there is no argument {name}; the arguments are {known}"),
    "twice": ("{name}：给了两个不同的值", "{name}: given twice with different values"),
    "missing": ("缺少：{name}（例如 {example}）", "{name} is missing ({description}, e.g. {example})"),
    "invalid": (
        "{name}：值不符合要求，例如 {example}",
        "{name}: not a fitting value ({description}, e.g. {example})",
    ),
    "whole_number": ("{name}：须为整数，例如 {example}", "{name}: must be a whole number, e.g. {example}"),
    "number": ("{name}：须为数字，例如 {example}", "{name}: must be a number, e.g. {example}"),
    "boolean": ("{name}：须为 true 或 false", "{name}: must be true or false"),
    "choice": ("{name}：须为以下之一：{choices}", "{name}: must be one of {choices}"),
    "date": ("{name}：须为某一天，例如 {example}", "{name}: must be one day, e.g. {example}"),
    "moment": ("{name}：须为日期加时间，例如 {example}", "{name}: must be a date with a time, e.g. {example}"),
    "time": ("{name}：须为时间，例如 {example}", "{name}: must be a time of day, e.g. {example}"),
    "text": ("{name}：须为文本，例如 {example}", "{name}: must be text, e.g. {example}"),
    "one_value": ("{name}：一次只能给一个值，例如 {example}", "{name}: takes a single value, e.g. {example}"),
    "characters": ("{name}：含有不允许的字符", "{name}: holds characters that are not allowed"),
    "too_long": ("{name}：太长，最多 {limit}", "{name}: too long, at most {limit}"),
    "too_deep": ("{name}：嵌套层数过多", "{name}: nested too deeply"),
    "too_small": ("{name}：不能小于 {limit}", "{name}: must not be below {limit}"),
    "too_large": ("{name}：数值过大", "{name}: the number is too large"),
    "unknown_tool": ("没有名为 {name} 的工具", "there is no tool {name}"),
    "not_permitted": ("您没有使用这项功能的权限", "you are not permitted to use this"),
    "lacks_permission": (
        "您没有 {needs} 权限，这一步没有执行",
        "you lack the permission {needs}; this was not carried out",
    ),
    "lacks_role": (
        "“{agent}”只对角色 {needs} 开放，这一步没有执行",
        "{agent} is open to the role {needs} only; this was not carried out",
    ),
    "read_only": (
        "系统目前处于只读状态，暂时不能修改，这一步没有执行",
        "the desk is read-only at present; this was not carried out",
    ),
    "disabled": (
        "{tool} 目前已停用，这一步没有执行",
        "{tool} is switched off at present; this was not carried out",
    ),
    "refused": ("参数有误：{problems}", "the arguments do not fit: {problems}"),
    "bad_edit": ("未执行：只能修改它的参数", "not carried out: only its arguments may be edited"),
    "not_confirmed": ("未执行：没有得到确认", "not carried out: it was not confirmed"),
    "not_as_shown": (
        "未执行：要执行的内容与您确认的不一致，请重新提出",
        "not carried out: it is not what was confirmed, please ask again",
    ),
    "plan_failed": ("未执行：{what}（因为另一步没有完成）", "not carried out: {what} (because another step failed)"),
    "rejected": ("未执行：已按您的意思取消", "not carried out: it was declined"),
    "rejected_because": ("未执行：已按您的意思取消（{message}）", "not carried out: it was declined ({message})"),
    "expired": (
        "未执行：确认已过期，请重新提出",
        "not carried out: the confirmation has expired, please ask again",
    ),
    "failed": (
        "这一步没有完成，系统出了点问题，请稍后再试（编号 {trace}）",
        "this step could not be completed, something went wrong; please try again later (reference {trace})",
    ),
    "timeout": ("这一步没有在规定时间内完成，请稍后再试", "this step did not finish in time; please try again later"),
    "unknown": (
        "{what}：结果未知，请先核实，再决定是否重试",
        "{what}: outcome unknown, please check before trying again",
    ),
    "settled": ("已完成（由人工核实）", "done (verified by an operator)"),
    "not_done": ("未完成（由人工核实）", "not done (verified by an operator)"),
    "cancelled": ("未执行：请求已停止", "not carried out: the request was stopped"),
    "replay": ("回放：没有执行", "replay: not executed"),
    "too_much": ("结果过大：{size} 字节，只保留前面的部分", "result too large: {size} bytes, first rows kept"),
    "nothing": ("没有内容", "nothing to show"),
    "accepted": (
        "已受理：{title}，后台任务 {number}。随时问我“进度如何”就能看到进展。",
        "accepted: {title}, as background task {number}. Ask me 'how far is it' at any time.",
    ),
    "no_background": ("后台任务未启用", "there is no background work here"),
    "task_cancelled": ("已按您的要求停止", "stopped as you asked"),
    "gave_up": ("多次尝试都没有进展，已放弃", "given up after many attempts that got no further"),
    "not_permitted_any_more": ("已停止：您不再有这项权限", "stopped: you are not permitted to do this any more"),
}  # fmt: skip


def text(key: str, locale: Locale, **values: Any) -> str:
    zh, en = TEXTS[key]
    return (en if locale == "en" else zh).format(**values)


def called(arg: Arg | None, name: str, locale: Locale) -> str:
    """A parameter as a sentence names it."""
    return arg.zh if locale == "zh" and arg is not None and arg.zh else name


def choices_of(tool: Tool, name: str, locale: Locale, *, without: Collection[Any] = ()) -> list[str]:
    """The values of a parameter that takes only some, as a person says them; none where it takes anything."""
    info, arg = tool.arguments.model_fields.get(name), tool.args.get(name)
    values = choices(info.annotation) if info is not None else []
    return [_said(arg, value, locale) for value in values if value not in without]


def _said(arg: Arg | None, value: Any, locale: Locale) -> str:
    spoken = (word for word, meant in (arg.words if arg else {}).items() if meant == value)
    return next((word for word in spoken if word.isascii() == (locale == "en")), plain(value))


def question(tool: Tool, arguments: Mapping[str, Any], locale: Locale) -> str:
    """What a person is asked before `tool` runs: its `confirm_text` over the arguments, else its name and arguments."""
    shown = {name: shown_value(tool.args.get(name), value, locale) for name, value in arguments.items()}
    template = tool.confirm_text.get(locale) or next(iter(tool.confirm_text.values()), None)
    if template is not None:
        return template.format(**_defaults(tool, locale) | shown)
    pairs = ", ".join(f"{name}={value}" for name, value in shown.items())
    return f"{tool.name}({pairs})"


def _defaults(tool: Tool, locale: Locale) -> dict[str, str]:
    """What stands for an argument that is not given: its default is a part of what is said yes to."""
    fields = tool.arguments.model_fields.items()
    known = {name: None if info.is_required() else info.default for name, info in fields}
    return {
        name: "-" if value is None else shown_value(tool.args.get(name), value, locale) for name, value in known.items()
    }


def attempted(tool: Tool, arguments: Mapping[str, Any], locale: Locale) -> str:
    """What a call was to do, as a statement: its question without the asking, else its name and what was given."""
    if tool.confirm_text:
        asked = question(tool, arguments, locale)
        said = ASKING.sub("", asked) or asked
    else:
        given = {name: value for name, value in arguments.items() if value is not None}
        pairs = [
            f"{called(tool.args.get(name), name, locale)}={shown_value(tool.args.get(name), value, locale)}"
            for name, value in given.items()
        ]
        said = f"{tool.name}({', '.join(pairs)})"
    return said if len(said) <= ATTEMPTED_CHARACTERS else said[: ATTEMPTED_CHARACTERS - 1] + "…"


def shown_value(arg: Arg | None, value: Any, locale: Locale) -> str:
    """A value as a person says it: in Chinese by the first of its Chinese `words`, else as it is."""
    if isinstance(value, list):
        return ("、" if locale == "zh" else ", ").join(shown_value(arg, one, locale) for one in value)
    if locale == "zh" and arg is not None:
        words = (word for word, meant in arg.words.items() if meant == value and not word.isascii())
        return next(words, plain(value))
    return plain(value)


def plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
