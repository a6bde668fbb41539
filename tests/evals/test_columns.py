"""Models side by side, from an endpoint and from their cassettes."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from config.models import ModelEntry, ModelsConfig, Price
from errors import ConfigurationError
from evals.cases import Case
from evals.columns import Ground, with_model, without_models
from evals.comparison import between
from evals.result import Column, result_of
from evals.words import in_words
from models.endpoints import Endpoint
from models.similarity import Likely
from nodes.similarity import Alike
from tests.evals.conftest import case
from tests.evals.scripted import WANTED, dull, skilled
from tests.fakes.openai_policies import Policy
from tests.fakes.openai_server import ModelServer

SKILLED, DULL = "skilled", "dull"
POLICIES: dict[str, Policy] = {SKILLED: skilled, DULL: dull}
KNOWN = {"say": "查一下上周的订单", "calls": [{"tool": "list_orders", "arguments": {"start_date": "2026-11-23"}}]}


def cases() -> list[Case]:
    agents = {"order": "business", "user": "business", "dashboard": "business"}
    hard = [
        case(
            {"say": said, "agent": agents[intent], "intents": [intent], "calls": [{"tool": tool}]},
            id=f"m-{n}", locale="en", kind="paraphrase",
        )
        for n, (said, (intent, tool, _)) in enumerate(WANTED.items())
    ]  # fmt: skip
    nobody = case({"say": "sing me a song", "agent": "unknown", "intents": ["unknown"], "calls": []}, id="m-9")
    return [case(KNOWN, id="m-8"), *hard, nobody]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, ModelServer]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(ModelServer(policy)) for name, policy in POLICIES.items()}


@pytest.fixture(scope="module")
def addressed(ground: Callable[..., Ground], config: ModelsConfig, servers: dict[str, ModelServer]) -> Ground:
    """Two models with addresses of their own."""
    price = Price(input=2.0, output=8.0)
    entries = {name: ModelEntry(base_url=s.url, name=name, price=price) for name, s in servers.items()}
    vendor = config.vendors["generic"]
    endpoints = {
        name: Endpoint(name=name, model=name, base_url=s.url, api_key=SecretStr("none"), vendor=vendor)
        for name, s in servers.items()
    }
    both = config.model_copy(update={"models": {**config.models, **entries}})
    return replace(ground(cases()), config=both, endpoints=endpoints)


@pytest.fixture(scope="module")
def recorded(addressed: Ground, tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """With a folder for cassettes, which `live` has filled."""
    return replace(addressed, cassettes=tmp_path_factory.mktemp("cassettes"))


@pytest.fixture(scope="module")
async def live(recorded: Ground) -> dict[str, Column]:
    """Everything measured once, over the network."""
    return await columns(recorded)


async def columns(ground: Ground, **more: Any) -> dict[str, Column]:
    found = await without_models(ground, ignore)
    for name in POLICIES:
        found += await with_model(ground, name, ignore, **more)
    return {column.name: column for column in found}


def ignore(_: bool) -> None:
    pass


def right(column: Column) -> int:
    return sum(not row.score.failed for row in column.rows["work"])


def offline(ground: Ground) -> Ground:
    def nowhere() -> httpx.AsyncBaseTransport:
        raise AssertionError("the network was asked for")

    return replace(ground, endpoints={}, offline=True, transport=nowhere)


async def test_a_skilled_model_is_right_more_often_than_a_dull_one_which_does_not_harm(live: dict[str, Column]) -> None:
    assert list(live) == [
        "rules", "skilled", "skilled alone", "skilled, plain agent", "dull", "dull alone", "dull, plain agent",
    ]  # fmt: skip
    assert [right(live[name]) for name in ("rules", "dull", "skilled")] == [2, 2, 5]


async def test_the_model_alone_shows_what_the_rules_are_worth(live: dict[str, Column]) -> None:
    """With nobody who knows the words for orders, the plain question is a model's to answer."""
    assert right(live["skilled alone"]) == right(live["skilled"]) - 1
    assert right(live["dull alone"]) == 1
    cost = {name: column.kept()["halves"]["work"]["cost"]["model_calls"] for name, column in live.items()}
    assert cost["skilled alone"] > cost["skilled"]


async def test_where_a_model_abstains_the_level_and_the_reason_are_told(live: dict[str, Column]) -> None:
    assert live[DULL].kept()["halves"]["work"]["degraded"] == {"classify": {"prose": 4}}


async def test_the_plain_agent_pays_for_every_tool_in_every_turn(live: dict[str, Column]) -> None:
    desk, plain = live[SKILLED].kept()["halves"]["work"]["cost"], live["skilled, plain agent"]
    assert plain.plain
    assert desk["input_tokens"] < 0.4 * plain.kept()["halves"]["work"]["cost"]["input_tokens"]
    assert sum(row.score.calls is True for row in plain.rows["work"]) >= 4


async def test_recorded_answers_say_the_same_without_a_network(live: dict[str, Column], recorded: Ground) -> None:
    again = await columns(offline(recorded))
    assert [told(column) for column in again.values()] == [told(column) for column in live.values()]
    assert all(column.missed == 0 for column in again.values())


def told(column: Column) -> list[Any]:
    names = ("intents", "calls", "usage", "degraded", "reply")
    return [[dict(row.outcome)[name] for name in names] for row in column.rows["work"]]


async def test_what_is_recorded_is_not_asked_again_and_anew_it_is(
    live: dict[str, Column], recorded: Ground, servers: dict[str, ModelServer]
) -> None:
    for server in servers.values():
        server.reset()
    await with_model(recorded, SKILLED, ignore)
    assert len(servers[SKILLED].requests) == 0
    await with_model(replace(recorded, fresh=True), SKILLED, ignore)
    assert len(servers[SKILLED].requests) > 0


async def test_a_request_that_is_on_no_cassette_is_counted_and_the_model_has_abstained(
    live: dict[str, Column], recorded: Ground
) -> None:
    other = case({"say": "snib and arvle", "agent": "unknown", "intents": ["unknown"]}, id="m-5")
    desk, *_ = await with_model(offline(replace(recorded, halves={"work": [other]})), SKILLED, ignore)
    assert desk.missed > 0
    assert desk.rows["work"][0].outcome["degraded"] == ["classify: status_404"]


async def test_a_model_without_address_and_cassette_is_refused_by_name(addressed: Ground, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="'skilled' has neither an address nor a cassette"):
        await with_model(offline(replace(addressed, cassettes=tmp_path)), SKILLED, ignore)
    with pytest.raises(ConfigurationError, match="'skilled' has no address"):
        await with_model(replace(addressed, endpoints={}), SKILLED, ignore)
    with pytest.raises(ConfigurationError, match="no model 'genius'"):
        await with_model(addressed, "genius", ignore)


async def test_another_wording_is_a_column_of_its_own_with_versions_of_its_own(recorded: Ground) -> None:
    wording = {"prompts short": {"classify.md": "Sort. $today $intents $locale"}}
    found = {column.name: column for column in await with_model(recorded, SKILLED, ignore, wordings=wording)}
    ours, other = found[SKILLED], found["skilled, prompts short"]
    assert ours.prompts["classify.md"] != other.prompts["classify.md"]
    assert ours.prompts["plan.md"] == other.prompts["plan.md"]
    used = [d["prompts"] for row in other.rows["work"] for d in row.outcome["decisions"] if d["source"] == "model"]
    assert set(used) == {f"classify.md@{other.prompts['classify.md']}"}
    cost = [column.kept()["halves"]["work"]["cost"]["input_tokens"] for column in (other, ours)]
    assert cost[0] < cost[1]
    of = between(result_of(found.values(), made_at="now", public=None), SKILLED, "skilled, prompts short")
    assert (of.changed, of.turns) == ((), 5)


async def test_a_decision_of_a_model_names_the_prompts_that_it_went_by(live: dict[str, Column]) -> None:
    alone = live["skilled alone"]
    planned = {
        d.get("prompts") for row in alone.rows["work"] for d in row.outcome["decisions"] if d["level"] == "tools"
    }
    assert planned == {f"plan.md@{alone.prompts['plan.md']} business.md@{alone.prompts['business.md']}"}
    ruled = [d for row in live["rules"].rows["work"] for d in row.outcome["decisions"]]
    assert not any("prompts" in decision for decision in ruled)


async def test_columns_stand_side_by_side_in_the_text(live: dict[str, Column]) -> None:
    text = in_words(result_of(live.values(), made_at="now", public=None), list(live.values()), examples=["work"])
    assert "price of 1000 turns" in text
    assert "tokens beside plain agent's" in text
    assert re.search(r"dull +classify +80\.0 % +prose 4", text)
    assert "prompts of skilled: business.md@" in text


class _Sure:
    """Takes every sentence for the overview, half sure."""

    version = "test"

    async def likely(self, _: str, __: Any) -> tuple[Likely, ...]:
        return tuple(Likely(intent=name, probability=p) for name, p in (("dashboard", 0.9), ("order", 0.05)))


async def test_the_similarity_tier_is_a_column_where_it_is_installed(addressed: Ground) -> None:
    sure: Any = _Sure()
    found = await without_models(replace(addressed, alike=Alike(similarity=sure)), ignore)
    assert [column.name for column in found] == ["rules", "rules+similarity"]
    sources = found[1].kept()["halves"]["work"]["sources"]["route"]
    assert sources["similarity"] > 0
