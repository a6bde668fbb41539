"""Which clauses of a sentence say one request together: what is told, what is done with it, what says more of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from config.catalogue import Catalogue
from language.normalise import Text
from language.particulars import rest
from nodes.entering import Entered, entered, tells
from nodes.hits import Hit, Meant, acting_in, spelled_out, wanted
from nodes.questioning import asks
from nodes.reading import Reading, Rules, guarded

STATES = re.compile(
    (
        r"[了过]|如果|要是|假如|[以之]后|\b(?:after|if|when|once|since|because|i['’]ve|i have|"
        r"i (?:just )?bought|i paid|i ordered|was|were|is|has|had)\b"
    ),
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Told:
    """Clauses in a row that only tell something. `first`: of them; `found`: how many requests there were before;
    `named`: whether they name a thing that can be asked for."""

    first: int
    last: int
    found: int
    named: bool


@dataclass(kw_only=True)
class Gathered:
    """What the clauses so far ask for. `loose`: particulars that wait for what they belong to."""

    reading: Reading
    rules: Rules
    found: list[Meant] = field(default_factory=list)
    loose: list[list[int]] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    told: Told | None = None

    def clause(self, at: int) -> int:
        """Takes one clause in, or several that belong together; the last one of them."""
        clause, rules = self.reading.clauses[at], self.rules
        part, span = self.reading.text.part(clause.start, clause.end), [clause.start, clause.end]
        if guarded(part.text, rules.catalogue.lexicon.guards):
            return at
        entry = entered(self.reading, at, self.told.first if self.told else at, rules)
        if entry:
            self._enter(entry)
            return entry.last
        meant = list(wanted(part, clause.start, rules))
        if self._belongs(meant, part, span):
            return at
        acts = any(self._acts(one.hit) for one in meant)
        told = self.told
        self.told = None
        if not acts and tells(clause, self.reading, rules):
            before = told or Told(first=at, last=at, found=len(self.found), named=False)
            self.told = Told(first=before.first, last=at, found=before.found, named=before.named or bool(meant))
        if meant:
            if told and any(one.hit.kind != "verb" for one in meant):
                self._drop_mentions(told, meant)
            for one in {id(m.spans): m for m in meant}.values():
                one.spans[:0] = self.loose
            self.found, self.loose = [*self.found, *meant], []
            return at
        self.agents += _agents(part.text, rules.catalogue)
        if rules.read(part).slots:
            (self.found[-1].spans if self.found else self.loose).append(
                span
            )  # "客户是张三": it says more of its neighbour
        return at

    def _reading(self, meant: Sequence[Meant]) -> bool:
        return not any(self._acts(one.hit) for one in meant)

    def _enter(self, entry: Entered) -> None:
        told = self.told
        if (
            self.found
            and not entry.titled
            and entry.first == entry.last
            and self.found[-1].hit.intent == entry.hit.intent
        ):
            self.found[-1].spans.append([*entry.span])  # "周五开个复盘会，建一下日程": it is said twice
            return
        if told and entry.first <= told.first:
            del self.found[told.found :]
            start, end = entry.span
            self.loose = [span for span in self.loose if not start <= span[0] < end]
        elif told:
            of = self.rules.catalogue.intents[entry.hit.intent].of
            while len(self.found) > told.found and self.found[-1].hit.intent == of:
                self.loose = [*self.found.pop().spans, *self.loose]
        self.found.append(Meant(hit=entry.hit, spans=[*self.loose, [*entry.span]]))
        self.loose, self.told = [], None

    def _belongs(self, meant: list[Meant], part: Text, span: list[int]) -> bool:
        """Whether the clause says more of the request before it, or does something with what that names."""
        if not self.found:
            return False
        last, rules = self.found[-1], self.rules
        if self._same_again(last, meant, part):
            last.spans.append(span)
            return True
        since = self._since_told(span)
        if since and (hits := self._spelled(since, part)):
            self.found[self.told.found if self.told else 0 :] = [
                Meant(hit=hits[0], spans=[[span[1] - len(since.text), span[1]]])
            ]
            self.told = None
            return True
        if _refines(last, meant, part, rules):
            last.hit = meant[0].hit
            last.spans.append(span)
            return True
        if acted := _acted_on(last, meant, part, since, rules):
            if since:
                last.hit = acted
                last.spans[:0] = [span]  # what is to be counts before what was
            else:  # what was asked for is shown, and this is done besides
                self.found.append(Meant(hit=acted, spans=[span]))
            self.told = None
            return True
        if not self._acts(last.hit) or not meant or asks(part, rules):
            return False
        if self._fills(last, part, meant):
            last.spans.append(span)
            return True
        bare = all(one.hit.kind == "verb" and not self._acts(one.hit) for one in meant)
        if bare or _completes(last, meant, part, rules) or _again(last, meant, part, rules):
            last.spans.append(span)
            return True
        return False

    def _same_again(self, last: Meant, meant: Sequence[Meant], part: Text) -> bool:
        """Whether a clause goes on with what was only named before it ("posts, comments and likes yesterday"), or only
        names it once more."""
        said = (self.rules.read(self.reading.text.part(*span)).slots for span in last.spans)
        same = len(meant) == 1 and meant[0].hit.intent == last.hit.intent and not self._acts(last.hit)
        return same and (not self.rules.read(part).slots or not any(said))

    def _spelled(self, since: Text, part: Text) -> list[Hit]:
        """What words in order mean of which the last ones stand in this clause ("任务1002开错了，取消掉")."""
        hits = spelled_out(since.text, since, self.rules)
        return [] if not hits or spelled_out(part.text, part, self.rules) or not self._acts(hits[0]) else hits

    def _fills(self, last: Meant, part: Text, meant: list[Meant]) -> bool:
        """Whether a clause only names values that the request takes ("准备发券，50元面值，发给银卡会员")."""
        rules = self.rules
        found = rules.read(part)
        taken = bound_of(last.hit.intent, rules.catalogue)
        values = {slot for slot in found.slots if slot in rules.catalogue.lexicon.values and slot in taken}
        return bool(values) and all(
            any(start <= one.hit.at and one.hit.end <= end for start, end in found.spans) for one in meant
        )

    def _acts(self, hit: Hit) -> bool:
        return hit.kind == "action" or self.rules.catalogue.intents[hit.intent].changes

    def _since_told(self, span: list[int]) -> Text | None:
        if not self.told or not self.told.named:
            return None
        return self.reading.text.part(self.reading.clauses[self.told.first].start, span[1])

    def _drop_mentions(self, told: Told, meant: Sequence[Meant]) -> None:
        """Bare verbs in what was only told before something is asked for ("客户不付款了，订单作废") ask for nothing;
        nothing does before a question about rules ("我买了课程，怎么退款")."""
        rule = any(self.rules.catalogue.intents[one.hit.intent].overrides for one in meant) and self._reading(meant)
        clauses = self.reading.clauses
        rule = rule and bool(STATES.search(self.reading.text.text, clauses[told.first].start, clauses[told.last].end))
        while len(self.found) > told.found and (rule or self.found[-1].hit.kind == "verb"):
            self.found.pop()


def _acted_on(last: Meant, meant: Sequence[Meant], part: Text, since: Text | None, rules: Rules) -> Hit | None:
    """What is to be done with the thing that the clause before named ("20261120003寄走了，改成已发货"), where what that
    needs is named here, or in what was told before. `since`: all of that with this clause; None if it asked."""
    told, since = since is not None, since or part
    if len(meant) > 1 or last.hit.kind == "action" or (meant and not told):
        return None
    thing, catalogue = last.hit.intent, rules.catalogue
    if not meant or (told and all(one.hit.kind == "verb" and one.hit.intent == thing for one in meant)):
        acting = acting_in(part.text, {thing}, since, rules).get(thing)
        hit = Hit(intent=acting[0], word=acting[1], at=0, end=0, kind="action") if acting else None
    else:
        hit = meant[0].hit if catalogue.intents[meant[0].hit.intent].of == thing else None
    if hit is None or not (hit.kind == "action" or catalogue.intents[hit.intent].changes):
        return None
    bindings = catalogue.intents[hit.intent].arguments.values()
    needed = {(b.source or "").partition(".")[0] for b in bindings if b.required or told}
    return hit if needed & (rules.read(since).slots.keys() | rules.read(part).slots.keys()) else None


def _refines(last: Meant, meant: Sequence[Meant], part: Text, rules: Rules) -> bool:
    """Whether a clause only says how the things before it are to be shown ("每天多少单，画个走势")."""
    if len(meant) != 1 or meant[0].hit.kind != "verb" or rules.read(part).slots:
        return False
    intent = rules.catalogue.intents[meant[0].hit.intent]
    return intent.of == last.hit.intent and not intent.changes


def bound_of(intent: str, catalogue: Catalogue) -> set[str]:
    """The slots that an intent's arguments are filled from."""
    return {(b.source or "").partition(".")[0] for b in catalogue.intents[intent].arguments.values()}


def _completes(last: Meant, meant: Sequence[Meant], part: Text, rules: Rules) -> bool:
    """Whether a clause is no more than the number of what is to be changed ("改状态，20261120003")."""
    of = rules.catalogue.intents[last.hit.intent].of
    numbers = all(one.hit.kind == "identifier" and one.hit.intent == of for one in meant)
    return numbers and not rest(part.text, rules.read(part).spans, rules.catalogue.particles)


def _again(last: Meant, meant: Sequence[Meant], part: Text, rules: Rules) -> bool:
    """Whether a clause only says once more what is to be done ("it has left, update the order")."""
    slots = rules.read(part).slots
    own = {*rules.catalogue.lexicon.identifiers, "content", "keyword", "people"} & slots.keys()
    return not own and all(one.hit.intent == last.hit.intent for one in meant)


def _agents(clause: str, catalogue: Catalogue) -> list[str]:
    return [name for match in catalogue.agent_words.find(clause) for name in match.value]
