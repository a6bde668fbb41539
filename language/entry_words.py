"""The words that put something into a calendar or on a list, that move it, and that may stand around its title."""

import re
from typing import Literal

Kind = Literal["calendar", "todo", "moved"]

_DIARY = r"(?:日历|日程(?:表|安排|本)?|行程(?:表|安排)?)"
_LIST = r"(?:待办(?:事项|清单|列表)?|代办(?:事项|清单)?|任务(?:清单|列表)?|备忘录?|to-?do(?:\slist)?)"
_INTO = (
    r"(?:添加|[记写加添列放排录补存塞标]|登记|安排|放置|纳|更新|同步)(?:一?下)?(?:[到进入在]|进去?到?)"
    r"(?:我们?的?|你的|咱们?的?|今天的|明天的)?"
)
_ONE = r"(?:一?[条个项则场次笔件]|[上入进下]|进去|一下)"
_OF_IT = r"(?:里面?|上面?|中)?(?:再|帮我|给我|替我|请|先|新|麻烦你?){0,2}"
_MAKE = (
    r"(?:新[建增加添]|添加?|增加|[加建记写设弄排标]|创建|记录|登记|来|安排)(?![的过了])"
    r"(?:一?[条个项则]|一下|[上下])?(?:新的?)?"
)
_SORT = r"(?:[\u4e00-\u9fff]{1,4}类?的?)?"
_NOT_DONE = r"(?![了过的什啥哪]|[吗么]$)"
_PUT = (
    r"add|adding|put|putting|pencil(?:ling)?|note|noting|write|jot|enter|stick|"
    r"pop|record|book|save|include|slot|squeeze|drop|schedule|mark|fit|get|log|"
    r"make (?:some )?(?:room|space|time)|find (?:room|space|a slot)"
)
_MY = r"(?:(?:my|the|our|your)\s)?"
_CALENDAR = r"(?:calendar|diary|agenda|planner|schedule)"
_TODO = r"(?:(?:to-?do|to do|task)s?(?:\slists?)?|list(?: of (?:things to do|to-dos))?)"
_NEW = (
    r"(?:new|one more|another|log|create|make|add|need|set up|open|start|jot(?: down)"
    r"?|note(?: down)?|write(?: down)?)"
)
_A = r"(?:(?:me|a|an|one|another|new|down|up)\s){0,3}"
_LEAD = r"(?:^|[,.;:!?]\s*|\b(?:please|you|to|and|then|also|just|mind|let's|now|so)\s)"
_CALENDAR_ITEM = r"(?:calendar|diary|schedule)\s(?:entry|event|item|appointment|slot)"

_SAID: tuple[tuple[Kind, str], ...] = (
    ("todo", rf"(?:这件?事|这个|它)?{_INTO}{_LIST}(?:里面?|上面?|中)?去?"),
    ("calendar", rf"(?:这件?事|这个|它)?{_INTO}{_DIARY}(?:里面?|上面?|中)?去?"),
    ("calendar", rf"(?:添加|新加|放|加|记|写|添|排)(?:在)?(?:我的)?(?:{_DIARY}[里上中]面?|日程(?=$|[,，。!！吧]))"),
    (
        "todo",
        rf"[在往](?:我的?)?{_LIST}(?:里面?|中|上面?)(?:再|帮我|给我|请|先|新)?(?:添加|新[增加]|增加|加|记)(?![了过的什啥哪])",
    ),
    (
        "calendar",
        rf"[在往](?:我的?)?{_DIARY}(?:里面?|中|上面?)(?:再|帮我|给我|请|先|新)?(?:添加|新[增加]|增加|加|记|安排)(?![了过的什啥哪])",
    ),
    (
        "todo",
        rf"[在往给]?(?:我的?)?{_LIST}{_OF_IT}(?:新[建增加]|添加?|列(?=[上入进])|[加记写建录])(?:{_ONE}){{1,2}}{_NOT_DONE}",
    ),
    (
        "calendar",
        rf"[在往给]?(?:我的?)?{_DIARY}{_OF_IT}(?:新[建增加]|添加?|[加记写排建录])(?:{_ONE}){{1,2}}{_NOT_DONE}",
    ),
    ("todo", r"(?:^|[,，。]\s?)(?:新(?:的)?(?:任务|待办)|备忘(?=[:：,，])|待办(?:事项)?(?=[:：]))"),
    ("todo", r"(?:^|[,，。]\s?)记一?[条笔个项](?=[,，:：\s]|$)"),
    ("todo", r"^\s*to my (?:to-?do )?list(?=[:：])"),
    ("calendar", r"^\s*(?:日程|日历)(?=\s?[:：])"),
    ("calendar", r"^\s*(?:calendar|diary|agenda)(?=\s?[:：])"),
    ("calendar", r"(?:留出|预留|空出|腾出)(?:一下|时间)?"),
    ("calendar", r"(?:^|[,，])\s?(?:for (?:the|my) )?(?:calendar|diary) please[.! ]*$"),
    ("todo", rf"{_MAKE}{_SORT}(?:事项|提醒|备忘)(?![的了过])"),
    ("todo", rf"{_MAKE}{_SORT}{_LIST}(?!的|[上里中](?!面?[去，,:]))"),
    ("calendar", rf"{_MAKE}{_SORT}{_DIARY}(?!的|[上里中](?!面?[去，,:]))"),
    (
        "calendar",
        r"(?:安排|[排约]|预[约定订])(?:上|了)?(?:一?[个场次](?!人|星期|小时|月)|(?<!排)一下|(?<=安排)一下)",
    ),
    ("calendar", r"(?:安排|预[约定]|约)(?:一下|好)?(?=[今明后下这本周星礼]|大后|[0-9]{1,2}[月号日/-])"),
    ("calendar", r"(?<=[^\s,，查看])安排(?:上|进去|好)(?=[吧吗呗]?[,，。!！?？]|[吧吗呗]?$)"),
    (
        "calendar",
        (
            r"(?:把|将)[^,，。;；]{1,30}?((?:安排|排|定|约|放)[在到于])(?=[0-9一二三四五六七八九十今明后下这本星礼早]|"
            r"大后|[上中晚][个周月午上]|周[一二三四五六日天末])"
        ),
    ),
    (
        "calendar",
        r"(?<=[^\s,，])安排[在到于](?=[0-9一二三四五六七八九十今明后下这本星礼早]|大后|[上中晚][个周月午上]|周[一二三四五六日天末])",
    ),
    (
        "todo",
        (
            rf"\b(?:{_PUT})\s(?:it\s|this\s|that\s)?(?:down\s)?(?=[^;!?\n]{{0,160}}?\b(?:to|"
            rf"in|into|on|onto)\s(?:my\s|our\s|the\s)(?:{_TODO})\b)"
        ),
    ),
    (
        "calendar",
        (
            rf"\b(?:{_PUT})\s(?:it\s|this\s|that\s)?(?:down\s|in\s)?(?=[^;!?\n]{{0,160}}?\b(?:to|"
            rf"in|into|on|onto|up)\s?{_MY}{_CALENDAR}\b)"
        ),
    ),
    (
        "todo",
        (
            rf"\b{_NEW}\s{_A}(?:(?!to\b|calendar\b)[a-z-]{{2,12}}\s)?(?:to-?do|to do)"
            rf"\b(?!\slist|\s#?[0-9]|\snumber)"
        ),
    ),
    ("todo", r"^\s*(?:to-?do|to do)(?=\s?[:\-–—]|\sfor\s)"),
    ("todo", r"\b(?:make|turn)\s(?:it|this|that)\s(?:into\s)?(?:a\s)?(?:to-?do|task|reminder)\b"),
    (
        "todo",
        (
            r"\b(?:must\s?n['’]t|must not|can(?:no|['’])t|should\s?n['’]t|better not|"
            r"don['’]t (?:let me )?|do not (?:let me )?)\s?forget\s(?:to|about|that)"
            r"\b"
        ),
    ),
    ("todo", r"\b(?:as|into) (?:a )?(?:to-?do|task|reminder)\b"),
    ("todo", r"\b(?:make|take|keep) (?:a |me a )?(?:mental )?note (?:to|that|of)\b"),
    (
        "todo",
        (
            r"\b(?:note|write|jot|put|get) (?:(?:it|this|that) )?down(?: (?:that|to)"
            r"\b| (?:a |an )?(?:to-?do|task|reminder)\b)?"
        ),
    ),
    ("todo", r"\b(?:set|create|add|need|make|give me|put|leave)(?: (?:me|up|in))? (?:a |an |another )?reminder\b"),
    (
        "todo",
        (
            r"\b(?:set up|create|add|make|need|open|start)(?: (?:me|up))? (?:a |an |"
            r"another )?(?:new )?task\b(?! list)"
        ),
    ),
    ("todo", r"^\s*(?:please )?remember(?: (?:to|that)\b)"),
    ("todo", r"^\s*new (?:task|reminder)\b"),
    ("calendar", rf"\b{_NEW}\s{_A}{_CALENDAR_ITEM}\b"),
    ("calendar", r"^\s*(?:new (?:event|meeting|appointment|entry)\b|save the date\b)"),
    ("calendar", r"\bpencil(?:ling)?\s(?:(?:me|us)\s)?in\b"),
    ("calendar", r"\bblock(?:ing)?\s(?:(?:off|out)\s)?(?=[^;!?\n]{1,60}?\bfor\b)"),
    ("todo", r"(?:帮我|帮忙|请|麻烦你?)?(?:记(?:着|住|下来)|备忘一下)(?:吧|哦|啊)?$"),
    ("todo", r"提醒我?们?(?:一下|一声)?(?:吧|哦|啊)?$"),
    ("todo", r"\bremind me(?: about (?:it|that)| of (?:it|that)| then)?[.! ]*$"),
    ("todo", r"^\s*(?:please )?(?:don['’]t|do not) forget(?: to\b|(?=[:,]))"),
    ("todo", r"^(?:请|麻烦)?(?:千万)?(?:别忘[了记]?|不要忘[了记]?)(?!提醒)(?=\S)"),
    (
        "calendar",
        (
            rf"{_LEAD}(?:schedule|scheduling)\s(?!for\b|of\b|on\b|today|tomorrow|this\b|"
            rf"next\b|please|is\b|it\b|looks?\b)(?=\S)"
        ),
    ),
)
_CHINESE = re.compile("[\u4e00-\u9fff]")
Frames = tuple[tuple[Kind, re.Pattern[str]], ...]


def _frames(chinese: bool) -> Frames:
    some = ((kind, pattern) for kind, pattern in _SAID if bool(_CHINESE.search(pattern)) == chinese)
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in some)


CHINESE_FRAMES, ENGLISH_FRAMES = _frames(chinese=True), _frames(chinese=False)
"""What says so by itself, the surer words first; where a pattern has a group, that is the frame."""
ANY_CHINESE = re.compile(
    "待办|代办|任务|备忘|日[历程]|行程|安排|[排约记忘]|事项|提醒|[留空腾]出|预[留定订]|to-?do", re.IGNORECASE
)
ANY_ENGLISH = re.compile(
    r"\b(?:calendar|diary|agenda|planner|schedul|to-?do|to do|list|task|note|down|remind|forget|pencil|block|remember|"
    r"event|meeting|appointment|entry|save the date)",
    re.IGNORECASE,
)
WITH_MOMENT: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            rf"{_LEAD}(?:book|booking|arrange|arranging|plan|set up|setting up|organi[sz]e|"
            rf"fix|put in|reserve|get)\s(?:me\s|us\s)?(?:an?\s(?:slot (?:for|with)\s)"
            rf"?|the\s|some\s)"
        ),
        rf"{_LEAD}reserve\s(?=[^;!?\n]{{1,60}}?\bfor\b)",
    )
)
MOVED = re.compile(
    r"(?:改[期约]?|[挪移调换推延]|提前|推迟|延期|延后|顺延|推后|往[前后][挪推提延]|调整|变更|改签|重新安排|换)(?:一?下)?[到至成为在于]"
    r"|(?:推迟|提前|延后|延期|顺延|推后|往[前后][挪推提延移]?)了?(?:[0-9]{1,3}|[一二三四五六七八九十两半几])个?半?(?:天|周|小时|星期|礼拜|月|分钟)"
    r"|\b(?:delay|postpone|push back|put off|bring forward|move)\b(?=[^,.;!?\n]{1,60}?\bby (?:an?|"
    r"one|two|three|\d+|half) )"
    r"|(?:改期?|[挪移调换推延]|提前|推迟|延期|延后|顺延|往[前后][挪推提延])(?=[0-9一二三四五六七八九十两半明后今周星下本个])"
    r"|\b(?:move|moving|moved|shift|shifted|push(?:ed)?(?: back)?|reschedul(?:e|"
    r"ed|ing)|postpone[d]?|delay(?:ed)?|bring|pull|put off|put (?:it|that|this)"
    r" off|rebook|slide|swap|"
    r"change|switch|make (?:it|that|this))\b",
    re.IGNORECASE,
)
NEW_MOMENT = re.compile(
    (
        r"(?:到|至|成|为|在|于|\b(?:to|until|till|for|it|that|this|forward|back)"
        r")\W*(?:(?:the|at|on|to)\s)?$"
    ),
    re.IGNORECASE,
)
AMOUNT = re.compile(
    (
        r"了?(?:[0-9]{1,3}|[一二三四五六七八九十两半几])个?半?(?:天|周|小时|星期|礼拜|月|分钟)$|\bby (?:an?|"
        r"one|two|three|\d+|half)(?: an?)?(?: (?:day|week|hour|month|minute)s?)?"
    ),
    re.IGNORECASE,
)
PARTS = re.compile(
    (
        r"['’]s\b|(?:[上下]午|早上|晚上|中午|傍晚|凌晨|清晨|夜里|全天|一整天|整天|晚|早)(?![会餐班宴间报])|"
        r"\s?(?:in the )?\b(?:early |late )?(?:morning|afternoon|evening|night|noon)\b"
    ),
    re.IGNORECASE,
)

BEFORE = re.compile(
    r"(?>(?:[\s,，、:：\-–—.。\"“”‘’'「」]|请|麻烦|劳驾|拜托|帮忙|帮我们?|给我们?|替我们?|为我们?|能不能|能否|"
    r"可不可以|可否|可以|能(?=帮|把|给|请)|我们?(?=[要想得有跟和])|那(?=[个就])|"
    r"[把将]|先(?=\S{2})|再(?=[加记写把])|要开一?[个场]?|要(?![求点闻素害])|想(?!象)|需要|得(?=\S{2})"
    r"|原定|原本|原来|本来|会有|有一?[个场次条]|有(?!氧|机|关|限|效|没)|约了|约(?=\S{2}[吃见谈])|"
    r"开一?[个场]|去(?=\S{2})|[在于的](?=\S)|一?[个场条项次](?![人别性股体])|时间|就(?=[在是])|是(?=\S)|叫做?|名为|名叫|关于|到期|之?前|新的?(?=\S{2}会)|"
    r"\b(?:please|kindly|(?:could|can|would|will)(?: you)?(?: mind)?(?=\s)|may i|"
    r"i['’]d like (?:you )?to|i(?: would)? like to|i want to|i['’]ve got to|"
    r"i have got to|i have to|"
    r"i (?:can(?:no|['’])t|won['’]t|could not|couldn['’]t)(?: be able to)? (?:make|"
    r"attend|come to|join|do)(?= (?:it|the|my|our|to)\b)|(?:the )?(?:time|date|"
    r"start|day) of|"
    r"(?:an?|one|two|three|half an|[0-9]+) (?:hours?|minutes?|h|min)(?: of)?|"
    r"i need to|we need to|we have to|i must|i should|i need|we need|i['’]ve got|"
    r"i have got|i have|i['’]m(?: having)?|i am(?: having)?|am|we are|we['’]re|"
    r"i['’]ve|we['’]ve got|we have|we['’]re having|i got|"
    r"there(?:['’]s| is| are| will be|['’]ll be)|it['’]s|it is|that['’]s|is|"
    r"an?|the|my|our|some|another|new|for|to|of|at|on|in|by|from|with(?=\s(?:the\s)"
    r"?(?:title|name))|and|so|also|just|it|that|this|as|called|named|titled|"
    r"title|saying|"
    r"me|us|i|we|down|up|due|starting|entry|event|item|will|have|be)(?![\w'’-]))+)",
    re.IGNORECASE,
)
AFTER = re.compile(
    r"(?:[\s,，、:：\-–—.。!！?？\"“”‘’'「」]|定在|定于|安排在|安排到|排在|约在|放在|时间(?:是|定|就|在)?|"
    r"截止|到期|之前|以前|前|行吗|好吗|可以吗|行不行|好不好|[吧呗呢啊吗呀哦就]|这件?事情?|这个|[的在于是]|(?<=\S\S)有|"
    r"(?<![需重主])要|帮我们?|麻烦你?|请|先|给我|(?<!\w)(?:on|at|in|by|for|from|is|are|was|"
    r"will be|due|to|please|thanks|thank you|it|and|so|needs?|has|have|"
    r"of|the|my|that|this|starts?|takes place|happens?|then|scheduled|planned|"
    r"set|into?|onto|called|named|forward|back|be|,))+$",
    re.IGNORECASE,
)
TOLD = re.compile(
    r"(?:时间|日期)(?:变|改|要|有|不|冲|$)|有变|变了|改了|冲突|撞|来不及|没法|不行|不方便|赶不上|太[早晚]|我?[取来去参赶到]\S{0,2}不了|"
    r"(?<!会)(?:得|要|需要|应该)(?:改|挪|推|延|换|调|提|往)|"
    r"\b(?:has to|have to|needs? to|must|should|can(?:no|['’])t|could|clash\w*|"
    r"conflict\w*|overlap\w*|starts?|begins?|is|was|are|were|will|does|doesn['’]t|"
    r"won['’]t|"
    r"gets?|got|ends?|runs?|takes?|collides?|falls?)\b",
    re.IGNORECASE,
)
BEGINS = re.compile(
    r"\s(?:is|are|takes place|starts?|begins?|leaves?|departs?|happens?|will be|was|has been|is going to be)$",
    re.IGNORECASE,
)
# What is booked elsewhere.
ELSEWHERE = re.compile(
    (
        r"\b(?:flights?|hotels?|tables?|taxis?|cabs?|tickets?|trains?|rooms?|restaurants?|"
        r"pizzas?|alarms?|cars?)\b|机票|酒店|车票|火车|高铁|餐厅|外卖|房间|闹钟|打车|门票"
    ),
    re.IGNORECASE,
)
GENERIC = re.compile(
    (
        r"(?:我们?|咱们|i|we|me|日程|会议?|安排|行程|时间|事情?|活动|那个|这个|它|entry|event|meeting|appointment|"
        r"slot|thing|one|it|that|this|date|time|day|category|分类|类别|them|forward|"
        r"back|off|which|one|task|to-?do|reminder|待办|任务|一条|somewhere|something)s?"
    ),
    re.IGNORECASE,
)
STOP = re.compile(r"[,，。;；!！?？\n]|\.(?=\s|$)|\s[-–—]\s")
WHERE = re.compile(
    rf"\b(?:to|in|into|on|onto)\s{_MY}(?:{_CALENDAR}|{_TODO})\b|\bdown\b(?=\s(?:in|on|to)\b)", re.IGNORECASE
)
