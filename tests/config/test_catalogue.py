"""The look-ups that the nodes ask, over the shipped words."""

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalogue import Agent, Binding, Catalogue
from config.loading import load_catalogue
from config.words import claims, matcher
from tests.config.written import SHIPPED, drop, put, write_shop


def meant(catalogue: Catalogue, text: str) -> list[str]:
    return [name for match in catalogue.nouns.find(text) for name in match.value]


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("查一下今天的订单", ["order"]),
        ("看下统计", []),
        ("订单统计", ["dashboard.order"]),
        ("show me the order statistics", ["dashboard.order"]),
        ("订单趋势", ["order.trend"]),
        ("查一下张三order", ["order"]),
        ("ORDERS of today", ["order"]),
        ("where is the border", []),
        ("reorder my playlist", []),
        ("update me on the weather in Statesboro", []),
        ("列出来 in order to see users", ["user"]),
        ("支付宝是什么公司", []),
        ("会议室里的会议", ["calendar.query"]),
        ("怎么开发票", ["question.ask"]),
        ("张三的电话", ["contact.find"]),
        ("待审核的评价和会议类的待办", ["review", "todo.query"]),
    ],
)
def test_nouns_are_found_longest_first_and_never_inside_other_words(
    catalogue: Catalogue, text: str, intents: list[str]
) -> None:
    assert meant(catalogue, text) == intents


def test_bare_words_action_words_and_keywords_are_lists_of_their_own(catalogue: Catalogue) -> None:
    assert [m.value for m in catalogue.verbs.find("看下统计")] == [("dashboard",)]
    assert [m.value for m in catalogue.agent_words.find("帮我查询")] == [("business",)]
    assert {name for m in catalogue.actions.find("把它改成") for name in m.value} == {
        "order.update_status", "todo.modify", "calendar.update",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", ["未完成的待办", "已完成的任务", "unfinished tasks", "推迟的会议", "any update on task 1"]
)
def test_an_action_inside_another_word_is_none(catalogue: Catalogue, text: str) -> None:
    assert catalogue.actions.find(text) == []


def test_words_are_matched_in_the_written_form_of_the_sentence(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "more", put("intents", "shop.list", "synonyms", to=["庫存", "ＳＫＵ", "Stock"]))
    catalogue = load_catalogue(SHIPPED, [folder])
    assert meant(catalogue, "查库存和sku，stocks too") == ["shop.list"] * 3


def test_small_talk_is_found_with_its_kind(catalogue: Catalogue) -> None:
    assert [(m.word, m.value) for m in catalogue.chitchat_words.find("你好，谢谢你！Bye bye")] == [
        ("你好", "greeting"), ("谢谢你", "thanks"), ("bye bye", "goodbye"),
    ]  # fmt: skip


def test_the_default_of_an_agent(catalogue: Catalogue) -> None:
    defaults = {name: catalogue.default_intent(name) for name in catalogue.agents}
    assert defaults == {
        "business": None, "calendar": "calendar.query", "chat": None, "contact": "contact.find",
        "question": "question.ask", "todo": "todo.query", "task": "task.progress",
    }  # fmt: skip
    assert catalogue.default_intent("nobody") is None


def test_examples_come_from_every_agent_in_turn(catalogue: Catalogue) -> None:
    said = catalogue.examples("zh")
    assert len(said) == 5
    owners = [i.agent for said_one in said for i in catalogue.intents.values() if said_one in i.examples.zh]
    assert owners == ["business", "calendar", "contact", "question", "todo"]
    assert len(set(catalogue.examples("en", count=50))) == sum(i.tool is not None for i in catalogue.intents.values())


def test_examples_show_only_what_is_allowed(catalogue: Catalogue) -> None:
    assert catalogue.examples("en", {"todo.query"}) == catalogue.intents["todo.query"].examples.en[:1]
    assert catalogue.examples("en", {"chat.greeting"}) == ()
    assert catalogue.examples("en", set()) == ()


def test_intents_are_described_in_a_stable_order_whatever_the_order_of_the_names(catalogue: Catalogue) -> None:
    text = catalogue.describe_intents(["todo.query", "order", "nothing"], "en")
    lines = text.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["- order", "- todo.query"]
    assert "show me today's orders" in lines[0]
    assert catalogue.describe_intents({"order"}, "zh").startswith("- order: 查询订单")
    assert catalogue.describe_intents([], "zh") == ""


def test_a_prompt_is_rendered_by_its_name_with_or_without_its_ending(catalogue: Catalogue) -> None:
    said = catalogue.render("reply", locale="en", today="2026-11-30")
    assert said == catalogue.render("reply.md", locale="en", today="2026-11-30", more="ignored")
    assert "2026-11-30" in said
    assert "$" not in said
    with pytest.raises(KeyError, match="today"):
        catalogue.render("reply", locale="en")


def test_a_definition_keeps_its_hash_until_its_meaning_changes(tmp_path: Path, catalogue: Catalogue) -> None:
    again = load_catalogue(SHIPPED)
    assert {n: again.agent_hash(n) for n in again.agents} == {n: catalogue.agent_hash(n) for n in catalogue.agents}
    assert len({catalogue.agent_hash(n) for n in catalogue.agents}) == len(catalogue.agents)
    whole = load_catalogue(SHIPPED, [write_shop(tmp_path / "a")])
    other = load_catalogue(SHIPPED, [write_shop(tmp_path / "b", drop("keywords"))])
    assert whole.agent_hash("shop") != other.agent_hash("shop")
    assert len(whole.agent_hash("shop")) == len(hashlib.sha256().hexdigest())


@given(st.permutations(["name", "title", "description", "intents", "keywords"]))
def test_the_order_of_keys_is_no_part_of_a_definition(order: list[str]) -> None:
    given_keys = {
        "name": "shop", "title": {"zh": "店", "en": "Shop"}, "description": {"zh": "店", "en": "Shop"},
        "intents": {}, "keywords": ["a", "b"],
    }  # fmt: skip
    agents = [
        Agent.model_validate({key: keys[key] for key in keys})
        for keys in (given_keys, {k: given_keys[k] for k in order})
    ]
    assert agents[0] == agents[1]
    assert agents[0].model_dump_json() == agents[1].model_dump_json()


def test_a_bare_word_is_short_for_a_binding() -> None:
    assert Binding.model_validate("period.start") == Binding.model_validate({"from": "period.start"})
    assert Binding.model_validate("limit").source == "limit"


WORDS = st.text("订单统计ab ", min_size=1, max_size=4).filter(lambda word: word.strip() == word)


@given(
    st.dictionaries(WORDS, st.tuples(st.sampled_from("xyz")), max_size=6),
    st.lists(WORDS, max_size=4),
    st.text("订单统计ab ", max_size=30),
)
def test_no_character_is_used_twice_and_nothing_is_found_without_a_meaning(
    meanings: dict[str, tuple[str, ...]], longer: list[str], text: str
) -> None:
    found = matcher(meanings, longer).find(text)
    assert all(match.value for match in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_every_owner_of_a_word_is_kept_in_order(catalogue: Catalogue) -> None:
    agents = {"b": catalogue.agents["todo"], "a": catalogue.agents["todo"]}
    assert set(claims(agents, "keywords").values()) == {("b", "a")}
