"""Tells whether words written in letters are a Chinese name: a surname and one to three syllables."""

import re
from collections.abc import Sequence

_SURNAME_WORDS = (
    "an bai bao bi cai cao chang chen cheng chu cui dai deng ding dong du duan fan fang fei feng fu gan gao ge geng "
    "gong gu guan guo han hao he hong hou hu huang huo ji jia jiang jin kang ke kong lan lei li lian liang liao lin "
    "ling liu long lou lu luo lv ma mao mei meng miao mo mu ni nie ning ouyang pan pang pei peng qi qian qiao qin "
    "qiu qu ren rong ruan sha shao shen sheng shi shu sima song su sun tan tang tao teng tian tong wan wang wei wen "
    "wu xi xia xiang xiao xie xin xing xiong xu xuan xue yan yang yao ye yi yin yu yuan yue zeng zhai zhan zhang "
    "zhao zheng zhong zhou zhu zhuang zhuge zou zuo"
)
_SURNAMES = frozenset(_SURNAME_WORDS.split())
_SYLLABLES = re.compile(
    "(?:(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?(?:iang|iong|uang|ang|eng|ing|ong|ian|iao|uai|uan|ai|an|ao|ei|en|er|ia|ie|"
    "in|iu|ou|ua|ue|ui|un|uo|a|e|i|o|u|v)){1,3}"
)
_WORDS = 2


def is_pinyin_name(words: Sequence[str]) -> bool:
    """Two words, whose first is a surname, or whose last is one behind a given name."""
    if len(words) != _WORDS:
        return False
    first, last = (word.lower() for word in words)
    return (first in _SURNAMES or last in _SURNAMES) and bool(
        _SYLLABLES.fullmatch(first) and _SYLLABLES.fullmatch(last)
    )
