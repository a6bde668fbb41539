"""What tools of orders take, and how it is said."""

from typing import Annotated

from demo.orders import STATUS_NAMES, OrderSort, OrderStatus
from tools.adapters._phrases import words
from tools.tool import Arg

STATUS_WORDS = words(
    STATUS_NAMES,
    {
        "未付款": OrderStatus.PENDING_PAYMENT,
        "待支付": OrderStatus.PENDING_PAYMENT,
        "unpaid": OrderStatus.PENDING_PAYMENT,
        "未发货": OrderStatus.TO_SHIP,
        "paid": OrderStatus.TO_SHIP,
        "已付款": OrderStatus.TO_SHIP,
        "已支付": OrderStatus.TO_SHIP,
        "发货": OrderStatus.SHIPPED,
        "完成": OrderStatus.COMPLETED,
        "取消": OrderStatus.CANCELLED,
        "canceled": OrderStatus.CANCELLED,
    },
)
OrderNo = Annotated[
    str,
    Arg(
        description="The number of one order, 11 digits",
        zh="订单号",
        example="20261130001",
        aliases=("order_id", "order_number"),
    ),
]
OneOrder = Annotated[
    str | None,
    Arg(
        description="The number of one order", zh="订单号", example="20261130001", aliases=("order_id", "order_number")
    ),
]
Status = Annotated[
    OrderStatus | None,
    Arg(
        description="Only orders in this status",
        zh="订单状态",
        example="shipped",
        words=STATUS_WORDS,
        aliases=("order_status",),
    ),
]
LeastAmount = Annotated[
    float | None, Arg(description="The least amount, included", zh="最低金额", example=500, aliases=("least",))
]
LargestAmount = Annotated[
    float | None, Arg(description="The largest amount, included", zh="最高金额", example=1000, aliases=("most",))
]
Sort = Annotated[
    OrderSort,
    Arg(
        description="Which orders come first: the newest, or those of the largest amount",
        zh="排序",
        example="amount",
        words={"最新": "newest", "金额": "amount", "最贵": "amount"},
        aliases=("order_by", "sort_by"),
    ),
]
