"""The words that sentences are read with: what they stand for (lexicon.yaml) and how they join (grammar.yaml)."""

from pydantic import Field

from config.records import Localised, Record


class Chitchat(Record):
    """One kind of small talk: `words` that are it, and the `reply`, both without any model."""

    words: tuple[str, ...]
    reply: Localised


class IdentifierWords(Record):
    """A kind of identifier. `nouns`: words that a number beside them belongs to; `digits`: lengths that stand alone."""

    nouns: tuple[str, ...]
    digits: tuple[int, ...] = ()
    dated: bool = Field(default=False, description="begins with a date, YYYYMMDD")


class Questions(Record):
    """Words that ask. `before`: what follows them in the clause is asked about; `opening`: so is a clause that begins
    with them, `ending`: or ends; `anywhere`: wherever they stand. `requesting`: a clause that begins so asks to be
    shown something.
    """

    before: tuple[str, ...] = ()
    opening: tuple[str, ...] = ()
    ending: tuple[str, ...] = ()
    anywhere: tuple[str, ...] = ()
    requesting: tuple[str, ...] = ()


class Lexicon(Record):
    """What words stand for.

    `values`: slot -> canonical value -> words (`order_status: {shipped: [已发货, ...]}`). `guards`: word sequences
    that, in this order in a clause, mean that the sentence talks about its words. `identifiers`: slot -> its words.
    `idioms`: words that contain a keyword of an agent and do not mean it (`in order to`). `titles`: words that end what
    an entry is called (评审会). `fillers`: words that may stand around
    small talk and make no request of it. `asking`: words that ask for
    something, so that thanks beside them are no farewell. `questions`: words that ask about what they stand beside.
    """

    values: dict[str, dict[str, tuple[str, ...]]]
    chitchat: dict[str, Chitchat]
    guards: tuple[tuple[str, ...], ...]
    identifiers: dict[str, IdentifierWords]
    approvals: tuple[str, ...]
    rejections: tuple[str, ...]
    fillers: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    idioms: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    questions: Questions = Questions()


class OwnWords(Record):
    """What an agent's file adds to the lexicon: `values`, `identifiers`, `idioms` and `titles`, as they are there."""

    values: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)
    identifiers: dict[str, IdentifierWords] = Field(default_factory=dict)
    idioms: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()


class Grammar(Record):
    """How words join.

    `connectors`: join two requests. `negations`: cut off what follows in the clause; `not_negations`: words that only
    look so (特别, 别人). `pronouns`: slot -> words that stand for its last value. `particles`: words without content.
    `surnames`, `not_names`, `name_titles`: how a person's name begins, what only looks like one, what precedes one.
    """

    connectors: tuple[str, ...]
    negations: tuple[str, ...]
    not_negations: tuple[str, ...]
    pronouns: dict[str, tuple[str, ...]]
    particles: tuple[str, ...]
    surnames: tuple[str, ...]
    not_names: tuple[str, ...]
    name_titles: tuple[str, ...]
