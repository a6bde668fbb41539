"""Words that an agent's file brings along, joined with the lexicon's, so that a new agent changes no other file."""

from collections.abc import Collection, Iterable, Iterator

from config.lexicon import IdentifierWords, Lexicon, OwnWords

Values = dict[str, dict[str, tuple[str, ...]]]


def joined(shared: Lexicon, brought: Iterable[OwnWords]) -> Lexicon:
    """The lexicon with the agents' words behind its own, slot by slot and value by value."""
    values: Values = {slot: dict(some) for slot, some in shared.values.items()}
    identifiers = dict(shared.identifiers)
    idioms, titles = list(shared.idioms), list(shared.titles)
    for own in brought:
        for slot, some in own.values.items():
            into = values.setdefault(slot, {})
            for value, words in some.items():
                into[value] = tuple(dict.fromkeys((*into.get(value, ()), *words)))
        for slot, kind in own.identifiers.items():
            identifiers[slot] = _both(identifiers[slot], kind) if slot in identifiers else kind
        idioms += own.idioms
        titles += own.titles
    more = {"idioms": tuple(dict.fromkeys(idioms)), "titles": tuple(dict.fromkeys(titles))}
    return shared.model_copy(update={"values": values, "identifiers": identifiers, **more})


def problems(own: OwnWords, others: Lexicon, filled: Collection[str]) -> Iterator[str]:
    """What is wrong with an agent's words. `others`: all words but its own; `filled`: slots that other rules fill."""
    for slot, some in own.values.items():
        if slot in filled or slot in others.identifiers or slot in own.identifiers:
            yield f"words.values.{slot}: this slot is filled by another rule"
        meant = {word.lower(): value for value, words in others.values.get(slot, {}).items() for word in words}
        for value, words in some.items():
            for word in words:
                if not word.strip():
                    yield f"words.values.{slot}.{value}: an empty word"
                elif meant.setdefault(word.lower(), value) != value:
                    yield f"words.values.{slot}: {word!r} stands for several values"
    for slot, kind in own.identifiers.items():
        if slot in filled or slot in others.values:
            yield f"words.identifiers.{slot}: this slot is filled by another rule"
        known = others.identifiers.get(slot)
        if known is not None and (known.digits, known.dated) != (kind.digits, kind.dated):
            yield f"words.identifiers.{slot}: is already a number of another length or kind"


def _both(known: IdentifierWords, more: IdentifierWords) -> IdentifierWords:
    return known.model_copy(update={"nouns": tuple(dict.fromkeys((*known.nouns, *more.nouns)))})
