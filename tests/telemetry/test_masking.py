"""What may not be logged is not logged, and masking itself never fails."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telemetry import masking
from telemetry.masking import MASK, MAX_CHARS, is_secret_key, mask, mask_text

SECRETS = st.from_regex(r"[A-Za-z][A-Za-z0-9_.!#%+-]{6,20}[0-9]", fullmatch=True)
PHONES = st.from_regex(r"1[3-9][0-9]{9}", fullmatch=True)
FILLER = st.text(alphabet="查订单今天 的hello，。！\n", max_size=30)
FRAMES = st.sampled_from(
    [
        "password is {}", "my password: {}", "PASSWORD={}", "passwd {}", "密码是 {}", "密码是{}", "密码：{}", "密码 {}",
        "我的口令为{}", "密钥是“{}”", "把密码改成{}", "token={}", "api_key = '{}'", 'api-key: "{}"', "secret => {}",
        '{{"password": "{}"}}', '{{\\"token\\": \\"{}\\"}}', "Authorization: Bearer {}", "Bearer {}", "sk-{}",
        "postgresql://bob:{}@db:5432/x",
    ]
)  # fmt: skip


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Holder:
    def __init__(self, secret: str) -> None:
        self.secret = secret

    def __repr__(self) -> str:
        return f"Holder(password={self.secret!r}, port=1)"


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates()
ODD = st.builds(Unshowable) | st.builds(ValueError, st.text()) | st.text(st.characters(categories=["Cs", "Cc", "Nd"]))
ANYTHING = st.recursive(
    PLAIN | ODD,
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text() | st.integers(), inner)
        | st.tuples(inner)
        | st.frozensets(st.text())
    ),
    max_leaves=30,
)


@given(ANYTHING)
def test_whatever_it_is_masking_gives_plain_json(value: Any) -> None:
    json.dumps(mask({"value": value}), allow_nan=False).encode()
    json.dumps(mask({"value": value}), allow_nan=False, ensure_ascii=False).encode()


@given(secret=SECRETS, frame=FRAMES, before=FILLER, after=FILLER)
def test_a_secret_in_a_text_is_never_left(secret: str, frame: str, before: str, after: str) -> None:
    assert secret not in mask_text(f"{before} {frame.format(secret)} {after}")


@given(
    secret=SECRETS, key=st.sampled_from(["password", "API_KEY", "x-api-key", "accessToken", "Authorization", "密码"])
)
def test_a_secret_under_its_name_is_never_left_however_deep(secret: str, key: str) -> None:
    value = {"a": [{"b": ({key: secret},)}], key: {"nested": secret}, "object": Holder(secret)}
    assert secret not in json.dumps(mask(value), ensure_ascii=False)


@given(phone=PHONES, before=FILLER, after=FILLER)
def test_a_phone_number_keeps_only_its_ends(phone: str, before: str, after: str) -> None:
    text = mask_text(before + phone + after)
    assert phone not in text
    assert f"{phone[:3]}****{phone[-4:]}" in text


@given(st.text() | st.builds(str.format, FRAMES, SECRETS))
def test_masking_twice_leaves_no_more_than_masking_once(text: str) -> None:
    assert mask_text(mask_text(text)).count(MASK) >= mask_text(text).count(MASK)


@pytest.mark.parametrize(
    ("written", "masked"),
    [
        ("13812345678", "138****5678"),
        ("电话13812345678，谢谢", "电话138****5678，谢谢"),
        ("+86 138-1234-5678", "+86 138****5678"),
        ("8613812345678", "86138****5678"),
        ("１３８１２３４５６７８", "１３８****５６７８"),
        ("订单20240307001", "订单20240307001"),
        ("1764000000123", "1764000000123"),
        ("7b1a2c3d-1381-4234-9678-138123456789", "7b1a2c3d-1381-4234-9678-138123456789"),
        ("密码忘了怎么办", "密码忘了怎么办"),
        ("max_tokens: 100", "max_tokens: 100"),
        ("the risk-assessment of task-force-two", "the risk-assessment of task-force-two"),
    ],
)
def test_what_is_masked_and_what_is_not(written: str, masked: str) -> None:
    assert mask_text(written) == masked


def test_numbers_that_are_phone_numbers_are_masked_and_others_stay_numbers() -> None:
    assert mask({"phone": 13812345678, "count": 12, "share": 0.5}) == {
        "phone": "138****5678",
        "count": 12,
        "share": 0.5,
    }


def test_a_count_of_tokens_is_no_secret() -> None:
    assert mask({"input_tokens": 5, "has_password": True, "token": None}) == {
        "input_tokens": 5,
        "has_password": True,
        "token": None,
    }
    assert is_secret_key("refresh-token")
    assert not is_secret_key("output_tokens")


def test_a_long_text_is_cut_and_quick() -> None:
    for text in ("password is " * 100_000, "1" * 1_000_000, "://" * 300_000, '"' * 1_000_000, "token\\\\" * 100_000):
        assert len(mask_text(text)) <= 2 * MAX_CHARS


def test_a_value_that_contains_itself_ends() -> None:
    knot: dict[str, Any] = {}
    knot["knot"] = knot
    assert "…" in json.dumps(mask(knot), ensure_ascii=False)


KEYWORDS = st.sampled_from(
    ["password", "PASSWORD", "paſſword", "Pass-Code", "secret\u212aey", "TO\u212aEN", "密码", "验证码", "authorization",
     "Bearer ", "BASIC ", "://", "sk-", "ghp_", "xoxb-", "AKIA", "eyJ", "is ", "=", "：", "@", "abc123def",
     "13812345678", "１３８12345678", "+86 "]
)  # fmt: skip


@given(st.lists(KEYWORDS | st.text(max_size=12), max_size=12).map("".join))
def test_looking_first_whether_there_is_anything_to_hide_hides_no_less(text: str) -> None:
    thorough = text.encode("utf-8", "backslashreplace").decode()
    for _, pattern, put in masking._TEXTS:
        thorough = pattern.sub(put, thorough)
    assert mask_text(text) == masking._PHONES.sub(masking._half_hidden, thorough)
