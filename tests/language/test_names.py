"""People."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.found import Span
from language.names import Names, find_people
from language.normalise import normalise

NOUNS = ("订单", "评价", "order", "待办", "用户")


def people(raw: str, names: Names) -> list[str]:
    text = normalise(raw).text
    taken: list[Span] = []
    for noun in NOUNS:
        at = text.find(noun)
        if at >= 0:
            taken.append((at, at + len(noun)))
    return [found.value for found in find_people(text, names, taken)]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("帮我查张三的订单", ["张三"]),
        ("查一下张三order", ["张三"]),
        ("查询张三订单", ["张三"]),
        ("查張三的訂單", ["张三"]),
        ("王小明最近的评价", ["王小明"]),
        ("用户李四", ["李四"]),
        ("给李四转账", ["李四"]),
        ("查张三和李四的订单", ["张三", "李四"]),
        ("张三、李四、王五的订单", ["张三", "李四", "王五"]),
        ("查张三丰的订单", ["张三丰"]),
        ("欧阳娜娜买了什么", ["欧阳娜娜"]),
        ("诸葛亮的订单", ["诸葛亮"]),
        ("张三这周下了几单", ["张三"]),
        ("张三已付款的订单", ["张三"]),
        ("和张三开会", ["张三"]),
        ("通知韩梅梅明天开会", ["韩梅梅"]),
        ("王老师的课程", ["王老师"]),
        ("马总的订单", ["马总"]),
        ("小红的订单到哪了", ["小红"]),
        ("那李四呢", ["李四"]),
        ("Alice's orders", ["Alice"]),
        ("show me alice’s orders", ["alice"]),
        ("orders of Zhang San", ["Zhang San"]),
        ("orders from Bob Smith", ["Bob Smith"]),
        ("e-mail address of Ines Corvin", ["Ines Corvin"]),
        ("what did Owen Marsh leave", ["Owen Marsh"]),
        ("how much has Nadia Brook spent", ["Nadia Brook"]),
        ("customer Mary", ["Mary"]),
        ("查Tom的订单", ["Tom"]),
        ("Tom和Mary的订单", ["Tom", "Mary"]),
    ],
)
def test_people_are_found(names: Names, raw: str, expected: list[str]) -> None:
    assert people(raw, names) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "查大陆队伍的订单", "查高价订单", "查全部订单", "查VIP客户的order", "查成功的订单", "马上查订单",
        "方便查一下吗", "黄金会员的订单", "何时发货",
        "单价最高的", "温州的订单", "广东的用户", "包邮的订单", "满100的订单", "安排一下", "小程序的订单",
        "两小时内的订单", "张", "李的",
        "today's orders", "what's new", "let's go", "orders from Monday", "orders for March",
        "the customer's orders", "Python的课程",
        "your orders", "show all orders", "from Beijing",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_name(names: Names, raw: str) -> None:
    assert people(raw, names) == []


def test_taken_characters_are_no_name_and_bound_one(names: Names) -> None:
    assert [f.value for f in find_people("查张三丰收", names, [(3, 5)])] == ["张三"]
    assert find_people("查张三", names, [(1, 3)]) == []


@given(
    st.text(alphabet="张三李四王小明的查和给欧阳 Alice's of客户"),
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20))),
)
def test_names_stand_in_the_text_outside_of_what_is_taken(
    names: Names, text: str, taken: list[tuple[int, int]]
) -> None:
    taken = [(start, end) for start, end in taken if start < end]
    last = 0
    for found in find_people(text, names, taken):
        assert last <= found.start
        assert text[found.start : found.end] == found.text == found.value
        assert not any(found.start < end and start < found.end for start, end in taken)
        last = found.end


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("orders of wang wu", ["wang wu"]),
        ("reviews for chen xiaoming last week", ["chen xiaoming"]),
        ("customer zhao liu yesterday", ["zhao liu"]),
        ("wang wu's orders", ["wang wu"]),
        ("Wang Wu orders", ["Wang Wu"]),
        ("Xiaoming Chen", ["Xiaoming Chen"]),
        ("Mary Jones reviews", ["Mary Jones"]),
        ("王五赵六的订单", ["王五", "赵六"]),
        ("查王五赵六孙七的订单", ["王五", "赵六", "孙七"]),
        ("赵子龙王五的评价", ["赵子龙", "王五"]),
        ("用户赵", ["赵"]),
        ("客户孙的订单", ["孙"]),
        ("姓赵的用户", ["赵"]),
        ("给王五回电话", ["王五"]),
    ],
)
def test_names_without_capitals_side_by_side_and_surnames_alone(names: Names, raw: str, expected: list[str]) -> None:
    assert people(raw, names) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "orders for my boss", "orders of an old customer", "Winter Sale activities", "Great Deals", "客户单", "用户小",
        "用户成的", "赵的订单", "list of song titles",
    ],
)  # fmt: skip
def test_two_plain_words_and_a_surname_without_a_title_are_none(names: Names, raw: str) -> None:
    assert people(raw, names) == []
