"""All chat models of an installation, and which line of them serves a purpose."""

import asyncio
import time
from collections.abc import Callable, Mapping

import httpx

from config.models import ModelsConfig, Purpose
from config.settings import Settings
from models.breaker import Breaker
from models.endpoints import Endpoint, endpoints
from models.factory import wire_model
from models.guard import ChatModel, Seat

MAX_CALLS = 32


class Models:
    """`available`: the models that have an address, by their name in models.yaml; none of them is asked before a call.

    `http`: one client for all, opened and closed by the composition root. `clock`: seconds, for the breakers.
    `max_calls`: how many are open at once, of all of them together; tools have a limit of their own.
    """

    def __init__(
        self,
        config: ModelsConfig,
        available: Mapping[str, Endpoint],
        http: httpx.AsyncClient,
        *,
        clock: Callable[[], float] = time.monotonic,
        max_calls: int = MAX_CALLS,
    ) -> None:
        self._slots = asyncio.Semaphore(max_calls)
        self._config, self._available, self._http, self._clock = config, dict(available), http, clock
        self._breakers: dict[tuple[str, str], Breaker] = {}
        self._lines: dict[tuple[Purpose, str, float | None], ChatModel] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The models that can be asked; empty where the desk works without any."""
        return tuple(self._available)

    def serving(self, purpose: Purpose, name: str | None = None, temperature: float | None = None) -> ChatModel | None:
        """The line that serves a purpose. None: no model is set up, or not the one of this name nor its fallbacks.

        `name`: an agent's or a caller's choice instead of the purpose's model. `temperature`: instead of the model's.
        """
        first = name or self._config.purposes[purpose].model
        key = (purpose, first, temperature)
        if key not in self._lines:
            entry = self._config.models.get(first)
            wanted = dict.fromkeys((first, *(entry.fallbacks if entry else ())))
            seats = [self._seat(self._available[n], purpose, temperature) for n in wanted if n in self._available]
            if not seats:
                return None
            self._lines[key] = ChatModel(seats, limit_s=self._config.purposes[purpose].timeout_s, slots=self._slots)
        return self._lines[key]

    def health(self) -> dict[str, str]:
        """Per model `closed`, `open` or `half_open`: what its breaker says, without asking it."""
        return {name: self._breaker(endpoint).state for name, endpoint in self._available.items()}

    def _breaker(self, endpoint: Endpoint) -> Breaker:
        key = (endpoint.base_url, endpoint.model)
        if key not in self._breakers:
            rules = self._config.breaker
            made = Breaker(endpoint.name, failures=rules.failures, open_s=rules.open_s, clock=self._clock)
            self._breakers[key] = made
        return self._breakers[key]

    def _seat(self, endpoint: Endpoint, purpose: Purpose, temperature: float | None) -> Seat:
        service = self._config.purposes[purpose]
        wire = wire_model(
            endpoint,
            self._http,
            timeout_s=service.timeout_s,
            max_tokens=endpoint.max_tokens or service.max_tokens,
            temperature=endpoint.temperature if temperature is None else temperature,
        )
        return Seat(name=endpoint.name, wire=wire, breaker=self._breaker(endpoint))


def build_models(
    config: ModelsConfig, settings: Settings, http: httpx.AsyncClient, *, clock: Callable[[], float] = time.monotonic
) -> Models:
    """What the composition root calls. Nothing is connected to; without an address anywhere there are no models in it.

    ConfigurationError names the setting or the key that is wrong.
    """
    available = endpoints(config, settings)
    return Models(config, available, http, clock=clock, max_calls=settings.max_model_calls)
