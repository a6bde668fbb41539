"""Made-up people: names, telephone numbers and addresses that belong to nobody."""

from dataclasses import dataclass
from random import Random

REGULARS = (("张三", "Zhang San"), ("李四", "Li Si"), ("王小明", "Wang Xiaoming"))

_SURNAMES = (
    ("陈", "Chen"), ("林", "Lin"), ("黄", "Huang"), ("周", "Zhou"), ("吴", "Wu"), ("徐", "Xu"), ("孙", "Sun"),
    ("胡", "Hu"),
    ("朱", "Zhu"), ("高", "Gao"), ("何", "He"), ("郭", "Guo"), ("马", "Ma"), ("罗", "Luo"), ("梁", "Liang"),
    ("宋", "Song"),
    ("郑", "Zheng"), ("谢", "Xie"), ("韩", "Han"), ("唐", "Tang"), ("冯", "Feng"), ("许", "Xu"), ("邓", "Deng"),
    ("曹", "Cao"),
    ("张", "Zhang"), ("李", "Li"), ("王", "Wang"), ("刘", "Liu"), ("赵", "Zhao"), ("杨", "Yang"), ("沈", "Shen"),
)  # fmt: skip
_GIVEN = (
    ("雨桐", "Yutong"), ("浩然", "Haoran"), ("思远", "Siyuan"), ("佳怡", "Jiayi"), ("子轩", "Zixuan"),
    ("梦琪", "Mengqi"),
    ("志强", "Zhiqiang"), ("晓燕", "Xiaoyan"), ("文博", "Wenbo"), ("欣然", "Xinran"), ("建国", "Jianguo"),
    ("丽华", "Lihua"),
    ("俊杰", "Junjie"), ("雅婷", "Yating"), ("天宇", "Tianyu"), ("静怡", "Jingyi"), ("明辉", "Minghui"),
    ("若曦", "Ruoxi"),
    ("海峰", "Haifeng"), ("诗涵", "Shihan"), ("宇航", "Yuhang"), ("婉清", "Wanqing"), ("鹏飞", "Pengfei"),
    ("淑芬", "Shufen"),
    ("凯文", "Kaiwen"), ("巧玲", "Qiaoling"), ("振东", "Zhendong"), ("慧敏", "Huimin"), ("一鸣", "Yiming"),
    ("可欣", "Kexin"),
)  # fmt: skip
_FIRST = (
    "Alice", "Brian", "Carla", "Derek", "Elena", "Frank", "Grace", "Henry", "Irene", "Jacob", "Karen", "Liam", "Molly",
    "Nathan", "Olivia", "Peter", "Quinn", "Rachel", "Simon", "Tessa", "Ulric", "Vera", "Walter", "Yvonne", "Zachary",
)  # fmt: skip
_LAST = (
    "Abbott", "Barlow", "Calder", "Dalton", "Ellery", "Farrow", "Goddard", "Hensley", "Ingram", "Jarvis", "Kendall",
    "Lowell", "Mercer", "Norwood", "Osborne", "Prescott", "Radley", "Sutton", "Thorne", "Underhill", "Vance",
    "Whitlock",
)  # fmt: skip
_CITIES = {
    "acme": ("上海", "杭州", "南京", "苏州", "成都", "武汉", "广州", "深圳", "北京", "西安"),
    "globex": ("New York", "Boston", "Chicago", "Austin", "Denver", "Seattle"),
}
_AREA_CODES = ("212", "312", "415", "512", "617", "720", "206", "305")
# Coprime to the 930 and the 550 combinations: each comes once in a round, and neighbours do not share a surname.
_STRIDE = 397


@dataclass(frozen=True, kw_only=True)
class Person:
    name: str
    latin_name: str
    phone: str
    city: str
    level: str


def person(tenant_id: str, number: int, random: Random) -> Person:
    """The person with this number (from 0) of a tenant; hundreds of numbers in a row have names of their own."""
    name, latin_name = _name(tenant_id, number)
    return Person(
        name=name,
        latin_name=latin_name,
        phone=phone(tenant_id, number),
        city=random.choice(_CITIES[tenant_id]),
        level=random.choices(("standard", "silver", "gold"), (70, 22, 8))[0],
    )


def phone(tenant_id: str, number: int) -> str:
    """A mainland mobile for acme; for globex one of the numbers that are kept free for fiction (555-01xx)."""
    if tenant_id == "acme":
        return f"1380000{number % 10_000:04d}"
    code = _AREA_CODES[number // 100 % len(_AREA_CODES)]
    return f"+1 {code} 555 01{number % 100:02d}"


def _name(tenant_id: str, number: int) -> tuple[str, str]:
    if tenant_id == "acme":
        if number < len(REGULARS):
            return REGULARS[number]
        place = number * _STRIDE % (len(_SURNAMES) * len(_GIVEN))
        (surname, latin_surname), (given, latin_given) = _SURNAMES[place // len(_GIVEN)], _GIVEN[place % len(_GIVEN)]
        return f"{surname}{given}", f"{latin_surname} {latin_given}"
    place = number * _STRIDE % (len(_FIRST) * len(_LAST))
    english = f"{_FIRST[place % len(_FIRST)]} {_LAST[place // len(_FIRST)]}"
    return english, english
