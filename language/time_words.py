"""The words of Chinese dates and periods, and what kind of word each is.

Kinds are letters, so that rules read like words: n a number, Y 年, M 月, D 日 and 号, W 周, Q 季度; d, w, m, q,
H, k, b, 4 to 6 such units counted (3个月); C 世纪, A 年代; T a day from today, y a year from this one, s a step
over units (上周), K a weekday, E 周末, J a feast, X a date in digits, V half of a unit, O and o its beginning
or end, 3 ten days of a month; p 最近, f 未来, a 前, g 后, L 最后, # 第, B 之前, F 之后, I 内, S 以来, r 从, u
截至, 9 为止, - 到, & 和, v 之间, e 的; R an era, U, l and i lunar months and days; t a time of day, x anything
else.
"""

import re

from language.feasts import NAMES

# Days from today.
_DAYS = {
    -4: "大大前天",
    -3: "大前天 大前日",
    -2: "前天 前日 前晚",
    -1: "昨天 昨日 昨儿 昨晚 昨夜 昨早",
    0: "今天 今日 今儿 本日 今早 今晨 今晚 今夜",
    1: "明天 明日 明儿 明早 明晨 明晚 听日 次日 翌日 隔天",
    2: "后天 后日 后晚",
    3: "大后天 大后日",
    4: "大大后天",
}
_YEARS = {
    -3: "大前年",
    -2: "前年",
    -1: "去年 昨年 去年度",
    0: "今年 本年 当年 今年度 本年度",
    1: "明年 来年 翌年 次年",
    2: "后年",
    3: "大后年",
}
PAIRS = {"今明": (0, 1), "明后": (1, 2), "昨今": (-1, 0), "前昨": (-2, -1)}
"""Two days in one word, from today."""
# Kinds of units by how they are counted: 3月 is a month, 3个月 are three of them.
_UNITS = {
    ("d", "day"): "天",
    ("D", "day"): "日 号",
    ("W", "week"): "周 星期 礼拜",
    ("w", "week"): "个星期 个礼拜 个周 个多星期 个多礼拜",
    ("M", "month"): "月 月份",
    ("m", "month"): "个月 个多月",
    ("Q", "quarter"): "季度 季",
    ("q", "quarter"): "个季度",
    ("Y", "year"): "年 年度",
    ("H", "half"): "半年 个半年",
    ("k", "fortnight"): "半个月 半月",
    ("4", "month and a half"): "个半月",
    ("5", "year and a half"): "年半",
    ("b", "workday"): "工作日 个工作日",
    ("C", "century"): "世纪 个世纪",
    ("A", "decade"): "年代",
    ("6", "hour"): "小时 个小时 个钟头",
}
UNITS = {word: unit for (_, unit), words in _UNITS.items() for word in words.split()}
_PORTIONS = {"beginning": "初", "middle": "中", "end": "末 底 尾"}
_WHOLES = {"月": "month", "年": "year", "季": "quarter", "季度": "quarter"}
_HALVES = {"半年": "year", "半月": "month", "半个月": "month", "半周": "week"}
WEEKDAYS = {day: index for row in ("一二三四五六日", "1234567") for index, day in enumerate(row)} | {"天": 6}
ABOUT = dict(
    一两=2, 两三=3, 三四=4, 三五=5, 四五=5, 五六=6, 六七=7, 七八=8, 八九=9, 十几=15, 几十=50, 几=3, 数=3
)  # fmt: skip
"""Rough numbers, at their upper end."""
# First years of eras that people still date by.
_ERAS = dict(
    贞观=627, 神龙=705, 开元=713, 天宝=742, 洪武=1368, 永乐=1403, 嘉靖=1522, 万历=1573, 崇祯=1628, 顺治=1644, 康熙=1662,
    雍正=1723, 乾隆=1736, 嘉庆=1796, 道光=1821, 咸丰=1851, 同治=1862, 光绪=1875, 宣统=1909, 民国=1912,
)  # fmt: skip
_LUNAR_MONTHS = {1: "正月 大年", 11: "冬月", 12: "腊月"}
_TEN_DAYS = {0: "上旬", 1: "中旬", 2: "下旬"}
_OTHERS = {
    "N": "今 现在 目前 此刻 眼下 当前",
    "E": "周末 双休日 个周末 周六日 周六周日",
    "p": "近 最近 最近的 过去 过去的 近来 最近这 这 近期",
    "f": "未来 未来的 将来 接下来 接下来的 今后 往后 之后的 随后 下",
    "j": "再过 过",
    "a": "前 上 头 首",
    "g": "后",
    "L": "最后 最末 末尾",
    "B": "之前 以前",
    "F": "之后 以后 过后",
    "I": "之内 以内 内",
    "S": "以来 至今 到现在 到今天 到目前 到如今 起 开始 至今为止 到目前为止 到现在为止",
    "r": "从 自 自从 由",
    "u": "截至 截止 截止到 直到",
    "9": "为止",
    "-": "到 至 - ~ — —— – -- →",
    "&": "与 和 及",
    "v": "之间 间 期间 这段时间",
    ",": ", 、 ，",
    "e": "的 里 里的 当中",
    "#": "第",
    "Z": "版",
    "c": "农历 阴历",
}

Kind = tuple[str, object]
LITERALS: dict[str, Kind] = {word: (kind, None) for kind, words in _OTHERS.items() for word in words.split()}
"""Word -> the letter that rules are written with, and a value."""
for _letter, _table in (("T", _DAYS), ("y", _YEARS), ("U", _LUNAR_MONTHS), ("3", _TEN_DAYS), ("o", _PORTIONS)):
    LITERALS |= {word: (_letter, value) for value, words in _table.items() for word in words.split()}
LITERALS |= {word: kind for kind, words in _UNITS.items() for word in words.split()}
LITERALS |= {word: ("R", year) for word, year in _ERAS.items()}
LITERALS |= {f"上{half}": ("V", (unit, False)) for half, unit in _HALVES.items()}
LITERALS |= {f"下{half}": ("V", (unit, True)) for half, unit in _HALVES.items()}
LITERALS |= {
    f"{whole}{word}": ("O", (unit, portion))
    for whole, unit in _WHOLES.items()
    for portion, words in _PORTIONS.items()
    for word in words.split()
}
LITERALS |= {
    "前半年": ("V", ("year", False)),
    "后半年": ("V", ("year", True)),
    "周初": ("O", ("week", "beginning")),
    "伊始": ("o", "beginning"),
    "元年": ("0", 1),
    **dict.fromkeys(("当天", "当日", "那天", "那一天"), ("8", 0)),
}
CHINESE_FEASTS = tuple(sorted((n for n in NAMES if not re.match("[a-z0-9]", n)), key=len, reverse=True))
"""The longest first."""
