"""The similarity tier over the agents' own examples, where the operator wants it."""

from config.catalogue import Catalogue
from config.settings import Settings
from models.similarity import Similarity, open_similarity


def similarity_of(settings: Settings, catalogue: Catalogue) -> Similarity | None:
    """None: switched off, or not installed. Blocks while it loads, and for some seconds where the examples are new."""
    return open_similarity(catalogue.learnt, settings.data_dir / "similarity") if settings.similarity else None
