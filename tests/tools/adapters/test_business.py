"""Users, activities, content, reviews and figures as the desk shows them."""

import re
from typing import Any

import pytest

from tests.tools.adapters.conftest import Desk, Value

TODAY, WEEK = "2026-11-30", "2026-11-24"


async def test_a_user_is_found_by_name_with_a_telephone(desk: Desk) -> None:
    result = await desk("find_users", keyword="李四")
    assert (result.data["found"], result.data["total"]) == (1, 1)
    assert {"user_id": "u0002", "name": "李四", "phone": "13800000001"}.items() <= result.data["users"][0].items()
    assert result.content.startswith("共有 1 位“李四”的用户：\n1. 李四（u0002），13800000001，")


@pytest.mark.parametrize("phone", ["13800000001", 13800000001, "138-0000-0001"])
async def test_a_user_is_found_by_telephone(desk: Desk, phone: Any) -> None:
    assert [user["name"] for user in (await desk("find_users", phone=phone)).data["users"]] == ["李四"]


async def test_several_users_of_a_name_are_all_there(desk: Desk) -> None:
    result = await desk("find_users", keyword="张")
    assert result.data["found"] > 1
    assert "张三" in {user["name"] for user in (await desk("find_users", keyword="张", limit=50)).data["users"]}


async def test_users_who_registered_today(desk: Desk) -> None:
    result = await desk("find_users", start_date=TODAY, end_date=TODAY)
    assert re.match(r"今天注册共有 \d+ 位用户：", result.content)
    english = await desk("find_users", "en", start_date=TODAY, end_date=TODAY)
    assert re.match(r"There (is|are) \d+ users? registered today:", english.content)


@pytest.mark.parametrize(
    ("name", "arguments", "content"),
    [
        ("find_users", {"keyword": "没有这个人"}, "没有找到“没有这个人”的用户。"),
        ("list_activities", {"keyword": "登月"}, "没有找到关于“登月”的活动。"),
        ("list_content", {"keyword": "登月", "status": "草稿"}, "没有找到关于“登月”的草稿内容。"),
        ("list_reviews", {"customer": "没有这个人"}, "没有找到没有这个人的评价。"),
        ("dashboard_orders", {"start_date": "2026-12-01", "end_date": "2026-12-01"}, "明天没有订单。"),
        ("dashboard_reviews", {"customer": "没有这个人"}, "没有这个人没有评价。"),
        ("dashboard_community", {"start_date": "2026-12-01", "end_date": "2026-12-01"}, "没有明天的社区数据。"),
        ("dashboard_alerts", {"start_date": "2026-12-01", "end_date": "2026-12-01"}, "明天没有告警。"),
    ],
)
async def test_nothing_found_is_said_plainly(desk: Desk, name: str, arguments: dict[str, Any], content: str) -> None:
    result = await desk(name, **arguments)
    assert (result.content, result.outcome) == (content, "done")
    assert result.data["found"] == 0


@pytest.mark.parametrize(
    ("name", "arguments", "card", "head"),
    [
        ("find_users", {}, "user_list", r"共有 240 位用户，前 10 个："),
        ("list_activities", {}, "activity_list", r"共有 40 个活动，前 10 个："),
        ("list_activities", {"status": "未开始"}, "activity_list", r"共有 \d+ 个未开始活动："),
        ("list_content", {"start_date": WEEK, "end_date": TODAY}, "content_list",
         r"2026-11-24 至 2026-11-30 共有 \d+ 篇内容，前 10 个："),
        ("list_content", {"keyword": "python"}, "content_list", r"共有 \d+ 篇关于“python”的内容.*"),
        ("list_reviews", {"customer": "王小明"}, "review_list", r"王小明共有 \d+ 条评价.*"),
        ("list_reviews", {"status": "待审核"}, "review_list", r"共有 \d+ 条待审核评价，前 10 个："),
        ("dashboard_overview", {}, "dashboard_overview",
         r"今天概览：订单 \d+ 个，成交额 ¥[\d,.]+；新用户 \d 位，共 240 位；.*"),
        ("dashboard_users", {}, "dashboard_users",
         r"今天新增用户 \d 位，下单用户 \d+ 位，累计 240 位（普通会员 \d+，.*）。"),
        ("dashboard_orders", {}, "dashboard_orders",
         r"今天共有 \d+ 个订单，成交额 ¥[\d,.]+，下单用户 \d+ 位：待付款 \d+，.*。"),
        ("dashboard_orders", {"customer": "张三"}, "dashboard_orders", r"张三共有 30 个订单，成交额 .*"),
        ("dashboard_courses", {}, "dashboard_courses", r"今天共有 \d+ 门课程售出 \d+ 份（在售 24 门）："),
        ("dashboard_community", {}, "dashboard_community", r"今天社区：日均活跃 \d+ 人，发帖 \d+ 篇，.*"),
        ("dashboard_alerts", {"start_date": WEEK, "end_date": TODAY}, "dashboard_alerts",
         r"2026-11-24 至 2026-11-30 共有 \d+ 个告警，\d+ 个未处理："),
        ("dashboard_reviews", {"start_date": WEEK, "end_date": TODAY}, "dashboard_reviews",
         r"2026-11-24 至 2026-11-30 共有 \d+ 条评价，平均 \d\.\d+ 星：5 星 \d+，.*。"),
    ],
)  # fmt: skip
async def test_each_answer_has_its_card_and_its_heading(
    desk: Desk, name: str, arguments: dict[str, Any], card: str, head: str
) -> None:
    result = await desk(name, **arguments)
    assert result.card is not None
    assert result.card.type == card
    assert re.fullmatch(head, result.content.splitlines()[0])


@pytest.mark.parametrize(
    "name",
    [
        "find_users", "list_activities", "list_content", "list_reviews", "dashboard_overview", "dashboard_users",
        "dashboard_orders", "dashboard_courses", "dashboard_community", "dashboard_alerts", "dashboard_reviews",
    ],
)  # fmt: skip
@pytest.mark.parametrize("tenant", ["acme", "globex"])
async def test_english_answers_hold_no_chinese_words_of_ours(desk: Desk, name: str, tenant: str) -> None:
    result = await desk.as_(tenant)(name, "en", start_date="2026-08-15", end_date=TODAY)
    assert result.outcome == "done"
    heading = result.content.splitlines()[0]
    assert re.search("[\u4e00-\u9fff]", heading if tenant == "acme" else result.content) is None


async def test_figures_of_one_buyer_are_of_all_days_unless_some_are_named(desk: Desk) -> None:
    always = await desk("dashboard_orders", customer="张三")
    week = await desk("dashboard_orders", customer="张三", start_date=WEEK, end_date=TODAY)
    assert (always.data["start"], always.data["end"], always.data["found"]) == (None, None, 30)
    assert 0 < week.data["found"] < 30


async def test_figures_are_todays_by_default(desk: Desk, value: Value) -> None:
    result = await desk("dashboard_overview")
    count = (
        "select count(*) from demo.orders where tenant_id = 'acme'"
        " and (created_at at time zone 'Asia/Shanghai')::date = '2026-11-30'"
    )
    assert (result.data["start"], result.data["end"]) == (TODAY, TODAY)
    assert result.data["orders"] == await value(count) == sum(result.data["by_status"].values())


async def test_alerts_of_a_long_time_are_ten_and_a_count(desk: Desk) -> None:
    result = await desk("dashboard_alerts", start_date="2026-08-15", end_date=TODAY)
    assert result.data["found"] > 10
    assert len(result.data["alerts"]) == 10
    assert result.content.splitlines()[0].endswith("，前 10 个：")


async def test_every_tool_of_the_contract_is_there_with_its_arguments(desk: Desk) -> None:
    expected = {
        "list_orders": {
            "order_no", "customer", "status", "start_date", "end_date", "min_amount", "max_amount", "sort", "limit",
        },
        "order_trend": {"start_date", "end_date"},
        "find_users": {"keyword", "phone", "start_date", "end_date", "city", "level", "limit"},
        "list_activities": {"keyword", "status", "start_date", "end_date", "limit"},
        "list_content": {"keyword", "status", "start_date", "end_date", "limit"},
        "list_reviews": {"keyword", "customer", "status", "stars", "start_date", "end_date", "limit"},
        "dashboard_overview": {"start_date", "end_date"},
        "dashboard_users": {"start_date", "end_date"},
        "dashboard_orders": {"customer", "start_date", "end_date"},
        "dashboard_courses": {"start_date", "end_date", "limit"},
        "dashboard_community": {"start_date", "end_date"},
        "dashboard_alerts": {"start_date", "end_date"},
        "dashboard_reviews": {"customer", "start_date", "end_date"},
        "update_order_status": {"order_no", "status"},
        "send_coupons": {"count", "value", "level"},
        "list_todos": {"category", "initiator", "start_date", "end_date", "done", "limit"},
        "add_todo": {"content", "date", "category", "initiator"},
        "modify_todo": {"todo_no", "content", "date", "category", "initiator", "done"},
        "list_events": {"start_date", "end_date", "title", "limit"},
        "add_event": {"title", "date", "time", "place"},
        "update_event": {"event_no", "title", "date", "time", "new_date", "new_time"},
        "find_contacts": {"name", "phone", "department", "limit"},
        "search_knowledge": {"question"},
    }  # fmt: skip
    assert {name: set(tool.arguments.model_fields) for name, tool in desk.tools.items()} == expected


def test_reading_tools_have_no_effect_and_writing_ones_do(desk: Desk) -> None:
    writing = {name for name, tool in desk.tools.items() if tool.effect}
    assert writing == {"update_order_status", "send_coupons", "add_todo", "modify_todo", "add_event", "update_event"}
    assert {name for name, tool in desk.tools.items() if tool.permission.endswith(":write")} == writing
    assert all(tool.result is not None for tool in desk.tools.values())


@pytest.mark.parametrize(
    ("said", "ratings", "shown"),
    [
        ("差评", {1, 2}, ("条 1–2 星评价", r"reviews? with 1 or 2 stars")),
        ("好评", {4, 5}, ("条 4–5 星评价", r"reviews? with 4 or 5 stars")),
        ("五星", {5}, ("条 5 星评价", r"reviews? with 5 stars")),
        (1, {1}, ("条 1 星评价", r"reviews? with 1 star")),
        ("4 stars", {4}, ("条 4 星评价", r"reviews? with 4 stars")),
    ],
)
async def test_reviews_are_narrowed_down_by_their_stars(
    desk: Desk, value: Value, said: Any, ratings: set[int], shown: tuple[str, str]
) -> None:
    result = await desk("list_reviews", stars=said, limit=50)
    assert {review["rating"] for review in result.data["reviews"]} == ratings
    counted = "select count(*) from demo.reviews where tenant_id = 'acme' and rating = any(%(ratings)s)"
    assert result.data["total"] == await value(counted, ratings=list(ratings))
    assert shown[0] in result.content.splitlines()[0]
    assert re.search(shown[1], (await desk("list_reviews", "en", stars=said)).content.splitlines()[0])


async def test_users_are_narrowed_down_by_city_and_level(desk: Desk, value: Value) -> None:
    result = await desk("find_users", city="上海", level="银卡", limit=50)
    counted = "select count(*) from demo.users where tenant_id = 'acme' and city = '上海' and level = 'silver'"
    assert result.data["total"] == await value(counted)
    assert result.content.startswith(f"共有 {result.data['total']} 位上海银卡会员用户")
    english = await desk.as_("globex")("find_users", "en", city="boston", level="silver")
    assert {(user["city"], user["level"]) for user in english.data["users"]} == {("Boston", "silver")}
    assert re.match(r"There (is|are) \d+ silver users? in Boston", english.content)


@pytest.mark.parametrize("limit", [1, 3])
async def test_the_best_sold_courses_are_as_many_as_asked_for(desk: Desk, limit: int) -> None:
    everything = await desk("dashboard_courses", start_date="2026-11-01", end_date="2026-11-30")
    result = await desk("dashboard_courses", start_date="2026-11-01", end_date="2026-11-30", limit=limit)
    assert result.data["courses"] == everything.data["courses"][:limit]
    assert result.data["sold"] == everything.data["sold"]
    assert result.content.splitlines()[0].endswith(f"，前 {limit} 门：")
    assert len(result.content.splitlines()) == limit + 1
