"""`frontdesk switch`: stops all changes or single tools, in every process, without a restart."""

import argparse
from collections.abc import Sequence

from checkpoints.database import Pool
from checkpoints.switches import Switch, SwitchBoard
from commands.database import with_pool
from commands.operator import operator
from commands.settings import read_settings
from commands.speech import age, speak_utf8, table
from config.settings import Settings
from config.strict_yaml import did_you_mean
from errors import ConfigurationError
from tools.providers.python import load_adapters
from tools.switches import Stops

HEAD = ("switch", "stands at", "since", "set by", "note")


def run(args: argparse.Namespace) -> int:
    settings = read_settings(data_dir=args.data_dir)
    speak_utf8()

    async def work(pool: Pool) -> int:
        board = await SwitchBoard.opened(pool)
        if args.action != "list":
            await _set(board, args, settings)
        _show(settings, await board.switches())
        return 0

    return with_pool(settings, work)


async def _set(board: SwitchBoard, args: argparse.Namespace, settings: Settings) -> None:
    if args.action == "read-only":
        await board.switch(None, stopped=args.state == "on", by=operator(), note=args.note)
        return
    await board.switch(args.tool, stopped=args.action == "disable", by=operator(), note=args.note)
    known = _tools(settings)
    if known and args.tool not in known:
        near = did_you_mean(args.tool, known).removesuffix("?")
        print(f"note: no adapter here has a tool {args.tool!r}{near}; it may be one of a remote provider")


def _show(settings: Settings, switches: Sequence[Switch]) -> None:
    rows = [
        (
            "read-only" if switch.tool is None else f"tool {switch.tool}",
            ("on" if switch.stopped else "off") if switch.tool is None else _state(stopped=switch.stopped),
            f"{age(switch.changed_at)} ago",
            switch.changed_by,
            switch.note or "",
        )
        for switch in switches
    ]
    print(table(HEAD, rows) if rows else "no switch was ever set: nothing is stopped here")
    start = Stops(read_only=settings.read_only, disabled=frozenset(settings.disabled_tools))
    if start.read_only:
        print("READ_ONLY is set: a process that starts from here begins read-only, whatever was switched before")
    if start.disabled:
        names = ", ".join(sorted(start.disabled))
        print(f"DISABLED_TOOLS is set: a process that starts from here begins without {names}")


def _state(*, stopped: bool) -> str:
    return "disabled" if stopped else "enabled"


def _tools(settings: Settings) -> list[str]:
    """The tools of the adapters; none where these cannot be read, which is no reason not to stop something."""
    try:
        return [tool.name for file in load_adapters(settings.tool_dirs) for tool in file.tools]
    except ConfigurationError:
        return []
