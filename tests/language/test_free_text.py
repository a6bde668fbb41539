"""What is meant literally."""

import pytest

from language.free_text import find_after, find_content, find_keyword


def cut(text: str, span: tuple[int, int] | None) -> str | None:
    return text[slice(*span)] if span else None


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("新建待办“买牛奶,鸡蛋”", "买牛奶,鸡蛋"),
        ("新建待办:买牛奶。再查订单", "买牛奶"),
        ("add a todo: buy milk", "buy milk"),
        ('add a todo "buy milk"', "buy milk"),
        ("内容是买牛奶", "买牛奶"),
        ("提醒我交周报", "交周报"),
        ("remind me to call home", "call home"),
        ("查订单", None),
        ("订单号:20261130001", None),
        ("时间:明天", None),
        ("10:30开会", None),
        ("标题包含“春季”的内容", None),
        ("https://example.com", None),
    ],
)
def test_content_is_quoted_follows_a_colon_or_a_wish_to_remember(text: str, content: str | None) -> None:
    assert cut(text, find_content(text, ())) == content


def test_the_time_beside_what_is_to_be_remembered_is_no_part_of_it() -> None:
    text = "提醒我明天下午三点开会"
    assert cut(text, find_content(text, [(3, 9)])) == "开会"
    text = "remind me to call Bob tomorrow at 3pm"
    assert cut(text, find_content(text, [(22, 30), (34, 37)])) == "call Bob"


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        ("关于退款的内容", "退款"),
        ("叫春季促销的活动", "春季促销"),
        ("标题包含春季的内容", "春季"),
        ("名为“新 品”的活动", "新 品"),
        ("reviews about slow delivery", "slow delivery"),
        ("the activity named Spring Sale please", "Spring Sale"),
        ("搜索春季促销", "春季促销"),
        ("search for python", "python"),
        ("什么叫订单", "订单"),
        ("你叫什么", None),
        ("what about yesterday", None),
        ("查订单", None),
        ("关于", None),
        ("about the", None),
    ],
)
def test_a_keyword_follows_its_mark(text: str, keyword: str | None) -> None:
    assert cut(text, find_keyword(text, ())) == keyword


def test_quotes_hold_what_is_in_them_to_the_letter() -> None:
    text = "新建待办“明天交周报”"
    assert cut(text, find_content(text, [(5, 7)])) == "明天交周报"


def test_a_search_ends_where_other_words_begin() -> None:
    assert cut("搜索春季活动", find_keyword("搜索春季活动", [(4, 6)])) == "春季"
    assert find_keyword("搜索今天的订单", [(2, 4)]) is None


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("提醒我给客户发报价", "给客户发报价"),
        ("remind me to check the users", "check the users"),
        ("新建待办:买鸡蛋,买米", "买鸡蛋,买米"),
        ("新建待办:甲。乙。", "甲。乙"),
        ("add a todo: buy bread, then phone Carol", "buy bread, then phone Carol"),
        ("add a todo: buy bread, then show orders", "buy bread"),
        ("新建待办:写稿,谢谢!", "写稿"),
        ("建个待办,内容是拜访客户", "拜访客户"),
    ],
)
def test_content_is_whole_up_to_another_request(text: str, content: str) -> None:
    assert cut(text, find_content(text, ())) == content


NOUNS = ("待办", "任务", "日程", "会议", "todo", "task", "meeting")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("建个待办 写总结", "写总结"),
        ("添加待办买米和油", "买米和油"),
        ("新建一个跟进类的任务 回访", "回访"),
        ("create a todo to phone Carol", "phone Carol"),
        ("Add a new task: water the plants", "water the plants"),
        ("schedule a team meeting about the budget", "the budget"),
        ("添加待办", None),
        ("新建待办吧", None),
        ("add a todo please", None),
        ("新建的待办有哪些", None),
        ("添加待办的方法", None),
        ("怎么新建待办", None),
        ("取消会议 总结会", None),
        ("add Carol to meeting 5", None),
    ],
)
def test_content_may_follow_what_is_made(text: str, content: str | None) -> None:
    assert cut(text, find_after(text, NOUNS, ())) == content
