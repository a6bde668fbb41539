"""Checks the files of the configuration against each other, and against the tools that there are."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from string import Template

from config import own_words
from config.bindings import Tools, against_tools, undeclared
from config.catalogue import CHAT, Agent, Binding, Catalogue, Intent
from config.designs import against_fields
from config.roles import malformed, ungranted
from config.strict_yaml import did_you_mean

FIRST_AGENT = "business"  # the intents of the first agent go without its name
RESERVED = "unknown"
NO_SLOT = "none"  # the grammar's words that only look like pronouns
NAME = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*")

# The slots that the language package fills whatever the lexicon says, and the steps that lead into one.
PERIOD, AMOUNT = ("name", "start", "end"), ("min", "max")
SLOTS = (
    "period", "amount", "new_period", "due", "limit", "person", "phone", "time", "new_time", "content", "keyword",
    "question", "text",
)  # fmt: skip

# What looks like a placeholder: `{name}` is one nowhere, `$name` only in the desk's own prompts.
BRACED, PLACEHOLDER = re.compile(r"\{[A-Za-z_]\w*\}"), re.compile(r"\$\{?[A-Za-z_]\w*\}?")

# The prompts that the desk itself uses, and what it fills into each.
PROMPTS = {
    "classify.md": {"intents", "today", "locale"},
    "plan.md": {"agent", "today", "time_zone", "locale"},
    "reply.md": {"today", "locale"},
    "summary.md": {"locale"},
    "unknown.md": {"abilities", "today", "locale"},
}


def check(
    catalogue: Catalogue,
    tools: Tools | None = None,
    models: Collection[str] | None = None,
    *,
    elsewhere: Mapping[str, str] | None = None,
) -> list[str]:
    """Every problem, naming file and key. `tools`, `models`: None leaves out what would be checked against them.
    `elsewhere`: name -> group of tools that may come later."""
    problems = [*_lexicon(catalogue), *_prompts(catalogue), *_cards(catalogue), *malformed((tools or {}).values())]
    for agent in catalogue.agents.values():
        file = catalogue.files.get(agent.name, agent.name)
        found = [*_agent(agent, catalogue, models), *_intents(agent, catalogue), *_chains(agent, catalogue)]
        found += against_tools(agent, catalogue, tools, elsewhere) if tools is not None else ()
        problems += (f"{file}: {problem}" for problem in found)
    return problems


def warnings(catalogue: Catalogue, tools: Tools | None = None) -> list[str]:
    """What works, and is probably not meant."""
    found = [
        f"the noun {word!r} settles nothing: it is claimed by {', '.join(names)}"
        for word, names in contested_nouns(catalogue).items()
    ]
    found += ungranted((tools or {}).values(), catalogue.roles)
    return [*found, *_unasked(catalogue, tools or {}), *undeclared(catalogue, tools or {})]


def contested_nouns(catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    """Nouns that several intents claim, so that none gets them -> those intents."""
    claimed: dict[str, tuple[str, ...]] = catalogue.claimed_nouns
    return {word: names for word, names in claimed.items() if len(names) > 1}


def known_slots(catalogue: Catalogue) -> list[str]:
    """Every slot that some rule can fill."""
    return [*SLOTS, *catalogue.lexicon.identifiers, *catalogue.lexicon.values]


def _agent(agent: Agent, catalogue: Catalogue, models: Collection[str] | None) -> Iterator[str]:
    if not NAME.fullmatch(agent.name) or "." in agent.name or agent.name == RESERVED:
        yield f"name: {agent.name!r} must be lower-case Latin letters, digits and _, and not {RESERVED!r}"
    if agent.prompt is not None and agent.prompt not in catalogue.prompts:
        yield f"prompt: no prompt {agent.prompt!r}{did_you_mean(agent.prompt, list(catalogue.prompts))}"
    if agent.model is not None and models is not None and agent.model not in models:
        yield f"model: no model {agent.model!r}{did_you_mean(agent.model, list(models))}"
    for index, role in enumerate(agent.roles):
        if role not in catalogue.roles:
            yield f"roles.{index}: no role {role!r}{did_you_mean(role, list(catalogue.roles))}"
    for index, tenant in enumerate(agent.tenants):
        if tenant not in catalogue.tenants:
            yield f"tenants.{index}: no tenant {tenant!r}{did_you_mean(tenant, list(catalogue.tenants))}"
    yield from _empty("keywords", agent.keywords)
    others = own_words.joined(catalogue.shared, (a.words for a in catalogue.agents.values() if a.name != agent.name))
    yield from own_words.problems(agent.words, others, SLOTS)
    if len(defaults := [intent.name for intent in agent.intents.values() if intent.default]) > 1:
        yield f"intents: several defaults: {', '.join(defaults)}"


def _intents(agent: Agent, catalogue: Catalogue) -> Iterator[str]:
    for intent in agent.intents.values():
        found = [*_name(intent, catalogue), *_meaning(intent, catalogue), *_tool(intent, catalogue)]
        for name, binding in intent.arguments.items():
            found += (f".arguments.{name}{problem}" for problem in _binding(binding, catalogue))
        yield from (f"intents.{intent.name}{problem}" for problem in found)


def _name(intent: Intent, catalogue: Catalogue) -> Iterator[str]:
    first, _, rest = intent.name.partition(".")
    if not NAME.fullmatch(intent.name) or intent.name == RESERVED:
        yield f": a name is lower-case Latin letters, digits and _, in parts joined by dots, and not {RESERVED!r}"
    elif intent.agent == FIRST_AGENT:
        if first != FIRST_AGENT and first in catalogue.agents:
            yield f": begins with the name of another agent, {first!r}"
    elif first != intent.agent:
        yield f": must begin with its agent's name: {intent.agent}.{rest or first}"


def _meaning(intent: Intent, catalogue: Catalogue) -> Iterator[str]:
    for kind in ("synonyms", "verbs", "actions"):
        yield from (f".{problem}" for problem in _empty(kind, getattr(intent, kind)))
    if intent.of is not None and intent.of not in catalogue.intents:
        yield f".of: no intent {intent.of!r}{did_you_mean(intent.of, list(catalogue.intents))}"
    if intent.of == intent.name:
        yield ".of: an intent cannot act on itself"
    if bool(intent.actions) != (intent.of is not None):
        yield ".of: `of` and `actions` need each other"
    if intent.overrides and not intent.synonyms:
        yield ".overrides: needs synonyms that could beat others"
    for index, slot in enumerate(intent.identifiers):
        if slot not in (known := ["phone", *catalogue.lexicon.identifiers]):
            yield f".identifiers.{index}: no identifier {slot!r}{did_you_mean(slot, known)}"
    if intent.card is not None and intent.card not in catalogue.cards:
        yield f".card: no card {intent.card!r}{did_you_mean(intent.card, list(catalogue.cards))}"


def _tool(intent: Intent, catalogue: Catalogue) -> Iterator[str]:
    chats = intent.agent == CHAT and intent.name.partition(".")[2] in catalogue.lexicon.chitchat
    if intent.tool is None and not chats:
        yield ".tool: is missing; only the small talk of the lexicon is answered without one"
    if intent.tool is None and intent.arguments:
        yield ".arguments: need a tool that takes them"


def _binding(binding: Binding, catalogue: Catalogue) -> Iterator[str]:
    if (binding.source is None) == (binding.value is None):
        yield ": needs either `from` or `value`"
    if binding.otherwise is not None and binding.source is None:
        yield ".otherwise: serves only together with `from`"
    for key, source in (
        ("from", binding.source),
        ("otherwise", binding.otherwise),
        ("beside", binding.beside),
        ("unless", binding.unless),
    ):
        if source is None:
            continue
        slot, _, step = source.partition(".")
        if slot not in (known := known_slots(catalogue)):
            yield f".{key}: no rule fills a slot {slot!r}{did_you_mean(slot, known)}"
        elif step and not (slot.endswith("period") and step in PERIOD) and not (slot == "amount" and step in AMOUNT):
            yield f".{key}: {slot!r} has no part {step!r}"


def _chains(agent: Agent, catalogue: Catalogue) -> Iterator[str]:
    for index, chain in enumerate(agent.chains):
        for key, name in (("from", chain.source), ("to", chain.to)):
            if name not in catalogue.intents:
                yield f"chains.{index}.{key}: no intent {name!r}{did_you_mean(name, list(catalogue.intents))}"
        if chain.source == chain.to:
            yield f"chains.{index}.to: an intent cannot follow itself"
        if not chain.bind:
            yield f"chains.{index}.bind: names nothing that the first intent gives to the second"


def _lexicon(catalogue: Catalogue) -> Iterator[str]:
    lexicon, known = catalogue.shared, known_slots(catalogue)
    found = [problem for slot, values in lexicon.values.items() for problem in _values(slot, values)]
    twice = [f"values.{slot}" for slot in lexicon.values if slot in (*SLOTS, *lexicon.identifiers)]
    twice += (f"identifiers.{slot}" for slot in lexicon.identifiers if slot in SLOTS)
    found += (f"{where}: this slot is filled by another rule" for where in twice)
    for kind in lexicon.chitchat:
        if f"{CHAT}.{kind}" not in catalogue.intents:
            found.append(f"chitchat.{kind}: no agent lists its intent, '{CHAT}.{kind}'")
    yield from (f"{catalogue.home}/lexicon.yaml: {problem}" for problem in found)
    for slot in catalogue.grammar.pronouns:
        if slot not in known and slot != NO_SLOT:
            where = f"{catalogue.home}/grammar.yaml: pronouns.{slot}"
            yield f"{where}: no rule fills a slot {slot!r}{did_you_mean(slot, known)}"


def _values(slot: str, values: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for value, words in values.items():
        yield from (f"values.{slot}.{problem}" for problem in _empty(value, words))
    for word, times in Counter(w.lower() for words in values.values() for w in set(words)).items():
        if times > 1:
            yield f"values.{slot}: {word!r} stands for several values"


def _prompts(catalogue: Catalogue) -> Iterator[str]:
    for name, filled in PROMPTS.items():
        where = f"{catalogue.home}/prompts/{name}"
        if name not in catalogue.prompts:
            yield f"{where}: the file is missing"
            continue
        template = Template(catalogue.prompts[name])
        if not template.is_valid():
            yield f"{where}: has a $ that begins no name; write $$ for a dollar sign"
            continue
        for strange in sorted(set(template.get_identifiers()) - filled):
            yield f"{where}: ${strange} is filled by nothing{did_you_mean(strange, sorted(filled))}"
    for name, text in catalogue.prompts.items():
        where = f"{catalogue.home}/prompts/{name}"
        names = BRACED.findall(text) + (PLACEHOLDER.findall(text) if name not in PROMPTS else [])
        for strange in dict.fromkeys(names):
            yield f"{where}: {strange} is filled by nothing and would reach the model as it is"


def _cards(catalogue: Catalogue) -> Iterator[str]:
    for name, card in catalogue.cards.items():
        yield from (f"{catalogue.home}/cards/{name}.yaml: {problem}" for problem in against_fields(card))


def _empty(key: str, words: Iterable[str]) -> Iterator[str]:
    for index, word in enumerate(words):
        if not word.strip():
            yield f"{key}.{index}: an empty word"


def _unasked(catalogue: Catalogue, tools: Tools) -> Iterator[str]:
    """Required arguments without a question of their own: the desk asks with a fixed sentence then."""
    for intent in catalogue.intents.values():
        tool = tools.get(intent.tool or "")
        needs = {name for name, info in tool.arguments.model_fields.items() if info.is_required()} if tool else set()
        for name, binding in intent.arguments.items():
            if (binding.required or name in needs) and binding.ask is None and binding.source not in (None, "text"):
                file = catalogue.files.get(intent.agent, intent.agent)
                yield f"{file}: intents.{intent.name}.arguments.{name}: required, but without `ask`"
