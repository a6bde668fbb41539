"""The arguments that most tools take."""

from datetime import date
from typing import Annotated

from tools.tool import Arg

StartDate = Annotated[
    date | None,
    Arg(
        description="First day of the period, included",
        zh="开始日期",
        example="2026-11-01",
        aliases=("from", "since", "date_from"),
    ),
]
EndDate = Annotated[
    date | None,
    Arg(
        description="Last day of the period, included",
        zh="结束日期",
        example="2026-11-30",
        aliases=("to", "until", "date_to"),
    ),
]
Limit = Annotated[
    int, Arg(description="How many rows to show", zh="条数", example=10, clamp=(1, 50), aliases=("count", "top"))
]
Keyword = Annotated[
    str | None, Arg(description="A word to look for", zh="关键词", example="Python", aliases=("query", "search", "q"))
]
Customer = Annotated[
    str | None,
    Arg(
        description="The buyer's name",
        zh="客户姓名",
        example="张三",
        aliases=("customer_name", "buyer", "user_name", "person"),
    ),
]
Phone = Annotated[
    str | None,
    Arg(
        description="A telephone number, or its last digits",
        zh="电话号码",
        example="13800000001",
        aliases=("mobile", "telephone"),
    ),
]
