"""Takes secrets and phone numbers out of whatever is about to be logged."""

import math
import re
from collections.abc import Mapping
from typing import Any

MASK = "***"
MAX_DEPTH, MAX_ITEMS, MAX_CHARS, MAX_BITS = 8, 200, 20_000, 256

_SECRET_KEY = re.compile(
    r"passw(?:or)?d|passphrase|passcode|pwd|secret|credential|cookie|authorization|privatekey|apikey|accesskey|token$|jwt"
    r"|密码|口令|密钥|令牌|验证码"
)
_NOISE_IN_KEY = re.compile(r"[\W_]+")

_NAMED = (
    r"(?:pass[-_ ]?(?:word|wd|phrase|code)|pwd|secret(?:[-_ ]?key)?|(?:api|access|private)[-_ ]?key|authorization"
    r"|token(?!s)|密码|口令|密钥|令牌|验证码)"
)
_JOINED = r"[\\\"'”’」]{0,4}\s{0,3}(?:=>|[:：=＝]|\b(?:is|was|are|to)\b|是|为|改成|改为|设为)\s{0,3}"
_VALUE = r"(?:\\{0,3}\"(?:\\.|[^\"\\])*\"?|\\{0,3}'(?:\\.|[^'\\])*'?|[“「][^”」]*[”」]?|[^\s，。；、“”「」（）]+)"
# Case-folded, and without the letter i, whose other forms do not fold to it.
_NAMES = ("pass", "pwd", "secret", "key", "author", "token", "密码", "口令", "密钥", "令牌", "验证码")
# What a text must hold, case-folded, for a pattern to be worth looking for; the pattern; what is put in its place.
_TEXTS = (
    # The credentials of a URL: everything up to the last @ of its authority.
    (("://",), re.compile(r"(://)[^\s/@\"']{0,200}:[^\s/\"']{1,500}@"), rf"\1{MASK}@"),
    (
        ("bearer", "bas"),
        re.compile(r"(?<![a-z])(Bearer|Basic)(\s{1,3})[\w.~+/=-]+", re.IGNORECASE | re.ASCII),
        rf"\1\2{MASK}",
    ),
    (_NAMES, re.compile(rf"({_NAMED}{_JOINED})(?!(?:Bearer|Basic)\s){_VALUE}", re.IGNORECASE), rf"\1{MASK}"),
    # "密码 abc123", "password abc123": no verb, but what follows looks like one.
    (_NAMES, re.compile(rf"({_NAMED}\s{{0,3}})(?=[!-~]{{0,40}}\d)[!-~]{{4,}}", re.IGNORECASE), rf"\1{MASK}"),
    (
        ("sk-", "sk_", "ghp", "gho", "github_pat", "xox"),
        re.compile(r"(?<![A-Za-z0-9])(?:sk|ghp|gho|github_pat|xox[abp])[-_][!-~]{6,}"),
        MASK,
    ),
    (("akia",), re.compile(r"(?<![A-Za-z0-9])AKIA[0-9A-Z]{12,}"), MASK),
    (
        ("eyj",),
        re.compile(r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"),
        MASK,
    ),
)
_SIGNS = tuple({sign for signs, _, _ in _TEXTS for sign in signs})
# An identifier comes first, so that digits inside one are never taken for a phone number.
_PHONE_HEAD = re.compile(r"[1１][3-9３-９]\d")
_PHONES = re.compile(
    r"(?P<uuid>(?<![0-9a-fA-F])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9a-fA-F]))"
    r"|(?<!\d)(?P<country>(?:\+|00)?86[-\s]?)?(?P<head>[1１][3-9３-９]\d)[-\s]?\d{4}[-\s]?(?P<tail>\d{4})(?!\d)"
)


def mask_text(text: str) -> str:
    """`text` with secrets as `***` and mainland mobile numbers as `138****5678`.

    It errs on the side of hiding: a word that stands where a password would is hidden as well. Only the first
    `MAX_CHARS` characters are kept.
    """
    if len(text) > MAX_CHARS:
        text = text[:MAX_CHARS] + "…"
    text = text.encode("utf-8", "backslashreplace").decode()
    folded = text.casefold()
    if _is_suspect(folded):
        for signs, pattern, put in _TEXTS:
            if any(sign in folded for sign in signs):
                text = pattern.sub(put, text)
    return _PHONES.sub(_half_hidden, text) if _PHONE_HEAD.search(text) else text


def mask(value: Any, depth: int = 0) -> Any:
    """The same value in plain JSON types, with nothing secret in it; what is too deep or too long is cut."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _mask_number(value)
    if isinstance(value, str):
        return mask_text(value)
    if depth >= MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        return _mask_mapping(value, depth)
    if isinstance(value, list | tuple | set | frozenset):
        return [mask(item, depth + 1) for item in list(value)[:MAX_ITEMS]]
    return mask_text(_shown(value))


def is_secret_key(key: str) -> bool:
    """Whether what stands under this name is hidden whole. `input_tokens` is a count and no secret."""
    return _SECRET_KEY.search(_NOISE_IN_KEY.sub("", key).lower()) is not None


def _mask_mapping(value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    masked: dict[str, Any] = {}
    for key, item in list(value.items())[:MAX_ITEMS]:
        name = key if isinstance(key, str) else _shown(key)
        hidden = is_secret_key(name) and item is not None and not isinstance(item, bool)
        masked[mask_text(name)] = MASK if hidden else mask(item, depth + 1)
    return masked


def _mask_number(value: float) -> int | float | str:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        return "a very large number"
    text = str(value)
    masked = mask_text(text)
    return value if masked == text and math.isfinite(value) else masked


def _shown(value: object) -> str:
    try:
        return str(value) if isinstance(value, BaseException) else repr(value)
    except Exception as error:  # noqa: BLE001 - a line of the log must not fail on somebody's broken __repr__
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"


def _is_suspect(folded: str) -> bool:
    for sign in _SIGNS:  # noqa: SIM110 - every text of every line comes by here, and a generator costs as much again
        if sign in folded:
            return True
    return False


def _half_hidden(match: re.Match[str]) -> str:
    return match["uuid"] or f"{match['country'] or ''}{match['head']}****{match['tail']}"
