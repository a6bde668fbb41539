"""Keeps the registry as the function centre lists its functions: at the start, then again and again."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from psycopg_pool import PoolTimeout

from config.functions import FunctionRules
from errors import ConfigurationError
from tools.cards import Design
from tools.faults import Fault
from tools.providers.function_centre import SOURCE, Address, FunctionCentre, open_centre
from tools.providers.functions import Offer, Offering
from tools.providers.lists import Lists
from tools.registry import Registry

logger = logging.getLogger(__name__)
PAUSE_S, LEAST_S, WITHIN_S = 0.25, 1.0, 5.0


@asynccontextmanager
async def open_functions(
    address: Address, lists: Lists, registry: Registry, rules: FunctionRules, cards: Mapping[str, Design]
) -> AsyncIterator[None]:
    """As long as this is open, the registry has what the centre serves. Raises ConfigurationError as `begin` does."""
    async with open_centre(address) as centre:
        offering = Offering(centre=centre, rules=rules, own=dict(registry), cards=cards)
        discovery = Discovery(centre, lists, registry, offering.of, offering.built_in)
        await discovery.begin(WITHIN_S)
        following = asyncio.create_task(discovery.follow(address.every_s))
        try:
            yield
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following


class Discovery:
    """`offer`: makes tools of a list. `over`: names of tools whose place a function may take."""

    def __init__(
        self,
        centre: FunctionCentre,
        lists: Lists,
        registry: Registry,
        offer: Callable[[Sequence[Any]], Offer],
        over: Collection[str],
    ) -> None:
        self._centre, self._lists, self._registry, self._offer, self._over = centre, lists, registry, offer, over
        self._listed: list[Any] | None = None
        self._silent = False

    async def begin(self, within_s: float) -> None:
        """Asks for `within_s` seconds; then what the centre listed last has to do, or nothing.

        Raises ConfigurationError for functions that stop a start.
        """
        listed = await self._asked(within_s)
        known = listed if listed is not None else await self._lists.last(self._centre.url)
        if known is None:
            logger.error(
                "the function centre does not answer, and has never listed its functions: there are none of it"
            )
            return
        if listed is None:
            logger.warning("the function centre does not answer: its functions are those that it listed last")
        offer = self._offer(known)
        if offer.wrong:
            raise ConfigurationError("\n".join(offer.wrong))
        self._put(known, offer)
        if listed is not None:
            await self._lists.keep(self._centre.url, known)

    async def follow(self, every_s: float) -> None:
        """For ever, and as soon as a call found that its function has gone. Where the centre is silent, what was there
        stays."""
        while True:
            await asyncio.sleep(min(every_s, LEAST_S))
            with suppress(TimeoutError):
                async with asyncio.timeout(max(every_s - LEAST_S, 0)):
                    await self._centre.changed.wait()
            self._centre.changed.clear()
            try:
                await self.refresh()
            except (psycopg.Error, PoolTimeout) as error:
                logger.warning("the functions could not be kept: %s", type(error).__name__)

    async def refresh(self) -> None:
        """Once; only what the database raises comes out of it."""
        try:
            listed = await self._centre.listed()
        except Fault as error:
            if not self._silent:
                logger.warning("the functions could not be listed again: %s", error)
            self._silent = True
            return
        if self._silent:
            logger.info("the function centre answers again")
        self._silent = False
        if listed == self._listed:
            return
        offer = self._offer(listed)
        for problem in offer.wrong:
            logger.error("left out: %s", problem)
        try:
            self._put(listed, offer)
        except ConfigurationError as error:
            self._listed = listed  # said once, not every time
            logger.error("the functions stay as they were: %s", error)
            return
        await self._lists.keep(self._centre.url, listed)

    async def _asked(self, within_s: float) -> list[Any] | None:
        """Again and again until the time is up. None: no list came of it."""
        last: Fault | None = None
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while True:
                    try:
                        return await self._centre.listed()
                    except Fault as error:
                        last = error
                    await asyncio.sleep(PAUSE_S)
        logger.warning("no list of functions within %g s: %s", within_s, last or "no answer")
        return None

    def _put(self, listed: list[Any], offer: Offer) -> None:
        for problem in offer.left_out:
            logger.warning("left out: %s", problem)
        before = set(self._registry)
        self._registry.replace(SOURCE, offer.tools, over=self._over)
        self._listed = listed
        names = [tool.name for tool in offer.tools]
        taken = ", ".join(name for name in names if name in self._over) or "none"
        logger.info(
            "function centre: %d functions (%s), in place of built-in ones: %s", len(names), ", ".join(names), taken
        )
        if gone := sorted(before - set(self._registry)):
            logger.warning("function centre: no longer there: %s", ", ".join(gone))
