"""What the desk can be asked for: agents, their intents, and the words that mean them."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from string import Template
from typing import Any, Literal, NamedTuple

from pydantic import Field, model_validator

from config import own_words, words
from config.lexicon import Grammar, Lexicon, OwnWords
from config.records import Localised, Record
from config.roles import Role, granted
from config.tenants import Tenant
from language.english_words import SPELLINGS
from language.matcher import Matcher
from language.names import Names

__all__ = [
    "Agent", "Binding", "CardDesign", "Catalogue", "Chain", "Examples", "Intent", "Localised", "MemoryRules", "PlanBy",
    "Record", "Role", "Tenant",
]  # fmt: skip

PlanBy = Literal["rules", "model", "auto"]
CHAT = "chat"
NOTHING: Matcher[tuple[str, ...]] = Matcher({})


class Examples(Record):
    zh: tuple[str, ...] = ()
    en: tuple[str, ...] = ()


class Binding(Record):
    """Where a tool's argument comes from. A bare word is short for `{from: word}`.

    `source`: a slot of `entities`, or a path into one (`period.start`); `otherwise`: the slot that serves where that
    is empty; `beside`: the slot that has to be filled for this one to count, `unless`: the one that must not;
    `value`: a constant. `ask`: the question back.
    """

    source: str | None = Field(default=None, alias="from")
    otherwise: str | None = None
    beside: str | None = None
    unless: str | None = None
    value: Any = None
    required: bool = False
    ask: Localised | None = None

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, given: Any) -> Any:
        return {"from": given} if isinstance(given, str) else given


class Intent(Record):
    """One thing that can be wanted.

    `synonyms`: nouns and phrases that mean it by themselves. `verbs`: bare words that decide only where no noun of any
    agent matched in the clause. `of` and `actions`: this intent is meant where the intent `of` is named in a clause
    (by a synonym or identifier) together with one of these action words. `overrides`: its synonyms beat any other
    intent of the clause. `identifiers`: kinds of identifier that mean it where no noun matched. `default`: the agent's
    intent where only the agent is known. `changes`: it does something, so that a question about it means `of`.
    `sequences`: words that act like one of `actions` where they stand in this order, or, of an intent that `overrides`,
    like one of `synonyms` (there `{slot}` is any particular of that kind); `beside`: slots that do where all
    of them are filled (`a|b`: one of the two). `entry`: it is meant where something is written down in that way
    (language/entries.py). `empty`: `unknown` turns an empty result (`data.found == 0`) into an honest
    unknown. `reply`: template (the tools' own summaries) or model. `card`: the type of card that its tool answers with.
    """

    name: str = ""
    agent: str = ""
    description: Localised
    synonyms: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    of: str | None = None
    actions: tuple[str, ...] = ()
    sequences: tuple[tuple[str, ...], ...] = ()
    beside: tuple[str, ...] = ()
    entry: Literal["calendar", "todo", "moved"] | None = None
    changes: bool = False
    overrides: bool = False
    identifiers: tuple[str, ...] = ()
    default: bool = False
    examples: Examples = Examples()
    plan: PlanBy = "auto"
    tool: str | None = None
    arguments: dict[str, Binding] = Field(default_factory=dict)
    empty: Literal["answer", "unknown"] = "answer"
    reply: Literal["template", "model"] = "template"
    card: str | None = None


class Spelled(NamedTuple):
    """A sequence of an intent. `words`: as it is written, without the `slots` that have to be filled beside them."""

    intent: Intent
    sequence: tuple[str, ...]
    words: tuple[str, ...]
    slots: tuple[str, ...]

    @classmethod
    def of(cls, intent: Intent, sequence: tuple[str, ...]) -> "Spelled":
        slots = tuple(word[1:-1] for word in sequence if word.startswith("{"))
        return cls(intent, sequence, tuple(word for word in sequence if not word.startswith("{")), slots)


class Chain(Record):
    """`to` runs after `source`; `bind`: an argument of `to`'s tool -> a path into the `data` of `source`'s tool."""

    source: str = Field(alias="from")
    to: str
    bind: dict[str, str]


class MemoryRules(Record):
    rounds: int = Field(default=6, ge=1, le=50)
    idle_minutes: float = Field(default=15, gt=0)
    clear_when_done: bool = False


class Agent(Record):
    """One business agent: a file in config/agents/. `keywords`: bare words that mean it where no noun matched.

    `words`: what it adds to the lexicon, for slots of its own or more words for a known one.
    """

    name: str
    title: Localised
    description: Localised
    public: bool = True
    tenants: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    tool_groups: tuple[str, ...] = ()
    model: str | None = None
    temperature: float | None = None
    prompt: str | None = None
    memory: MemoryRules = MemoryRules()
    keywords: tuple[str, ...] = ()
    words: OwnWords = OwnWords()
    intents: dict[str, Intent]
    chains: tuple[Chain, ...] = ()


class CardDesign(Record):
    """A file in config/cards/. `fields`: field of the card's data -> JSON schema; `design`: passed on to clients."""

    type: str
    fields: dict[str, dict[str, Any]]
    design: dict[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Catalogue:
    """Everything that an operator wrote, and the look-ups made of it, each once.

    `shared`: the lexicon as its file has it; `lexicon` has the agents' own words as well. `prompts`: file name
    (`plan.md`) -> text. `files`: agent -> its file, `home`: the folder, as messages show them. `unserved`:
    sentences that no agent serves.
    """

    agents: Mapping[str, Agent]
    shared: Lexicon
    grammar: Grammar
    cards: Mapping[str, CardDesign] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    tenants: Mapping[str, Tenant] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    home: str = "config"
    unserved: Examples = field(default_factory=Examples)

    @cached_property
    def lexicon(self) -> Lexicon:
        """What words stand for: the operator's lexicon, and what the agents bring along."""
        return own_words.joined(self.shared, (agent.words for agent in self.agents.values()))

    @cached_property
    def intents(self) -> dict[str, Intent]:
        """The intents of all agents by name, in the order of the files."""
        return {intent.name: intent for agent in self.agents.values() for intent in agent.intents.values()}

    @cached_property
    def nouns(self) -> Matcher[tuple[str, ...]]:
        """Nouns and phrases -> every intent that claims them; a noun that two agents claim settles nothing."""
        return words.matcher(self.claimed_nouns, self.lexicon.idioms)

    @cached_property
    def claimed_nouns(self) -> dict[str, tuple[str, ...]]:
        """Every noun as it is matched -> the intents that claim it."""
        return words.claims(self.intents, "synonyms")

    @cached_property
    def overriding(self) -> Matcher[tuple[str, ...]]:
        """The nouns and phrases that beat any other of their clause, unless the other contains them."""
        claiming = {name: intent for name, intent in self.intents.items() if intent.overrides}
        return words.matcher(words.claims(claiming, "synonyms"), (*self.lexicon.idioms, *self.claimed_nouns))

    @cached_property
    def spelled_out(self) -> tuple[Spelled, ...]:
        """What words in order, with a particular or without, mean by themselves."""
        overriding = (intent for intent in self.intents.values() if intent.overrides)
        return tuple(Spelled.of(intent, sequence) for intent in overriding for sequence in intent.sequences)

    @cached_property
    def pronouns(self) -> Matcher[str]:
        """Words that stand for what was spoken of before -> the slot of that; `none` where they only look so."""
        slots = self.grammar.pronouns.items()
        return Matcher({word.replace("|", ""): slot for slot, some in slots for word in some})

    @cached_property
    def verbs(self) -> Matcher[tuple[str, ...]]:
        """Bare words -> the intents that they mean where no noun matched in the clause."""
        return words.matcher(words.claims(self.intents, "verbs"), self.lexicon.idioms)

    @cached_property
    def actions(self) -> Matcher[tuple[str, ...]]:
        """Action words -> the intents that they mean beside the thing that these act on (`Intent.of`).

        The word of a value that contains one is none: in "未完成的待办" nothing is to be finished.
        """
        values = (word for slot in self.lexicon.values.values() for some in slot.values() for word in some)
        return words.matcher(words.claims(self.intents, "actions"), (*self.lexicon.idioms, *values))

    def actions_on(self, thing: str) -> Matcher[tuple[str, ...]]:
        """The action words of the intents that act on one intent; a longer word of another one keeps none quiet."""
        return self._actions_by_thing.get(thing, NOTHING)

    @cached_property
    def _actions_by_thing(self) -> dict[str, Matcher[tuple[str, ...]]]:
        values = [word for slot in self.lexicon.values.values() for some in slot.values() for word in some]
        acting: dict[str, dict[str, Intent]] = {}
        for name, intent in self.intents.items():
            if intent.of is not None:
                acting.setdefault(intent.of, {})[name] = intent
        longer = (*self.lexicon.idioms, *values)
        return {thing: words.matcher(words.claims(some, "actions"), longer) for thing, some in acting.items()}

    @cached_property
    def agent_words(self) -> Matcher[tuple[str, ...]]:
        """Bare words -> the agents that they mean where no noun matched in the clause."""
        return words.matcher(words.claims(self.agents, "keywords"), self.lexicon.idioms)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every Latin word that means something here, folded, with its plural: what a misspelt word may have meant."""
        said = [word for kind in ("synonyms", "verbs", "actions") for word in words.claims(self.intents, kind)]
        said += words.claims(self.agents, "keywords")
        said += (word for slot in self.lexicon.values.values() for some in slot.values() for word in some)
        said += (word for kind in self.lexicon.identifiers.values() for word in kind.nouns)
        said += (word for talk in self.lexicon.chitchat.values() for word in talk.words)
        return words.vocabulary([*said, *self.grammar.particles, *self.lexicon.asking, *SPELLINGS])

    @cached_property
    def chitchat_words(self) -> Matcher[str]:
        """Words of small talk -> their kind; the intent of a kind is `chat.<kind>`."""
        kinds = {word: kind for kind, talk in self.lexicon.chitchat.items() for word in talk.words}
        return Matcher({words.written(word): kind for word, kind in kinds.items()})

    @cached_property
    def fillers(self) -> Matcher[bool]:
        """Words that may stand around small talk."""
        return Matcher(dict.fromkeys(map(words.written, self.lexicon.fillers), True))

    @cached_property
    def names(self) -> Names:
        """How the names of people begin, and what only looks like one."""
        grammar = self.grammar
        return Names(surnames=grammar.surnames, not_names=grammar.not_names, titles=grammar.name_titles)

    @cached_property
    def no_names(self) -> frozenset[str]:
        """Words, folded, that only look like a name."""
        return frozenset(word.casefold() for word in self.grammar.not_names)

    @cached_property
    def particles(self) -> Matcher[bool]:
        """Words without content of their own."""
        return Matcher(dict.fromkeys(self.grammar.particles, True))

    def permissions(self, roles: Iterable[str]) -> frozenset[str]:
        """The permission codes that callers of these roles have, as roles.yaml is now."""
        return granted(roles, self.roles)

    def default_intent(self, agent: str) -> str | None:
        """The intent that is meant where only the agent is known."""
        own = self.agents[agent].intents.values() if agent in self.agents else ()
        return next((intent.name for intent in own if intent.default), None)

    @cached_property
    def prompt_versions(self) -> dict[str, str]:
        """Prompt (`plan.md`) -> the beginning of its text's hash: what a decision names, and nobody can forget."""
        return {name: hashlib.sha256(text.encode()).hexdigest()[:8] for name, text in sorted(self.prompts.items())}

    def prompt_used(self, *names: str) -> str:
        """The prompts (`plan` or `plan.md`) with their versions, as a decision keeps them: `plan.md@1a2b3c4d`."""
        files = (name if name in self.prompts else f"{name}.md" for name in names)
        return " ".join(f"{name}@{self.prompt_versions[name]}" for name in files)

    def render(self, prompt: str, **values: str) -> str:
        """The text of a prompt (`plan` or `plan.md`) with its `$placeholders` filled; KeyError where one is not."""
        name = prompt if prompt in self.prompts else f"{prompt}.md"
        return Template(self.prompts[name]).substitute(values)

    def examples(self, locale: str, intents: Collection[str] | None = None, count: int = 5) -> tuple[str, ...]:
        """A few sentences that show what the desk can do, one agent after another. `intents`: None means all."""
        lists = [
            [said for intent in agent.intents.values() if _open(intent, intents) for said in _said(intent, locale)[:1]]
            for agent in self.agents.values()
        ]
        rounds = [some[n] for n in range(max(map(len, lists), default=0)) for some in lists if n < len(some)]
        return tuple(rounds[:count])

    @property
    def learnt(self) -> dict[str, tuple[str, ...]]:
        """What the similarity tier learns: each intent's examples in both languages, and what is `unknown`."""
        served = {name: (*i.examples.zh, *i.examples.en) for name, i in self.intents.items() if i.tool}
        return {**served, "unknown": (*self.unserved.zh, *self.unserved.en)}

    def describe_intents(self, names: Collection[str], locale: str) -> str:
        """One line per intent for a model: name, description, two examples. Unknown names are left out."""
        lines = []
        for intent in (intent for name, intent in self.intents.items() if name in names):
            said = " / ".join(_said(intent, locale)[:2])
            lines.append(f"- {intent.name}: {intent.description.for_(locale)}" + (f" ({said})" if said else ""))
        return "\n".join(lines)

    def agent_hash(self, name: str) -> str:
        """SHA-256 of an agent's definition as canonical JSON: the same as long as its meaning is the same."""
        plain = self.agents[name].model_dump(mode="json", by_alias=True)
        text = json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _said(intent: Intent, locale: str) -> tuple[str, ...]:
    return intent.examples.zh if locale == "zh" else intent.examples.en


def _open(intent: Intent, names: Collection[str] | None) -> bool:
    return intent.tool is not None and (names is None or intent.name in names)
