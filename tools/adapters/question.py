"""Questions that the knowledge base has an answer to."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any

from demo.knowledge import Knowledge
from demo.rows import Pool
from language.normalise import normalise
from tools.adapters._phrases import Result, answered, pick
from tools.tool import Arg, ToolContext, ToolResult, tool


class AnswerRow(Result):
    """`score`: the part of the question that the entry accounts for, up to 1."""

    entry_no: int
    question: str
    answer: str
    score: float


class AnswerList(Result):
    """`found`: 0 where the knowledge base does not hold the question; `answers`: the best first."""

    found: int
    answers: list[AnswerRow]


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Knowledge]:  # noqa: ARG001  needs no settings
    yield Knowledge(pool)


@tool(group="question", permission="knowledge:read", cards=("knowledge",), result=AnswerList)
async def search_knowledge(
    ctx: ToolContext,
    *,
    question: Annotated[
        str,
        Arg(
            description="The question, in the caller's words",
            zh="问题",
            example="如何申请退款",
            aliases=("query", "text", "keyword"),
        ),
    ],
) -> ToolResult:
    """Answer a question from the knowledge base; finds nothing where the knowledge base does not hold it."""
    knowledge: Knowledge = ctx.resources
    answers = await knowledge.search(ctx.principal.tenant, normalise(question).text, locale=ctx.locale)
    result = AnswerList(found=len(answers), answers=[AnswerRow(**one.model_dump()) for one in answers])
    if not answers:
        zh, en = "知识库里没有这个问题的答案。", "The knowledge base has no answer to this question."
        return answered(pick(ctx.locale, zh, en), result)
    if len(answers) == 1:
        return answered(answers[0].answer, result, "knowledge")
    return answered("\n".join(f"{one.question}\n{one.answer}" for one in answers), result, "knowledge")
