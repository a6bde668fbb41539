"""What a model's words may claim: nothing was changed unless the tool of that request says so."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import ToolMessage

from config.catalogue import Catalogue
from nodes.state import Turn
from tools.registry import Registry

DONE = ("done", "accepted")


@dataclass(frozen=True)
class Claims:
    """Over the answers of one turn. A request is to change something where its intent's tool has an effect."""

    turn: Turn
    answers: Sequence[ToolMessage]
    catalogue: Catalogue
    registry: Registry

    def hold(self) -> bool:
        """Whether everything that the model was to change is changed, so that it may say so in its own words."""
        return all(self._changes(index) is None or self._done(index) for index in self.turn["by_model"])

    def attempted(self, index: int) -> bool:
        """Whether the request was tried with its own tool, or changes nothing anyway."""
        tool = self._changes(index)
        return tool is None or any(m.name == tool for m in self.answers)

    def _done(self, index: int) -> bool:
        tool = self._changes(index)
        return any(m.name == tool and m.artifact["status"] in DONE for m in self.answers)

    def _changes(self, index: int) -> str | None:
        """The tool with an effect that the request stands for."""
        intent = self.catalogue.intents[self.turn["requests"][index]["intent"]]
        tool = self.registry.get(intent.tool or "")
        return tool.name if tool is not None and tool.effect else None
