"""The knowledge base answers what it holds, however it is asked, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoints.database import Pool
from demo.knowledge import Entry, Knowledge, best, rate

HELD = {
    "如何申请退款？": ["怎么退款", "我想退款", "怎样退钱", "你好，请问我昨天买的课程不想要了，怎么退款呢，谢谢",
        "how do I get a refund", "can I get my money back", "What's your refund policy?"],
    "退款多久到账？": ["退款要几天", "退款什么时候到账", "when will I receive my refund"],
    "怎么开发票？": ["发票怎么开", "可以开发票吗", "I need an invoice"],
    "下单后多久发货？": ["多久能发货", "when will my order ship"],
    "在哪里查看物流？": ["怎么查快递", "where can I track my package"],
    "怎么修改收货地址？": ["收货地址填错了怎么办", "how to change my address"],
    "怎么取消订单？": ["订单怎么取消", "can I cancel my order"],
    "支持哪些付款方式？": ["可以用微信支付吗", "do you take credit cards"],
    "付款失败怎么办？": ["支付不成功", "my payment was declined"],
    "优惠券过期了怎么办？": ["优惠券过期", "my coupon expired"],
    "忘记密码怎么办？": ["密码忘了", "怎么重置密码", "how do I reset my password"],
    "怎么联系客服？": ["客服电话是多少", "can I talk to a human", "怎么转人工", "how can I contact support"],
    "客服几点上班？": ["客服上班时间", "what are your customer service hours"],
    "可以分期付款吗？": ["支持分期吗"],
    "收到的教材破损怎么办？": ["书破了怎么办", "the book arrived damaged"],
}  # fmt: skip
NOT_HELD = [
    "为什么人会说话", "今天天气怎么样", "怎么做红烧肉", "退休金怎么算", "讲个笑话", "为什么天是蓝的", "怎么学游泳",
    "怎么修电脑", "谁是总统",
    "手机多少钱", "股票怎么开户", "怎么用手机拍照", "密码学是什么", "如何注册公司", "订单这个词用英语怎么说",
    "退款这个词用英语怎么说",
    "写一首关于退款的诗", "what is the capital of France", "how do I fix my car", "why do people speak",
    "why do humans speak",
    "how long does it take to fly to Mars",
    "how do I return to the moon", "how to take a photo with my phone", "", "   ", "？？？", "怎么", "how", "you",
]  # fmt: skip


@pytest.fixture
def knowledge(business: Pool) -> Knowledge:
    return Knowledge(business)


@pytest.mark.parametrize(("held", "asked"), [(held, asked) for held, ways in HELD.items() for asked in ways])
async def test_a_held_question_is_found_however_it_is_asked(knowledge: Knowledge, held: str, asked: str) -> None:
    found = await knowledge.search("acme", asked, locale="zh")
    assert found[0].question == held
    assert found[0].score <= 1


@pytest.mark.parametrize("asked", NOT_HELD)
async def test_what_is_not_held_is_not_answered(knowledge: Knowledge, asked: str) -> None:
    assert await knowledge.search("acme", asked, locale="zh") == []


@pytest.mark.parametrize("locale", ["zh", "en"])
@pytest.mark.parametrize("tenant", ["acme", "globex"])
async def test_every_entry_is_found_by_its_own_question(business: Pool, tenant: str, locale: str) -> None:
    async with business.connection() as connection:
        query = "select question_zh as zh, question_en as en from demo.knowledge where tenant_id = %s"
        questions = [row[locale] for row in await (await connection.execute(query, (tenant,))).fetchall()]
    for question in questions:
        found = await Knowledge(business).search(tenant, question, locale=locale)
        assert found[0].question == question


async def test_the_answer_is_the_tenants_own_in_the_language_asked_for(knowledge: Knowledge) -> None:
    acme = (await knowledge.search("acme", "怎么退款", locale="en"))[0]
    globex = (await knowledge.search("globex", "怎么退款", locale="en"))[0]
    assert acme.question == globex.question == "How do I get a refund?"
    assert "7 days" in acme.answer
    assert "30 days" in globex.answer
    assert await knowledge.search("nobody", "怎么退款", locale="zh") == []


async def test_a_long_question_is_cut(knowledge: Knowledge) -> None:
    assert (await knowledge.search("acme", "怎么退款" + "啊" * 100_000, locale="zh"))[0].question == "如何申请退款？"


ENTRY = Entry(
    entry_no=1,
    question_zh="退款多久到账？",
    answer_zh="三天",
    question_en="How long does a refund take?",
    answer_en="Three days",
    needs=["退款|refund", "多久|how long"],
    also="",
)


@given(st.text(max_size=60))
def test_any_text_has_a_score_between_0_and_1(text: str) -> None:
    assert 0 <= rate(ENTRY, text) <= 1
    best([ENTRY], text, locale="zh", limit=3)


def test_every_need_has_to_be_named() -> None:
    assert rate(ENTRY, "退款多久") == 1
    assert rate(ENTRY, "退款") == 0
    assert rate(ENTRY, "多久") == 0


def test_a_latin_word_counts_as_a_whole_only() -> None:
    assert rate(ENTRY, "how long do refunds take") == 1
    assert rate(ENTRY, "how long is prefunding") == 0
