"""The documents say what is so."""

import re
from pathlib import Path

import pytest

from config.settings import Settings

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
PINNED = [*ROOT.glob("requirements*.lock"), ROOT / "pyproject.toml", ROOT / "Makefile", ROOT / ".ci" / "run"]
# Where a reader of the documents may be sent. A mirror or a private host would be nobody else's.
HOSTS = {"localhost", "127.0.0.1", "smith.langchain.com"}
MAX_TARGETS = 15


def targets() -> dict[str, str]:
    found = re.findall(r"^([a-z-]+):.*?## (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return dict(found)


@pytest.mark.parametrize("page", [*PAGES, *PINNED], ids=lambda path: path.name)
def test_no_page_and_no_lock_names_a_host_of_its_own(page: Path) -> None:
    named = {host for host in re.findall(r"https?://\[?([^/\s\"'`:)\]>]+)", page.read_text())}
    assert {host for host in named if not host.startswith(("$", "{", "<"))} <= HOSTS
    assert "file://" not in page.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_link_within_the_documents_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)", page.read_text())
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_make_target_that_is_named_exists(page: Path) -> None:
    named = set(re.findall(r"(?:`|\$ |^    )make ([a-z][a-z-]*)", page.read_text(), re.MULTILINE))
    assert named <= set(targets())


def test_make_help_lists_every_target_and_there_are_few() -> None:
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony
    assert set(phony[1].split()) == set(targets())
    assert len(targets()) <= MAX_TARGETS


def test_every_setting_is_described() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs" / "configuration.md").read_text(), re.MULTILINE)
    assert rows == [name.upper() for name in Settings.model_fields]


def test_every_folder_of_the_tree_is_in_the_picture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    folders = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
    assert [name for name in folders if f"`{name}/`" not in text] == []


def test_every_locked_package_has_its_hash() -> None:
    for lock in ROOT.glob("requirements*.lock"):
        blocks = re.split(r"\n(?=\S)", lock.read_text().strip())
        assert [block.splitlines()[0] for block in blocks if "==" not in block or "--hash=sha256:" not in block] == []
