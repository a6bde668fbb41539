"""Which intents the words of one clause mean."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from config.catalogue import Intent
from language.found import Span
from language.free_text import find_content
from language.matcher import Matcher
from language.normalise import Text
from nodes.portions import handed_back, handed_on, portions
from nodes.questioning import asks, questioned, wonders
from nodes.reading import Rules, guarded, in_order

BLANK = "\x00"  # stands in no word
MAX_REQUESTS = 10
UNSURE = ("的", "吗", "么", "没", "?", "情况", "记录")  # what ends so tells of no change
Kind = Literal["noun", "identifier", "verb", "action"]


@dataclass(frozen=True, kw_only=True)
class Hit:
    """An intent that a word means. `at`, `end`: where the word stands in its clause; `piece`: in which part of it."""

    intent: str
    word: str
    at: int
    end: int
    kind: Kind
    piece: int = 0


@dataclass(kw_only=True)
class Meant:
    """A hit with the parts of the sentence that say more of it, and the slots that it has from its neighbours."""

    hit: Hit
    spans: list[list[int]]
    given: dict[str, Any] = field(default_factory=dict)


def wanted(part: Text, offset: int, rules: Rules) -> Iterator[Meant]:
    """What one clause asks for: nouns, else an identifier, else bare verbs; action words refine them.

    Each part of the clause with particulars of its own names an intent once. Words inside what is to be written down
    ("新建待办：整理会议纪要") mean nothing, unless nothing else does.
    """
    text, literal = part.text, find_content(part.text, ())
    if literal is not None:
        start, end = literal
        text = f"{text[:start]}{BLANK * (end - start)}{text[end:]}"
    hits = _outside(hits_of(text, part, rules), part, rules) or hits_of(part.text, part, rules)
    if literal is not None and all(hit.kind == "verb" for hit in hits):
        hits = spelled_out(part.text, part, rules) or hits
    pieces = portions(part, _places(hits), rules)
    given = handed_on(part, pieces, rules)
    if len({hit.intent for hit in hits}) == 1 and rules.catalogue.intents[hits[0].intent].changes:
        given = handed_back(part, pieces, given, rules)
    spans = [[[offset + start, offset + end]] for start, end in pieces]  # one list for all hits of a piece
    once: dict[tuple[str, int], Hit] = {}
    for hit in hits:
        piece = next((n for n, (_, end) in enumerate(pieces) if hit.at < end), len(pieces) - 1)
        once.setdefault((hit.intent, piece), replace(hit, piece=piece))
    for hit in sorted(once.values(), key=lambda hit: hit.at):
        yield Meant(hit=hit, spans=spans[hit.piece], given=given[hit.piece])


def _outside(hits: list[Hit], part: Text, rules: Rules) -> list[Hit]:
    """The hits that are no part of what is to be written down ("建个待办 整理会议纪要"), unless all of them are."""
    content = rules.read(part).slots.get("content") if len(hits) > 1 else None
    start = part.text.find(content) if content else -1
    if not content or start < 0:
        return hits
    return [hit for hit in hits if not start <= hit.at < start + len(content)] or hits


def _places(hits: Sequence[Hit]) -> list[Span]:
    return [(hit.at, hit.end) for hit in hits if hit.kind != "verb"][: MAX_REQUESTS + 1]


def hits_of(text: str, part: Text, rules: Rules) -> list[Hit]:
    hits = _nouns(text, part, rules) or _identifiers(part, rules)
    return _act(hits, text, part, rules) or _claimed(rules.catalogue.verbs, text, "verb", rules)


def _nouns(clause: str, part: Text, rules: Rules) -> list[Hit]:
    """Of the intents that beat others the one that most of the words mean: 发券的进度 is no 发券."""
    overriding = _claimed(rules.catalogue.overriding, clause, "noun", rules)
    spelled = spelled_out(clause, part, rules)
    if spelled and len(spelled[0].word) > max((len(hit.word) + 1 for hit in overriding), default=0):
        overriding = spelled
    return overriding or _claimed(rules.catalogue.nouns, clause, "noun", rules)


def spelled_out(clause: str, part: Text, rules: Rules) -> list[Hit]:
    """Overriding intents that words in order mean, whatever stands between them ("发500张优惠券"); some of them only
    beside a particular (`[coupons, "{limit}"]`), and where nothing is asked about it."""
    found = [
        Hit(intent=one.intent.name, word=" ".join(one.sequence), at=at, end=at + len(one.words[0]), kind="noun")
        for one in rules.catalogue.spelled_out
        if one.intent.name in rules.allowed
        and (at := in_order(clause, one.words)) >= 0
        and (_filled(one.slots, clause, part, rules) if one.slots else not _is_asked(one.intent, clause, at, rules))
    ]
    return sorted(found, key=lambda hit: -len(hit.word))[:1]


def _is_asked(intent: Intent, clause: str, at: int, rules: Rules) -> bool:
    return intent.changes and questioned(clause, at, rules.catalogue)


def _filled(slots: Sequence[str], clause: str, part: Text, rules: Rules) -> bool:
    if wonders(clause, rules.catalogue) or clause.endswith(UNSURE) or asks(part, rules):
        return False
    return rules.read(part).slots.keys() >= set(slots)


def _claimed(words: Matcher[tuple[str, ...]], clause: str, kind: Kind, rules: Rules) -> list[Hit]:
    """A word that several intents claim settles nothing, unless the caller may use one of them alone."""
    return [
        Hit(intent=names[0], word=match.word, at=match.start, end=match.end, kind=kind)
        for match in words.find(clause)
        if len(names := _meaning(match.value, rules)) == 1
    ]


def _meaning(claiming: Sequence[str], rules: Rules) -> list[str]:
    known = [name for name in claiming if name in rules.allowed]
    usable = [name for name in known if rules.may_use(name)] if len(known) > 1 else []
    return usable or known


def _identifiers(part: Text, rules: Rules) -> list[Hit]:
    known = (i for i in rules.catalogue.intents.values() if i.name in rules.allowed)
    intents = sorted(known, key=lambda intent: rules.may_use(intent.name))  # the last one of a slot counts
    means = {slot: intent.name for intent in intents for slot in intent.identifiers}
    if not means or not any(char.isdigit() for char in part.text):
        return []
    slots = rules.read(part).slots
    return [
        Hit(intent=means[slot], word=str(slots[slot][0]), at=0, end=0, kind="identifier")
        for slot in means
        if slots.get(slot)
    ][:1]


def _act(hits: list[Hit], clause: str, part: Text, rules: Rules) -> list[Hit]:
    """An action word beside the thing that it acts on means the acting intent ("待办" with "新建" is todo.add).

    What a question asks about is not to be done: it means the thing itself.
    """
    if not hits:
        return hits
    acting = acting_in(clause, {hit.intent for hit in hits}, part, rules)
    catalogue = rules.catalogue
    found: list[Hit] = []
    for hit in hits:
        intent = catalogue.intents[hit.intent]
        if named := acting.get(hit.intent):
            found.append(replace(hit, intent=named[0], word=named[1], kind="action"))
        elif intent.changes and questioned(clause, hit.at, catalogue) and intent.of in rules.allowed:
            found.append(replace(hit, intent=str(intent.of)))
        else:
            found.append(replace(hit, kind="action") if intent.changes else hit)
    return found


def acting_in(clause: str, things: set[str], part: Text, rules: Rules) -> dict[str, tuple[str, str]]:
    """For each thing of the clause that is acted on: the acting intent and its longest word."""
    catalogue = rules.catalogue
    found: dict[str, tuple[str, str]] = {}
    acting = (match for thing in things for match in catalogue.actions_on(thing).find(clause))
    for match in sorted(acting, key=lambda match: -len(match.word)):
        for intent in (catalogue.intents[name] for name in match.value if name in rules.allowed):
            asked = intent.changes and questioned(clause, match.start, catalogue)
            if intent.of in things and intent.of not in found and not asked:
                found[str(intent.of)] = intent.name, match.word
    for intent in (i for i in catalogue.intents.values() if i.of in things and i.name in rules.allowed):
        if intent.of not in found and (word := _implied(intent, clause, part, rules)):
            found[str(intent.of)] = intent.name, word
    return found


def _implied(intent: Intent, clause: str, part: Text, rules: Rules) -> str:
    """What means an acting intent without a word of its own: a sequence of words, or particulars side by side."""
    if (intent.sequences or intent.beside) and questioned(clause, len(clause), rules.catalogue):
        return ""
    for words in intent.sequences:
        if guarded(clause, [words]):
            return " ".join(words)
    if not intent.beside or asks(part, rules) or clause.endswith(UNSURE):
        return ""
    slots = rules.read(part).slots
    filled = all(any(one in slots for one in slot.split("|")) for slot in intent.beside)
    return ", ".join(intent.beside) if filled else ""
