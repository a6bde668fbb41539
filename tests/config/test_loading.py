"""Folders of YAML become a catalogue, or every problem is told at once."""

from pathlib import Path

import pytest

from config.loading import load_catalogue, read_catalogue
from errors import ConfigurationError
from tests.config.written import SHIPPED, SHOP_TOOLS, copied, drop, put, replaced, write_shop


def refused(config: Path, *agent_dirs: Path) -> list[str]:
    with pytest.raises(ConfigurationError) as refusal:
        load_catalogue(config, agent_dirs)
    return str(refusal.value).splitlines()


def test_an_agent_of_another_folder_joins_the_others(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "more", put("prompt", to="shop.md"))
    (folder / "shop.md").write_text("Goods lie in rooms.\n", encoding="utf-8")
    catalogue = load_catalogue(SHIPPED, [folder])
    assert list(catalogue.agents) == ["business", "calendar", "chat", "contact", "question", "todo", "task", "shop"]
    assert catalogue.intents["shop.move"].agent == "shop"
    assert catalogue.prompts["shop.md"] == "Goods lie in rooms."
    assert [m.value for m in catalogue.nouns.find("有哪些货品")] == [("shop.list",)]


def test_a_copy_elsewhere_loads_like_the_original(tmp_path: Path) -> None:
    here, there = load_catalogue(SHIPPED), load_catalogue(copied(tmp_path))
    assert here.agents == there.agents
    assert here.lexicon == there.lexicon
    assert here.prompts == there.prompts


def test_loading_with_tools_checks_against_them(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "more", put("intents", "shop.list", "tool", to="list_godos"))
    with pytest.raises(ConfigurationError, match="no tool 'list_godos'; did you mean 'list_goods'") as refusal:
        load_catalogue(SHIPPED, [folder], SHOP_TOOLS)
    assert f"{folder}/shop.yaml: intents.shop.list.tool" in str(refusal.value)


def test_two_agents_of_one_name_are_refused_naming_both_files(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "more", put("name", to="todo"))
    assert f"{folder}/shop.yaml: name: 'todo' is already the agent of config/agents/todo.yaml" in refused(
        SHIPPED, folder
    )


def test_two_intents_of_one_name_are_refused_naming_both_files(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "more")
    write_shop(folder, put("name", to="store"), name="store.yaml")
    assert f"{folder}/store.yaml: intents.shop.list: {folder}/shop.yaml already has an intent of this name" in refused(
        SHIPPED, folder
    )


def test_an_intent_that_stands_twice_in_its_file_is_refused(tmp_path: Path) -> None:
    config = replaced(copied(tmp_path), "agents/todo.yaml", "\n  todo.add:", "\n  todo.query:")
    (problem,) = refused(config)
    assert problem.startswith("config/agents/todo.yaml: intents.todo.query: this key stands twice")


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("agents/contact.yaml", "title:", "titel:", "unknown key 'titel'; did you mean 'title'?"),
        ("agents/contact.yaml", "    tool: ", "    tol: ", "intents.contact.find: unknown key 'tol'"),
        ("tenants.yaml", "Asia/Shanghai", "Asia/Shanghi", "tenants.acme.time_zone: no time zone 'Asia/Shanghi'"),
        ("tenants.yaml", "locale: zh", "locale: fr", "tenants.acme.locale: input should be 'zh' or 'en', not 'fr'"),
        ("roles.yaml", "permissions:", "permission:", "roles.viewer: unknown key 'permission'"),
        ("lexicon.yaml", "rejections:", "rejection:", "unknown key 'rejection'; did you mean 'rejections'?"),
        ("grammar.yaml", "particles:", "particle:", "unknown key 'particle'; did you mean 'particles'?"),
        ("cards/todo.yaml", "type: todo", "type: task", "type: 'task' must be the file's name, 'todo'"),
        ("cards/todo.yaml", "design:", "desing:", "unknown key 'desing'; did you mean 'design'?"),
    ],
)
def test_a_broken_copy_is_refused_naming_file_and_key(
    tmp_path: Path, file: str, old: str, new: str, problem: str
) -> None:
    found = refused(replaced(copied(tmp_path), file, old, new))
    assert any(line.startswith(f"config/{file}: {problem}") for line in found), found


def test_problems_of_several_files_are_told_together(tmp_path: Path) -> None:
    config = copied(tmp_path)
    (config / "roles.yaml").unlink()
    replaced(config, "agents/todo.yaml", "title:", "titel:")
    replaced(config, "lexicon.yaml", "approvals:", "approval:")
    found = refused(config, tmp_path / "nowhere")
    assert "config/roles.yaml: the file is missing" in found
    assert "nowhere: there is no such folder" in found
    assert {line.partition(":")[0] for line in found} >= {"config/agents/todo.yaml", "config/lexicon.yaml"}


def test_what_can_be_read_is_checked_although_another_agent_is_broken(tmp_path: Path) -> None:
    config = replaced(copied(tmp_path), "agents/todo.yaml", "title:", "titel:")
    replaced(config, "agents/contact.yaml", "prompt: contact.md", "prompt: contacts.md")
    found = refused(config)
    assert any(line.startswith("config/agents/todo.yaml: ") for line in found)
    assert "config/agents/contact.yaml: prompt: no prompt 'contacts.md'; did you mean 'contact.md'?" in found


def test_a_prompt_that_two_folders_hold_is_refused(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "more")
    (folder / "todo.md").write_text("other", encoding="utf-8")
    assert f"{folder}/todo.md: there is already a prompt of this name" in refused(SHIPPED, folder)


def test_reading_alone_does_not_check(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "more", drop("intents", "shop.list", "tool"))
    loaded = read_catalogue(SHIPPED, [folder])
    assert loaded.problems == ()
    assert loaded.catalogue is not None


def test_a_file_that_ends_otherwise_is_told_and_not_passed_over(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "more", name="shop.yml")
    assert f"{folder}/shop.yml: is not read; such a file ends in .yaml" in read_catalogue(SHIPPED, [folder]).problems
