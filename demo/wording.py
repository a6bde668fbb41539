"""What the demo's rows say: courses, reviews, posts and the rest, in the language of each company."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Wording:
    """`courses`: title, teacher, price. `reviews`: by rating. `todos`: category, content. `events`: title, place.

    Titles of posts and activities hold `{course}`.
    """

    courses: tuple[tuple[str, str, int], ...]
    reviews: dict[int, tuple[str, ...]]
    order_notes: tuple[str, ...]
    posts: tuple[tuple[str, str], ...]
    authors: tuple[str, ...]
    activities: tuple[str, ...]
    places: tuple[str, ...]
    alerts: tuple[tuple[str, str], ...]
    todos: tuple[tuple[str, str], ...]
    initiators: tuple[str, ...]
    events: tuple[tuple[str, str], ...]


ACME = Wording(
    courses=(
        ("Python 编程入门", "韩雪松", 299), ("数据分析实战", "韩雪松", 499), ("机器学习基础", "顾承宇", 699),
        ("前端开发三十讲", "沈一帆", 399),
        ("商务英语口语", "白若兰", 359), ("雅思写作提高", "白若兰", 599), ("日语零基础", "藤原美咲", 329),
        ("少儿编程启蒙", "沈一帆", 259),
        ("产品经理入门", "陆知行", 459), ("用户研究方法", "陆知行", 389), ("新媒体运营", "秦小满", 289),
        ("短视频制作", "秦小满", 319),
        ("财务报表解读", "程守正", 429), ("个人理财课", "程守正", 199), ("公务员申论", "方正清", 549),
        ("教师资格证备考", "方正清", 369),
        ("书法入门", "柳墨白", 169), ("国画山水", "柳墨白", 219), ("摄影构图", "岳青山", 239),
        ("吉他弹唱", "岳青山", 189),
        ("瑜伽与放松", "温可心", 149), ("健康饮食", "温可心", 99), ("项目管理认证", "顾承宇", 899),
        ("演讲与表达", "秦小满", 279),
    ),
    reviews={
        5: (
            "讲得很清楚，跟着做一遍就会了。", "老师很有耐心，作业批改得细。", "教材印得好，内容也扎实，值得买。",
            "学完就用到工作里了，推荐。",
        ),
        4: ("内容不错，就是后半部分有点快。", "整体满意，希望多一些练习。", "物流快，课程也好，少一点案例。"),
        3: ("中规中矩，适合完全没基础的人。", "视频清楚，不过讲义有几处错字。"),
        2: ("更新太慢，等了两周才出下一节。", "和介绍的不太一样，深度不够。"),
        1: ("教材收到时封面破了，换货很麻烦。", "登录总是掉线，看不完一节课。"),
    },
    order_notes=("请尽快发货", "教材请用纸箱包装", "工作日送货", "需要开发票", "放到小区快递柜"),
    posts=(
        ("article", "{course}：三个最常见的误区"), ("article", "学完{course}之后可以做什么"),
        ("video", "{course}公开课回放"),
        ("video", "五分钟看懂{course}"), ("notice", "{course}本周更新通知"), ("article", "学员故事：我和{course}"),
    ),
    authors=("编辑部", "韩雪松", "秦小满", "陆知行", "运营小组"),
    activities=(
        "{course}线下体验课", "{course}学员见面会", "{course}限时优惠周", "{course}七天打卡", "{course}名师直播",
    ),
    places=("上海徐汇中心", "杭州西溪校区", "线上直播间", "成都天府书店", "南京鼓楼教室"),
    alerts=(
        ("warning", "支付回调延迟超过 5 分钟"), ("critical", "直播服务响应超时"), ("info", "教材库存低于 50 册"),
        ("warning", "短信通道发送失败率偏高"), ("info", "夜间备份比平时慢"), ("critical", "订单接口错误率升高"),
        ("warning", "退款申请堆积"),
    ),
    todos=(
        ("approval", "审批教材采购申请"), ("approval", "审批市场活动预算"), ("follow_up", "回访上周退款的学员"),
        ("follow_up", "联系企业客户确认合同"),
        ("content", "校对新一期课程讲义"), ("content", "更新首页推荐位"), ("meeting", "准备周会材料"),
        ("meeting", "整理教研会纪要"),
        ("other", "更换仓库的标签打印机"), ("other", "汇总本月考勤"),
    ),
    initiators=("韩雪松", "秦小满", "陆知行", "程守正", "白若兰"),
    events=(
        ("部门周会", "三楼会议室"), ("课程评审会议", "二楼会议室"), ("与印刷厂对账", "财务室"),
        ("新员工面试", "一楼接待室"), ("客户拜访", "客户公司"),
        ("直播彩排", "演播室"), ("产品需求讨论会", "三楼会议室"), ("月度经营分析会", "大会议室"),
    ),
)  # fmt: skip

GLOBEX = Wording(
    courses=(
        ("Python for Beginners", "Nora Whitfield", 49), ("Practical Statistics", "Nora Whitfield", 79),
        ("Project Management", "Owen Draper", 129), ("Business Writing", "Celia Marsh", 39),
        ("Public Speaking", "Celia Marsh", 59),
        ("Photography Basics", "Theo Lang", 45), ("Personal Finance", "Owen Draper", 35),
        ("Spanish in Ninety Days", "Ines Robledo", 69),
    ),
    reviews={
        5: ("Clear, well paced, and the workbook is lovely.", "I use something from it every week."),
        4: ("Good material; the last part goes a bit fast.", "Solid course, a few more exercises would help."),
        3: ("Fine if you are completely new to it.",),
        2: ("New lessons come too slowly.",),
        1: ("The workbook arrived bent and the exchange took weeks.",),
    },
    order_notes=("Please ring the bell", "Leave with the doorman", "Gift, no invoice in the box"),
    posts=(
        ("article", "Three mistakes in {course}"), ("video", "{course}: the open lesson"),
        ("notice", "What is new in {course}"),
        ("article", "A learner's story: {course}"),
    ),
    authors=("Editorial", "Celia Marsh", "Owen Draper"),
    activities=("{course} open evening", "{course} meetup", "{course} spring sale", "{course} live session"),
    places=("Brooklyn studio", "Online", "Boston library", "Chicago hub"),
    alerts=(
        ("warning", "Payment callbacks are slow"), ("critical", "Live classes time out"),
        ("info", "Workbook stock is low"),
        ("warning", "Refund requests pile up"),
    ),
    todos=(
        ("approval", "Approve the workbook order"), ("follow_up", "Call back learners who asked for a refund"),
        ("content", "Proofread the new lesson notes"), ("meeting", "Prepare the weekly meeting"),
        ("other", "Replace the label printer"),
    ),
    initiators=("Celia Marsh", "Owen Draper", "Theo Lang"),
    events=(
        ("Weekly meeting", "Room 2"), ("Course review meeting", "Room 1"), ("Interview", "Front office"),
        ("Client visit", "Client's office"), ("Budget meeting", "Room 2"),
    ),
)  # fmt: skip

WORDING = {"acme": ACME, "globex": GLOBEX}

# tenant -> department, position, and how many work there beside the customers that the company keeps as contacts.
DEPARTMENTS: dict[str, tuple[tuple[str, str, int], ...]] = {
    "acme": (
        ("sales", "销售顾问", 7), ("marketing", "市场专员", 5), ("finance", "会计", 4), ("hr", "人事专员", 3),
        ("engineering", "工程师", 7),
        ("support", "客服", 5), ("content", "教研编辑", 5), ("legal", "法务", 1),
    ),
    "globex": (
        ("sales", "Account manager", 2), ("marketing", "Marketing specialist", 1), ("finance", "Accountant", 1),
        ("engineering", "Engineer", 2), ("support", "Support specialist", 2), ("content", "Editor", 2),
    ),
}  # fmt: skip
