"""`frontdesk worker`: does background tasks, without serving anybody."""

import argparse
import asyncio
import signal

from commands.settings import read_settings
from config.settings import Settings
from opening.processes import LONGEST_NAME, process_name
from server import open_house, open_worker
from telemetry import logs

READY = "Frontdesk worker is ready: up to {number} background tasks at once"
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run(args: argparse.Namespace) -> int:
    # Nobody's sentences are read here.
    settings = read_settings(data_dir=args.data_dir, task_concurrency=args.concurrency, similarity=False)
    logs.configure(settings.log_level, settings.log_format)
    asyncio.run(_work(settings))
    return 0


async def _work(settings: Settings) -> None:
    """Until it is asked to stop; what it is at is handed back then."""
    stopping = asyncio.Event()
    for one in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(one, stopping.set)
    async with (
        open_house(settings, f"worker of {process_name()}"[:LONGEST_NAME]) as house,
        open_worker(house, settings),
    ):
        print(READY.format(number=settings.task_concurrency), flush=True)
        await stopping.wait()
