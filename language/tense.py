"""Whether a text speaks of what was or of what is to come; it decides which Friday "Friday" is."""

import re
from typing import Literal

Tense = Literal["past", "future", "open"]
_READ = 400

_FUTURE = re.compile(
    "待办|任务|日程|会议|开会|会面|见面|约会|约了|安排|提醒|预约|预订|预定|截止|到期|将要|即将|打算|准备|计划|记得|提交|交付|上线|出发|"
    r"\b(?:todos?|to-dos?|tasks?|meetings?|calendar|schedules?|remind|reminders?|appointments?|events?|due|"
    r"deadline|will|plan|book|upcoming)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    "订单|销量|销售|销额|卖|成交|营业|营收|收入|流水|统计|数据|报表|趋势|评价|评论|差评|好评|注册|新增|支付|付款|缴费|"
    "报名|下单|购买|退款|发货|交易|消费|用户|客户|多少|买了|过的|曾经?|已经|的呢|了[吗么?]?$|"
    r"\b(?:orders?|sales|sold|revenue|purchases?|stats|statistics|data|reports?|trends?|reviews?|registered|signed up|"
    r"paid|payments?|customers?|users?|bought|was|were|did|how many)\b",
    re.IGNORECASE,
)


def tense(text: str) -> Tense:
    """Plans say so by their nouns; what is counted or looked up has happened. "open" where nothing tells."""
    text = text[:_READ]
    if _FUTURE.search(text):
        return "future"
    return "past" if _PAST.search(text) else "open"
