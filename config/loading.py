"""Reads the folders that an operator writes into a catalogue, and tells every problem at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from config.bindings import ToolFacts
from config.catalogue import Agent, CardDesign, Catalogue, Examples
from config.check import check
from config.lexicon import Grammar, Lexicon
from config.records import Record
from config.roles import Roles
from config.strict_yaml import R, read_record
from config.tenants import Tenant
from errors import ConfigurationError


class Tenants(Record):
    tenants: dict[str, Tenant]


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """`catalogue`: None where a file is too broken to go on; else what could be read, which may be incomplete."""

    catalogue: Catalogue | None
    problems: tuple[str, ...] = ()


def load_catalogue(
    config_dir: Path, agent_dirs: Sequence[Path] = (), tools: Mapping[str, ToolFacts] | None = None
) -> Catalogue:
    """`agent_dirs`: more folders of agents and their prompts. With `tools` the whole is checked against them as well.

    Raises ConfigurationError that lists every problem.
    """
    loaded = read_catalogue(config_dir, agent_dirs)
    problems = list(loaded.problems)
    if loaded.catalogue is not None:
        problems += check(loaded.catalogue, tools)
    if problems or loaded.catalogue is None:
        raise ConfigurationError("\n".join(problems))
    return loaded.catalogue


def read_catalogue(config_dir: Path, agent_dirs: Sequence[Path] = ()) -> Loaded:
    """What the files say, not yet checked against each other."""
    reader = _Reader(config_dir=config_dir)
    lexicon = reader.record(config_dir / "lexicon.yaml", Lexicon)
    grammar = reader.record(config_dir / "grammar.yaml", Grammar)
    tenants = reader.record(config_dir / "tenants.yaml", Tenants)
    roles = reader.record(config_dir / "roles.yaml", Roles)
    unserved = reader.record(config_dir / "unknown.yaml", Examples)
    cards = reader.cards(config_dir / "cards")
    agents, files = reader.agents([config_dir / "agents", *agent_dirs])
    prompts = reader.prompts([config_dir / "prompts", *agent_dirs])
    if lexicon is None or grammar is None or tenants is None or roles is None or unserved is None:
        return Loaded(catalogue=None, problems=tuple(reader.problems))
    catalogue = Catalogue(
        agents=agents, shared=lexicon, grammar=grammar, cards=cards, prompts=prompts,
        tenants=tenants.tenants, roles=roles.roles, files=files, home=config_dir.resolve().name,
        unserved=unserved,
    )  # fmt: skip
    return Loaded(catalogue=catalogue, problems=tuple(reader.problems))


@dataclass(frozen=True, kw_only=True)
class _Reader:
    config_dir: Path
    problems: list[str] = field(default_factory=list)

    def record(self, path: Path, model: type[R]) -> R | None:
        read = read_record(path, model, self.shown(path))
        self.problems.extend(read.problems)
        return read.record

    def shown(self, path: Path) -> str:
        """A file as messages name it: from the configuration's folder on, or whole where it lies elsewhere."""
        home = self.config_dir.resolve().parent
        here = path.resolve()
        return here.relative_to(home).as_posix() if here.is_relative_to(home) else str(path)

    def agents(self, folders: Iterable[Path]) -> tuple[dict[str, Agent], dict[str, str]]:
        """Agents by name, and the file of each."""
        agents: dict[str, Agent] = {}
        files: dict[str, str] = {}
        for path in self._files(folders, "*.yaml"):
            agent, shown = self.record(path, Agent), self.shown(path)
            if agent is None:
                continue
            if agent.name in agents:
                self.problems.append(f"{shown}: name: {agent.name!r} is already the agent of {files[agent.name]}")
            else:
                agents[agent.name], files[agent.name] = _named(agent), shown
        self.problems.extend(_shared_intents(agents, files))
        return agents, files

    def prompts(self, folders: Iterable[Path]) -> dict[str, str]:
        prompts: dict[str, str] = {}
        for path in self._files(folders, "*.md"):
            if path.name in prompts:
                self.problems.append(f"{self.shown(path)}: there is already a prompt of this name")
            try:
                prompts.setdefault(path.name, path.read_text(encoding="utf-8").strip())
            except (OSError, UnicodeDecodeError) as error:
                self.problems.append(f"{self.shown(path)}: cannot be read as UTF-8 text: {error}")
        return prompts

    def cards(self, folder: Path) -> dict[str, CardDesign]:
        cards: dict[str, CardDesign] = {}
        for path in sorted(folder.glob("*.yaml")):
            card = self.record(path, CardDesign)
            if card is not None and card.type != path.stem:
                self.problems.append(f"{self.shown(path)}: type: {card.type!r} must be the file's name, {path.stem!r}")
            elif card is not None:
                cards[card.type] = card
        return cards

    def _files(self, folders: Iterable[Path], pattern: str) -> Iterator[Path]:
        for folder in folders:
            if not folder.is_dir():
                problem = f"{self.shown(folder)}: there is no such folder"
                if problem not in self.problems:
                    self.problems.append(problem)
            for strange in sorted(folder.glob("*.yml")) if pattern == "*.yaml" else ():
                self.problems.append(f"{self.shown(strange)}: is not read; such a file ends in .yaml")
            yield from sorted(folder.glob(pattern))


def _named(agent: Agent) -> Agent:
    """Each intent knows its own name and its agent's."""
    intents = {n: i.model_copy(update={"name": n, "agent": agent.name}) for n, i in agent.intents.items()}
    return agent.model_copy(update={"intents": intents})


def _shared_intents(agents: Mapping[str, Agent], files: Mapping[str, str]) -> Iterator[str]:
    owners: dict[str, str] = {}
    for agent in agents.values():
        for name in agent.intents:
            owner = owners.setdefault(name, agent.name)
            if owner != agent.name:
                yield f"{files[agent.name]}: intents.{name}: {files[owner]} already has an intent of this name"
