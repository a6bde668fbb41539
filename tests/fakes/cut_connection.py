"""A PostgreSQL behind a proxy that can lose the answer to a COMMIT, or hold all answers back, as a network does at the
worst moment."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit


class CutConnection:
    """`url`: the database, through the proxy. `cut_after_commit`: how many answers to a COMMIT get lost from now on.

    `passing`: cleared, no answer comes through until it is set again, and who comes anew, as one who wants a query
    cancelled, is turned away.
    """

    def __init__(self, url: str, folder: Path) -> None:
        parts = urlsplit(url)
        self._server = parse_qs(parts.query)["host"][0] + "/.s.PGSQL.5432"
        self._socket = str(folder / ".s.PGSQL.5432")
        self.url = f"postgresql://{parts.netloc}{parts.path}?host={quote(str(folder), safe='')}&port=5432"
        self.cut_after_commit = 0
        self.passing = asyncio.Event()
        self.passing.set()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        server = await asyncio.start_unix_server(self._serve, self._socket)
        try:
            yield
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.passing.is_set():
            writer.close()
            return
        from_server, to_server = await asyncio.open_unix_connection(self._server)
        answers = asyncio.create_task(self._copy(from_server, writer))
        with suppress(ConnectionError):
            while sent := await reader.read(1 << 16):
                if self.cut_after_commit and b"COMMIT" in sent:
                    self.cut_after_commit -= 1
                    await self._stop(answers)
                    to_server.write(sent)
                    await from_server.read(1 << 16)
                    break
                to_server.write(sent)
                await to_server.drain()
        await self._stop(answers)
        for each in (writer, to_server):
            each.close()
            with suppress(ConnectionError):
                await each.wait_closed()

    @staticmethod
    async def _stop(task: asyncio.Task[None]) -> None:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while received := await reader.read(1 << 16):
                await self.passing.wait()
                writer.write(received)
                await writer.drain()
