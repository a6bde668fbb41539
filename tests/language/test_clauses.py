"""What a sentence asks for, and what it asks not to be done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.clauses import split
from tests.language.conftest import Cut


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("查张三的订单顺便看统计", ["查张三的订单", "看统计"]),
        ("查张三的订单，再查李四的订单", ["查张三的订单", "查李四的订单"]),
        ("查今天的订单，再建个明天的待办", ["查今天的订单", "建个明天的待办"]),
        ("先查张三的订单，然后查李四的", ["先查张三的订单", "查李四的"]),
        ("查张三的订单再帮我看下统计", ["查张三的订单", "帮我看下统计"]),
        ("查张三的订单并把它改成已发货", ["查张三的订单", "把它改成已发货"]),
        ("你好，帮我查下订单！谢谢", ["你好", "帮我查下订单", "谢谢"]),
        ("show the orders and then the users", ["show the orders", "the users"]),
        ("show my orders and add a todo", ["show my orders", "add a todo"]),
        ("Show orders. Then stats; thanks", ["Show orders", "stats", "thanks"]),
    ],
)
def test_several_requests_are_cut_apart(clauses: Cut, raw: str, expected: list[str]) -> None:
    assert clauses(raw) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "查张三和李四的订单",
        "查张三、李四的订单",
        "show orders and users",
        "查订单1001，1002的状态",
        "查订单1001, 1002 和 1003",
        "9月10号，11号的订单",
        "还有多少订单没发货",
        "再见",
        "order no. 1001",
        "评分3.5以上的商品",
        "total of 1,000 orders",
        "新建待办“买牛奶，再查订单。不要忘”",
        "建个待办:再查一次订单",
        "我想再查一下订单",
    ],
)
def test_what_only_looks_like_several_requests_stays_whole(clauses: Cut, raw: str) -> None:
    assert len(clauses(raw)) == 1


def test_full_width_and_half_width_punctuation_cut_alike(clauses: Cut) -> None:
    assert clauses("查订单，看统计；谢谢！") == clauses("查订单,看统计;谢谢!") == ["查订单", "看统计", "谢谢"]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("不要查订单，看下统计就行", ["-不要查订单", "看下统计就行"]),
        ("先不用查订单了", ["-先不用查订单了"]),
        ("别删除订单", ["-别删除订单"]),
        ("不要刪除訂單", ["-不要删除订单"]),
        ("我不想看订单了", ["-我不想看订单了"]),
        ("今天不要查订单了", ["-今天不要查订单了"]),
        ("订单不用查了", ["-订单不用查了"]),
        ("张三的订单就不要看了", ["-张三的订单就不要看了"]),
        ("查统计不要订单", ["查统计", "-不要订单"]),
        ("查订单但不要已取消的", ["查订单", "-不要已取消的"]),
        ("订单别看了看统计吧", ["-订单别看了", "看统计吧"]),
        ("我要的不是订单而是统计", ["-我要的不是订单", "统计"]),
        ("查一下订单，算了不用了", ["-查一下订单", "-算了不用了"]),
        ("don't show me the orders", ["-don't show me the orders"]),
        ("Don’t show me the orders", ["-Don’t show me the orders"]),
        ("I do not want orders. Show users", ["-I do not want orders", "Show users"]),
        ("show the stats instead of orders", ["show the stats", "-instead of orders"]),
        ("please don't delete order 1001", ["-please don't delete order 1001"]),
    ],
)
def test_negated_clauses_are_set_apart(clauses: Cut, raw: str, expected: list[str]) -> None:
    assert clauses(raw) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "未付款的订单",
        "没发货的订单有多少",
        "还没付款的",
        "特别急的订单",
        "别人的订单",
        "分别查张三和李四的订单",
        "按性别统计",
        "别忘了明天开会",
        "不要忘记提醒我",
        "能不能查一下订单",
        "要不要发货",
        "不用谢",
        "结算了的订单",
        "why is order 1001 not shipped",
        "don't forget the meeting",
    ],
)
def test_states_and_look_alikes_are_no_negations(clauses: Cut, raw: str) -> None:
    assert not any(clause.negated for clause in clauses.clauses(raw))


def test_word_lists_may_be_empty() -> None:
    (clause,) = split("查订单", connectors=(), negations=(), not_negations=())
    assert (clause.start, clause.end, clause.text, clause.negated) == (0, 3, "查订单", False)


@pytest.mark.parametrize("raw", ["", "，。！", "   ", "…"])
def test_punctuation_alone_holds_no_clause(clauses: Cut, raw: str) -> None:
    assert clauses(raw) == []


@given(st.text(alphabet="查看订单不要别再顺便然后，。,.!“”\"and then show don't 1，2号日 \n"))
def test_clauses_are_pieces_of_the_text_in_order(clauses: Cut, raw: str) -> None:
    last = 0
    for clause in clauses.clauses(raw):
        assert last <= clause.start < clause.end
        assert clause.text == clause.text.strip()
        last = clause.end


@pytest.mark.parametrize(
    "raw",
    [
        "新建待办:买鸡蛋,买米",
        "新建待办:甲。乙",
        "加个任务:洗车,然后看电影",
        "add a todo: buy bread tomorrow, then phone Carol",
        "建一个待办,内容是拜访客户,后天",
        "记一下,内容:写周报,发邮件",
        "新建待办:不要迟到,别忘带伞",
        "提醒我别迟到",
    ],
)
def test_what_is_to_be_written_down_stays_whole(clauses: Cut, raw: str) -> None:
    assert clauses(raw) == [raw]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("新建待办:买鸡蛋,然后查今天的订单", ["新建待办:买鸡蛋", "查今天的订单"]),
        ("add a todo: buy bread. Then show users", ["add a todo: buy bread", "show users"]),
        ("提醒我别迟到,查订单", ["提醒我别迟到", "查订单"]),
        ("订单号:1001,查一下", ["订单号:1001", "查一下"]),
    ],
)
def test_another_request_behind_it_is_cut_off(clauses: Cut, raw: str, expected: list[str]) -> None:
    assert clauses(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("不看统计看评价", ["-不看统计", "看评价"]),
        ("别查待办了查日程", ["-别查待办了", "查日程"]),
        ("不想看王五的订单想看赵六的", ["-不想看王五的订单", "想看赵六的"]),
        ("don't list users list events", ["-don't list users", "list events"]),
        ("no reviews please", ["-no reviews please"]),
        ("please no reviews, just events", ["-please no reviews", "just events"]),
        ("我没说要看统计", ["-我没说要看统计"]),
        ("I didn't say show users", ["-I didn't say show users"]),
    ],
)
def test_of_two_verbs_only_the_negated_one_is_not_wanted(clauses: Cut, raw: str, expected: list[str]) -> None:
    assert clauses(raw) == expected


@pytest.mark.parametrize(
    "raw", ["are there no events today", "todo no 3", "no problem", "customers with no orders", "is there no user"]
)
def test_no_may_be_part_of_a_question_or_of_a_number(clauses: Cut, raw: str) -> None:
    assert not any(clause.negated for clause in clauses.clauses(raw))


@pytest.mark.parametrize("raw", ["不要让王五看订单", "不要查看订单", "不要给赵六看统计"])
def test_a_verb_that_the_negation_governs_starts_nothing(clauses: Cut, raw: str) -> None:
    assert clauses(raw) == [f"-{raw}"]
