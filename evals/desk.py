"""The real desk without its business: the shipped graph and rules over tools that do nothing and hold nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from langgraph.checkpoint.memory import InMemorySaver

from auth.principal import DEV_ROLES, Principal
from config.catalogue import Catalogue
from graphs.assistant import Desk, Services, build_graph
from graphs.plain_words import PlainWords
from models.registry import Models
from nodes.reading import reader_of
from nodes.similarity import Alike
from tools.executor import Executor
from tools.registry import Registry
from tools.tool import Tool, ToolContext, ToolResult

NOTHING = {
    "zh": "已受理。评测中不执行业务操作，没有数据可以显示。",
    "en": "Accepted. Nothing is carried out in an evaluation, and there is no data to show.",
}


@dataclass(frozen=True, kw_only=True)
class Stand:
    """One way of running the desk. `name`: its column. `model`: a name of models.yaml, None for none."""

    name: str
    services: Services
    graph: Desk
    words: PlainWords
    principal: Principal
    model: str | None = None

    async def forget(self, thread: str) -> None:
        """A conversation that is over need not be kept."""
        saver = cast("InMemorySaver", self.graph.checkpointer)
        await saver.adelete_thread(thread)


def stand(
    name: str, catalogue: Catalogue, registry: Registry, models: Models, *, alike: Alike, model: str | None = None
) -> Stand:
    """`models`: one without any, where no model is to be asked."""
    silent = Registry(silenced(tool) for tool in registry.values())
    services = Services(
        catalogue=catalogue,
        reader=reader_of(catalogue),
        registry=silent,
        executor=Executor(silent, {}, catalogue.cards),
        models=models,
        alike=alike,
    )
    return Stand(
        name=name,
        services=services,
        graph=build_graph(services).compile(checkpointer=InMemorySaver()),
        words=PlainWords.of(catalogue),
        principal=Principal(permissions=catalogue.permissions(DEV_ROLES)),
        model=model,
    )


def silenced(tool: Tool) -> Tool:
    """The same tool for whoever plans; called, it does nothing and knows of no rows."""

    async def call(context: ToolContext, **_: Any) -> ToolResult:
        return ToolResult(content=NOTHING[context.locale])

    return replace(tool, call=call, background=False)


def without_words(catalogue: Catalogue) -> Catalogue:
    """The catalogue as a model alone would see it: no word routes, nothing is small talk, and the model plans."""
    agents = {
        name: agent.model_copy(
            update={
                "keywords": (),
                "intents": {key: intent.model_copy(update=WORDLESS) for key, intent in agent.intents.items()},
            }
        )
        for name, agent in catalogue.agents.items()
    }
    shared = catalogue.shared.model_copy(update={"guards": (), "chitchat": _silent(catalogue.shared.chitchat)})
    return replace(catalogue, agents=agents, shared=shared)


WORDLESS: Mapping[str, Any] = {
    "synonyms": (), "verbs": (), "actions": (), "sequences": (), "beside": (), "identifiers": (), "overrides": False,
    "default": False, "plan": "model",
}  # fmt: skip


def _silent(chitchat: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: talk.model_copy(update={"words": ()}) for kind, talk in chitchat.items()}
