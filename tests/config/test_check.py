"""Each mistake that can be made across files is found, and its message names file and key."""

from pathlib import Path

import pytest

from config.check import check, contested_nouns, warnings
from config.loading import read_catalogue
from tests.config.written import SHIPPED, SHOP_TOOLS, Change, copied, drop, put, replaced, unchanged, write_shop

LIST, MOVE = ("intents", "shop.list"), ("intents", "shop.move")
PLACE = (*MOVE, "arguments", "place")


def found_in(config: Path, folder: Path, models: tuple[str, ...] | None = None) -> list[str]:
    """The problems that concern the small agent, without its file's name, and those of all files beside agents."""
    loaded = read_catalogue(config, [folder])
    assert loaded.catalogue is not None, loaded.problems
    everything = [*loaded.problems, *check(loaded.catalogue, SHOP_TOOLS, models)]
    mine = f"{folder}/shop.yaml: "
    return [p.removeprefix(mine) for p in everything if p.startswith(mine) or not p.startswith("config/agents/")]


def test_the_small_agent_is_in_order(tmp_path: Path) -> None:
    assert found_in(SHIPPED, write_shop(tmp_path / "more"), ("default",)) == []


CASES: dict[str, tuple[Change, str]] = {
    "an unknown tool": (
        put(*LIST, "tool", to="list_good"),
        "intents.shop.list.tool: no tool 'list_good'; did you mean 'list_goods'?",
    ),
    "no tool": (
        drop(*LIST, "tool"),
        "intents.shop.list.tool: is missing; only the small talk of the lexicon is answered without one",
    ),
    "a tool of another group": (
        put("tool_groups", to=[]),
        "intents.shop.list.tool: 'list_goods' is in the group 'shop', which is not one of this agent's tool_groups",
    ),
    "a group without tools": (
        put("tool_groups", to=["shop", "shopp"]),
        "tool_groups.1: no tool is in a group 'shopp'; did you mean 'shop'?",
    ),
    "an argument that the tool lacks": (
        put(*LIST, "arguments", "stat", to="order_status"),
        "intents.shop.list.arguments.stat: 'list_goods' has no parameter 'stat'; did you mean 'state'?",
    ),
    "a required parameter without a binding": (
        drop(*PLACE),
        "intents.shop.move.arguments: 'move_goods' requires 'place', which nothing fills",
    ),
    "a value that the tool refuses": (
        put(*LIST, "arguments", "state", to="todo_done"),
        "intents.shop.list.arguments.state: 'list_goods' does not take 'true' of the lexicon",
    ),
    "a slot that no rule fills": (
        put(*LIST, "arguments", "word", to="keywords"),
        "intents.shop.list.arguments.word.from: no rule fills a slot 'keywords'; did you mean 'keyword'?",
    ),
    "a part that the slot lacks": (
        put(*LIST, "arguments", "word", to="period.begin"),
        "intents.shop.list.arguments.word.from: 'period' has no part 'begin'",
    ),
    "a part of a plain slot": (
        put(*LIST, "arguments", "word", to="keyword.start"),
        "intents.shop.list.arguments.word.from: 'keyword' has no part 'start'",
    ),
    "an unknown second slot": (
        put(*LIST, "arguments", "word", to={"from": "keyword", "otherwise": "persn"}),
        "intents.shop.list.arguments.word.otherwise: no rule fills a slot 'persn'; did you mean 'person'?",
    ),
    "an unknown slot beside": (
        put(*LIST, "arguments", "word", to={"from": "keyword", "beside": "new_perod"}),
        "intents.shop.list.arguments.word.beside: no rule fills a slot 'new_perod'; did you mean 'new_period'?",
    ),
    "neither slot nor value": (
        put(*LIST, "arguments", "word", to={"required": True}),
        "intents.shop.list.arguments.word: needs either `from` or `value`",
    ),
    "slot and value": (
        put(*LIST, "arguments", "word", to={"from": "keyword", "value": "x"}),
        "intents.shop.list.arguments.word: needs either `from` or `value`",
    ),
    "a second slot without a first": (
        put(*LIST, "arguments", "word", to={"value": "x", "otherwise": "keyword"}),
        "intents.shop.list.arguments.word.otherwise: serves only together with `from`",
    ),
    "a chain from an unknown intent": (
        put("chains", 0, "from", to="shop.lst"),
        "chains.0.from: no intent 'shop.lst'; did you mean 'shop.list'?",
    ),
    "a chain to an unknown intent": (
        put("chains", 0, "to", to="shop.mve"),
        "chains.0.to: no intent 'shop.mve'; did you mean 'shop.move'?",
    ),
    "a chain to itself": (put("chains", 0, "to", to="shop.list"), "chains.0.to: an intent cannot follow itself"),
    "a chain that binds nothing": (
        put("chains", 0, "bind", to={}),
        "chains.0.bind: names nothing that the first intent gives to the second",
    ),
    "a chain to a parameter that the tool lacks": (
        put("chains", 0, "bind", to={"nummer": "goods.0.number", "number": "goods.0.number"}),
        "chains.0.bind.nummer: 'move_goods' has no parameter 'nummer'; did you mean 'number'?",
    ),
    "a chain from a field that the result lacks": (
        put("chains", 0, "bind", to={"number": "goods.0.nmber"}),
        "chains.0.bind.number: 'goods.0.nmber' leads nowhere in 'list_goods': "
        "'goods.0' of the result has no field 'nmber'; did you mean 'number'?",
    ),
    "a chain into a list without an index": (
        put("chains", 0, "bind", to={"number": "goods.number"}),
        "chains.0.bind.number: 'goods.number' leads nowhere in 'list_goods': "
        "'goods' of the result is a list; 'number' must be an index such as 0",
    ),
    "an empty result without a count": (
        put(*LIST, "empty", to="unknown"),
        "intents.shop.list.empty: the result of 'list_goods' has no field 'found' that could be 0",
    ),
    "an intent without its agent's name": (
        put("intents", "goods.find", to={"description": {"zh": "找", "en": "find"}, "tool": "list_goods"}),
        "intents.goods.find: must begin with its agent's name: shop.find",
    ),
    "an intent named like the outcome of none": (
        put("intents", "unknown", to={"description": {"zh": "找", "en": "find"}, "tool": "list_goods"}),
        "intents.unknown: a name is lower-case Latin letters, digits and _, in parts joined by dots, and not 'unknown'",
    ),
    "an agent with a name of its own kind": (
        put("name", to="Shop Floor"),
        "name: 'Shop Floor' must be lower-case Latin letters, digits and _, and not 'unknown'",
    ),
    "`of` an unknown intent": (
        put(*MOVE, "of", to="shop.lists"),
        "intents.shop.move.of: no intent 'shop.lists'; did you mean 'shop.list'?",
    ),
    "`of` itself": (put(*MOVE, "of", to="shop.move"), "intents.shop.move.of: an intent cannot act on itself"),
    "actions without `of`": (drop(*MOVE, "of"), "intents.shop.move.of: `of` and `actions` need each other"),
    "`of` without actions": (drop(*MOVE, "actions"), "intents.shop.move.of: `of` and `actions` need each other"),
    "overrides without synonyms": (
        put(*MOVE, "overrides", to=True),
        "intents.shop.move.overrides: needs synonyms that could beat others",
    ),
    "an unknown identifier": (
        put(*LIST, "identifiers", to=["order_nr"]),
        "intents.shop.list.identifiers.0: no identifier 'order_nr'; did you mean 'order_no'?",
    ),
    "an unknown card": (
        put(*LIST, "card", to="order_lst"),
        "intents.shop.list.card: no card 'order_lst'; did you mean 'order_list'?",
    ),
    "a missing prompt": (put("prompt", to="shop.md"), "prompt: no prompt 'shop.md'"),
    "an unknown model": (put("model", to="defalt"), "model: no model 'defalt'; did you mean 'default'?"),
    "an unknown role": (put("roles", to=["operater"]), "roles.0: no role 'operater'; did you mean 'operator'?"),
    "an unknown tenant": (put("tenants", to=["acme", "acmee"]), "tenants.1: no tenant 'acmee'; did you mean 'acme'?"),
    "an empty word": (put(*LIST, "synonyms", to=["货品", " "]), "intents.shop.list.synonyms.1: an empty word"),
    "an empty keyword": (put("keywords", to=[""]), "keywords.0: an empty word"),
}


@pytest.mark.parametrize(("change", "problem"), CASES.values(), ids=CASES.keys())
def test_a_mistake_in_an_agent_is_found(tmp_path: Path, change: Change, problem: str) -> None:
    found = found_in(SHIPPED, write_shop(tmp_path / "more", change), ("default",))
    assert any(line.startswith(problem) for line in found), found


def test_several_defaults_are_found(tmp_path: Path) -> None:
    def change(agent: dict[str, dict[str, dict[str, object]]]) -> None:
        for intent in agent["intents"].values():
            intent["default"] = True

    found = found_in(SHIPPED, write_shop(tmp_path / "more", change))
    assert "intents: several defaults: shop.list, shop.move" in found


def test_a_required_parameter_that_only_a_chain_fills_is_filled(tmp_path: Path) -> None:
    assert found_in(SHIPPED, write_shop(tmp_path / "more")) == []
    found = found_in(SHIPPED, write_shop(tmp_path / "none", drop("chains")))
    assert found == ["intents.shop.move.arguments: 'move_goods' requires 'number', which nothing fills"]


FILES = [
    ("prompts/plan.md", "$locale", "$langauge", "$langauge is filled by nothing"),
    ("prompts/plan.md", "You carry out", "{nope} You carry out", "{nope} is filled by nothing"),
    ("prompts/business.md", "Business desk", "$nope {nope} Business desk", "$nope is filled by nothing"),
    ("prompts/business.md", "Business desk", "{nope} Business desk", "{nope} is filled by nothing"),
    (
        "cards/order_list.yaml",
        "{field: customer,",
        "{field: costumer,",
        "design.columns.1.field: there is no field 'costumer'; did you mean 'customer'?",
    ),
    ("cards/order_list.yaml", "colour_by: status", "colour_by: state", "design.columns.4.colour_by: there is no field"),
    (
        "cards/order_list.yaml",
        "row_key: order_no",
        "row_key: number",
        "design.row_key.field: there is no field 'number'",
    ),
    ("cards/order_list.yaml", "{field: total,", "{field: order_no,", "design.summary.0.field: there is no field"),
    ("cards/order_list.yaml", "rows: orders", "rows: order", "design.rows: no field 'order' that is an array"),
    (
        "cards/dashboard_reviews.yaml",
        "{field: by_rating,",
        "{field: by_stars,",
        "design.shares.field: there is no field",
    ),
    ("cards/trend.yaml", "{field: day,", "{field: date,", "design.x.field: there is no field 'date'"),
    ("prompts/reply.md", "$today", "$ today", "has a $ that begins no name; write $$ for a dollar sign"),
    ("lexicon.yaml", "  todo_done:", "  person:", "values.person: this slot is filled by another rule"),
    ("lexicon.yaml", "  event_no:", "  limit:", "identifiers.limit: this slot is filled by another rule"),
    ("lexicon.yaml", "  laugh:", "  laughs:", "chitchat.laughs: no agent lists its intent, 'chat.laughs'"),
    ("lexicon.yaml", "[待付款,", "[已发货,", "values.order_status: '已发货' stands for several values"),
    ("lexicon.yaml", "[待付款,", "['',", "values.order_status.pending_payment.0: an empty word"),
    ("grammar.yaml", "\n  todo_no:", "\n  todo_nr:", "pronouns.todo_nr: no rule fills a slot 'todo_nr'; did you mean"),
]


@pytest.mark.parametrize(("file", "old", "new", "problem"), FILES)
def test_a_mistake_in_another_file_is_found(tmp_path: Path, file: str, old: str, new: str, problem: str) -> None:
    config = replaced(copied(tmp_path), file, old, new)
    found = found_in(config, write_shop(tmp_path / "more"))
    assert any(line.startswith(f"config/{file}: {problem}") for line in found), found


def test_a_missing_prompt_of_the_desk_itself_is_found(tmp_path: Path) -> None:
    config = copied(tmp_path)
    (config / "prompts" / "classify.md").unlink()
    assert "config/prompts/classify.md: the file is missing" in found_in(config, write_shop(tmp_path / "more"))


def test_files_are_named_by_the_folder_that_holds_them(tmp_path: Path) -> None:
    config = copied(tmp_path).rename(tmp_path / "ours")
    replaced(config, "prompts/plan.md", "$locale", "$langauge")
    assert any(line.startswith("ours/prompts/plan.md: ") for line in found_in(config, write_shop(tmp_path / "more")))


def test_an_intent_of_the_first_agent_is_bare_but_takes_no_name_of_another_agent(tmp_path: Path) -> None:
    config = replaced(copied(tmp_path), "agents/business.yaml", "\n  activity:", "\n  todo.activity:")
    loaded = read_catalogue(config)
    assert loaded.catalogue is not None
    found = check(loaded.catalogue)
    assert found == [
        "config/agents/business.yaml: intents.todo.activity: begins with the name of another agent, 'todo'"
    ]


def test_a_noun_that_two_agents_claim_is_a_warning_and_no_problem(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "more", put(*LIST, "synonyms", to=["货品", "訂單", "ORDER"]))
    loaded = read_catalogue(SHIPPED, [folder])
    assert loaded.catalogue is not None
    assert check(loaded.catalogue) == []
    assert contested_nouns(loaded.catalogue) == {"订单": ("order", "shop.list"), "order": ("order", "shop.list")}
    assert "the noun '订单' settles nothing: it is claimed by order, shop.list" in warnings(loaded.catalogue)


def test_a_required_argument_without_a_question_is_a_warning(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "more", drop(*PLACE, "ask"))
    loaded = read_catalogue(SHIPPED, [folder])
    assert loaded.catalogue is not None
    where = f"{folder}/shop.yaml: intents.shop.move.arguments.place"
    assert f"{where}: required, but without `ask`" in warnings(loaded.catalogue, SHOP_TOOLS)


def test_a_chain_from_an_undeclared_result_is_a_warning(tmp_path: Path) -> None:
    back = put("chains", to=[{"from": "shop.move", "to": "shop.list", "bind": {"word": "anything.at.all"}}])
    loaded = read_catalogue(SHIPPED, [write_shop(tmp_path / "more", back)])
    assert loaded.catalogue is not None
    assert any("'move_goods' declares no result" in line for line in warnings(loaded.catalogue, SHOP_TOOLS))


def test_the_small_agent_warns_of_nothing(tmp_path: Path) -> None:
    loaded = read_catalogue(SHIPPED, [write_shop(tmp_path / "more", unchanged)])
    assert loaded.catalogue is not None
    assert warnings(loaded.catalogue, SHOP_TOOLS) == []
