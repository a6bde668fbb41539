"""The words of Chinese dates and periods, and what kind of word each is."""

import re

from language.feasts import NAMES

DAYS = {
    "今天": 0, "今日": 0, "今儿": 0, "本日": 0, "今早": 0, "今晨": 0, "今晚": 0, "今夜": 0,
    "昨天": -1, "昨日": -1, "昨儿": -1, "昨晚": -1, "昨夜": -1, "昨早": -1, "前天": -2, "前日": -2, "前晚": -2, "大前天": -3,
    "大前日": -3, "大大前天": -4, "明天": 1, "明日": 1, "明儿": 1, "明早": 1, "明晨": 1, "明晚": 1, "听日": 1, "次日": 1, "翌日": 1,
    "隔天": 1, "后天": 2, "后日": 2, "后晚": 2, "大后天": 3, "大后日": 3, "大大后天": 4,
}  # fmt: skip
YEARS = {
    "今年": 0, "本年": 0, "当年": 0, "今年度": 0, "本年度": 0, "去年": -1, "昨年": -1, "去年度": -1, "前年": -2, "大前年": -3, "明年": 1, "来年": 1,
    "翌年": 1, "次年": 1, "后年": 2, "大后年": 3,
}  # fmt: skip
PAIRS = {"今明": (0, 1), "明后": (1, 2), "昨今": (-1, 0), "前昨": (-2, -1)}
UNITS = {
    "天": ("d", "day"), "日": ("D", "day"), "号": ("D", "day"), "周": ("W", "week"), "星期": ("W", "week"), "礼拜": ("W", "week"),
    "个星期": ("w", "week"), "个礼拜": ("w", "week"), "个周": ("w", "week"), "月": ("M", "month"), "月份": ("M", "month"),
    "个月": ("m", "month"), "季度": ("Q", "quarter"), "季": ("Q", "quarter"), "个季度": ("q", "quarter"), "年": ("Y", "year"),
    "年度": ("Y", "year"), "半年": ("H", "half"), "个半年": ("H", "half"), "半个月": ("k", "fortnight"), "半月": ("k", "fortnight"),
    "工作日": ("b", "workday"), "个工作日": ("b", "workday"), "世纪": ("C", "century"), "个世纪": ("C", "century"), "年代": ("A", "decade"),
}  # fmt: skip
PORTIONS = {"初": "beginning", "中": "middle", "末": "end", "底": "end", "尾": "end"}
HALVES = {
    f"{half}{unit}": (name, half == "下")
    for half in "上下"
    for unit, name in (("半年", "year"), ("半月", "month"), ("半个月", "month"), ("半周", "week"))
} | {"前半年": ("year", False), "后半年": ("year", True)}
WEEKDAYS = {
    "一": 0,
    "二": 1,
    "三": 2,
    "四": 3,
    "五": 4,
    "六": 5,
    "日": 6,
    "天": 6,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
    "7": 6,
}
# First years of eras that people still date by.
ABOUT = {
    "一两": 2,
    "两三": 3,
    "三四": 4,
    "三五": 5,
    "四五": 5,
    "五六": 6,
    "六七": 7,
    "七八": 8,
    "八九": 9,
    "十几": 15,
    "几十": 50,
    "几": 3,
    "数": 3,
}
"""Rough numbers, at their upper end."""
ERAS = {
    "贞观": 627, "神龙": 705, "开元": 713, "天宝": 742, "洪武": 1368, "永乐": 1403, "嘉靖": 1522, "万历": 1573, "崇祯": 1628, "顺治": 1644,
    "康熙": 1662, "雍正": 1723, "乾隆": 1736, "嘉庆": 1796, "道光": 1821, "咸丰": 1851, "同治": 1862, "光绪": 1875, "宣统": 1909,
    "民国": 1912,
}  # fmt: skip

LITERALS: dict[str, tuple[str, object]] = {
    **{w: ("T", v) for w, v in DAYS.items()},
    **{w: ("y", v) for w, v in YEARS.items()},
    **{w: ("U", v) for w, v in {"正月": 1, "大年": 1, "冬月": 11, "腊月": 12}.items()}, **dict.fromkeys(("农历", "阴历"), ("c", None)),
    **dict.fromkeys(("当天", "当日", "那天", "那一天"), ("8", 0)), "为止": ("9", None), **dict.fromkeys(("再过", "过"), ("j", None)),
    **dict.fromkeys(("小时", "个小时", "个钟头"), ("6", "hour")),
    **{w: v for w, v in UNITS.items()}, "元年": ("0", 1),
    **{w: ("V", v) for w, v in HALVES.items()},
    **{w: ("R", v) for w, v in ERAS.items()},
    **{f"{u}{p}": ("O", (unit, third)) for u, unit in (("月", "month"), ("年", "year"), ("季", "quarter"), ("季度", "quarter"), ("周", "week"))
       for p, third in PORTIONS.items() if f"{u}{p}" not in ("周中", "周尾", "周底")},
    **{p: ("o", third) for p, third in PORTIONS.items()},
    **dict.fromkeys(("今", "现在", "目前", "此刻", "眼下", "当前"), ("N", None)),
    "伊始": ("o", "beginning"), "上旬": ("3", 0), "中旬": ("3", 1), "下旬": ("3", 2),
    **dict.fromkeys(("周末", "双休日", "个周末", "周六日", "周六周日"), ("E", None)),
    **dict.fromkeys(("近", "最近", "最近的", "过去", "过去的", "近来", "最近这", "这", "近期"), ("p", None)),
    **dict.fromkeys(("未来", "未来的", "将来", "接下来", "接下来的", "今后", "往后", "之后的", "随后", "下"), ("f", None)),
    **dict.fromkeys(("前", "上", "头", "首"), ("a", None)),
    **dict.fromkeys(("最后", "最末", "末尾"), ("L", None)),
    **dict.fromkeys(("之前", "以前"), ("B", None)),
    **dict.fromkeys(("之后", "以后", "过后"), ("F", None)), "后": ("g", None),
    **dict.fromkeys(("之内", "以内", "内"), ("I", None)),
    **dict.fromkeys(("以来", "至今", "到现在", "到今天", "到目前", "到如今", "起", "开始", "至今为止", "到目前为止", "到现在为止"), ("S", None)),
    **dict.fromkeys(("从", "自", "自从", "由"), ("r", None)), **dict.fromkeys(("截至", "截止", "截止到", "直到"), ("u", None)),
    **dict.fromkeys(("到", "至", "-", "~", "—", "——", "–", "--", "→"), ("-", None)),
    **dict.fromkeys(("与", "和", "及"), ("&", None)), **dict.fromkeys(("之间", "间", "期间", "这段时间"), ("v", None)),
    **dict.fromkeys((",", "、", "，"), (",", None)), **dict.fromkeys(("的", "里", "里的", "当中"), ("e", None)), "第": ("#", None), "版": ("Z", None),
}  # fmt: skip
"""Word -> the letter that rules are written with, and a value."""
CHINESE_FEASTS = tuple(sorted((n for n in NAMES if not re.match("[a-z0-9]", n)), key=len, reverse=True))
