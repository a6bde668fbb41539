"""The connection to Redis."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redis.asyncio import Redis
from redis.exceptions import RedisError

from errors import ConfigurationError, Unavailable

TIMEOUT_S = 5.0


@asynccontextmanager
async def open_redis(url: str) -> AsyncIterator[Redis]:
    """Tried before it is handed out. Raises ConfigurationError for an address that is none, Unavailable where nothing
    answers there."""
    try:
        redis = Redis.from_url(url, decode_responses=True, socket_connect_timeout=TIMEOUT_S)
    except ValueError:
        # Its text may repeat the address, and with it a password.
        raise ConfigurationError("REDIS_URL is not an address such as redis://host:6379/0") from None
    async with redis:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await redis.ping()
        except (RedisError, OSError, TimeoutError):
            raise Unavailable("REDIS_URL: Redis does not answer there") from None
        yield redis
