"""Which ways of running the desk are measured side by side, and how each of them is run."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import httpx

from config.catalogue import Catalogue
from config.models import GENERIC, BreakerRules, ModelsConfig
from errors import ConfigurationError
from evals.cases import Case
from evals.cassette import Cassette, vendor_of
from evals.desk import Stand, stand, without_words
from evals.figures import rows_of
from evals.react import PlainAgent
from evals.result import Column
from evals.runner import Play, Played, play, play_all
from evals.scoring import Judge
from models.endpoints import Endpoint
from models.registry import Models
from nodes.similarity import Alike
from tools.registry import Registry

RULES, SIMILAR = "rules", "rules+similarity"
# A cassette says what a model answered, not how often it failed in between: the breaker stays out of it.
STEADY = BreakerRules(failures=1_000_000, open_s=1.0)
NOWHERE = "http://cassette.invalid/v1"


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What all columns share. `halves`: name to cases. `endpoints`: the models that can be asked, by name.

    `alike`: the similarity tier, None where it is not installed. `cassettes`: the folder of recorded answers, None
    neither plays nor keeps any. `fresh`: record anew; `offline`: never ask. `transport`: instead of the network.
    """

    catalogue: Catalogue
    registry: Registry
    config: ModelsConfig
    halves: Mapping[str, Sequence[Case]]
    alike: Alike | None = None
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    cassettes: Path | None = None
    fresh: bool = False
    offline: bool = False
    at_once: int = 8
    transport: Callable[[], httpx.AsyncBaseTransport] = httpx.AsyncHTTPTransport

    def without_model(self) -> Models:
        return Models(self.config, {}, httpx.AsyncClient())


Told = Callable[[bool], None]  # of each case: whether it has a fault


async def without_models(ground: Ground, told: Told) -> list[Column]:
    """The rules, and the rules with the similarity tier where it is installed."""
    columns = []
    for name, alike in ((RULES, Alike()), (SIMILAR, ground.alike)):
        if alike is None:
            continue
        desk = stand(name, ground.catalogue, ground.registry, ground.without_model(), alike=alike)
        columns.append(await measured(ground, desk, partial(play, desk=desk), told, at_once=1))
    return columns


async def with_model(
    ground: Ground, model: str, told: Told, *, wordings: Mapping[str, Mapping[str, str]] | None = None
) -> list[Column]:
    """The desk with a model, with each further wording of its prompts, the model alone, and the plain agent.

    `wordings`: name to prompts that take the place of those of their names. Raises as `endpoint_of` does.
    """
    endpoint = endpoint_of(ground, model)
    alike = ground.alike or Alike()
    columns: list[Column] = []
    async with AsyncExitStack() as stack:
        asked = None if ground.offline else ground.transport()
        tape = Cassette(_tape(ground, model), asked, vendor=_vendor(ground, endpoint), fresh=ground.fresh)
        http = await stack.enter_async_context(httpx.AsyncClient(transport=tape))
        models = Models(_alone(ground.config, model), {model: endpoint}, http)
        named = {model: ground.catalogue} | {
            f"{model}, {name}": replace(ground.catalogue, prompts={**ground.catalogue.prompts, **prompts})
            for name, prompts in (wordings or {}).items()
        }
        for name, catalogue in named.items():
            desk = stand(name, catalogue, ground.registry, models, alike=alike, model=model)
            columns.append(await measured(ground, desk, partial(play, desk=desk), told, tape=tape))
        bare = without_words(ground.catalogue)
        alone = stand(f"{model} alone", bare, ground.registry, models, alike=Alike(), model=model)
        columns.append(await measured(ground, alone, partial(play, desk=alone), told, tape=tape))
        line = models.serving("plan", model)
        if line is not None:
            plain = replace(alone, name=f"{model}, plain agent")
            agent = PlainAgent(plain, line)
            columns.append(await measured(ground, plain, agent.play, told, tape=tape, plain_agent=True))
    return columns


async def measured(
    ground: Ground,
    desk: Stand,
    play_one: Play,
    told: Told,
    *,
    tape: Cassette | None = None,
    plain_agent: bool = False,
    at_once: int | None = None,
) -> Column:
    judge = Judge(catalogue=ground.catalogue, registry=ground.registry)
    missed = tape.missed if tape else 0
    rows = {}

    def done(played: Played) -> None:
        told(any(score.failed for score in judge.case(played.case, played.outcomes)))

    for half, cases in ground.halves.items():
        played = await play_all(cases, play_one, at_once=at_once or ground.at_once, done=done)
        rows[half] = rows_of(played, judge)
    entry = ground.config.models.get(desk.model or "")
    asks = desk.model is not None and not plain_agent
    return Column(
        name=desk.name,
        rows=rows,
        model=desk.model,
        plain=plain_agent,
        prompts=desk.services.catalogue.prompt_versions if asks else {},
        price=(entry.price.input, entry.price.output) if entry and entry.price else None,
        missed=tape.missed - missed if tape else 0,
    )


def _tape(ground: Ground, model: str) -> Path | None:
    return ground.cassettes / f"{model}.jsonl" if ground.cassettes else None


def endpoint_of(ground: Ground, model: str) -> Endpoint:
    """Where it is asked; played offline, an address that is never reached and the vendor of the recording.

    Raises ConfigurationError for a model that models.yaml has not, and for one that can neither be asked nor played.
    """
    if model not in ground.config.models:
        known = ", ".join(ground.config.models)
        raise ConfigurationError(f"there is no model {model!r} in models.yaml; there are {known}")
    if model in ground.endpoints:
        return ground.endpoints[model]
    if not ground.offline:
        raise ConfigurationError(f"model {model!r} has no address; set MODEL_BASE_URL, or play its cassette offline")
    tape, entry = _tape(ground, model), ground.config.models[model]
    recorded = vendor_of(tape) if tape else None
    if recorded is None:
        raise ConfigurationError(f"model {model!r} has neither an address nor a cassette in {ground.cassettes}")
    vendor = ground.config.vendors.get(recorded) or ground.config.vendor_of(entry, NOWHERE)
    return Endpoint(name=model, model=model, base_url=NOWHERE, api_key=None, vendor=vendor)


def _vendor(ground: Ground, endpoint: Endpoint) -> str:
    return next((name for name, vendor in ground.config.vendors.items() if vendor is endpoint.vendor), GENERIC)


def _alone(config: ModelsConfig, model: str) -> ModelsConfig:
    """This model for every purpose, without fallbacks: whose answers they are has to be plain."""
    purposes = {purpose: service.model_copy(update={"model": model}) for purpose, service in config.purposes.items()}
    models = {name: one.model_copy(update={"fallbacks": ()}) for name, one in config.models.items()}
    return config.model_copy(update={"purposes": purposes, "models": models, "breaker": STEADY})
