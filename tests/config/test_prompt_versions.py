"""A prompt's version is its text's: whoever changes a word has raised it."""

from dataclasses import replace

import pytest

from config.catalogue import Catalogue


def test_another_text_is_another_version_and_the_same_text_is_not(catalogue: Catalogue) -> None:
    changed = replace(catalogue, prompts={**catalogue.prompts, "plan.md": catalogue.prompts["plan.md"] + " "})
    assert set(catalogue.prompt_versions) == set(catalogue.prompts)
    assert {n for n, v in changed.prompt_versions.items() if v != catalogue.prompt_versions[n]} == {"plan.md"}


def test_prompts_are_named_with_their_versions_in_the_order_in_which_they_were_used(catalogue: Catalogue) -> None:
    versions = catalogue.prompt_versions
    assert catalogue.prompt_used("plan", "todo.md") == f"plan.md@{versions['plan.md']} todo.md@{versions['todo.md']}"
    with pytest.raises(KeyError):
        catalogue.prompt_used("nowhere")
