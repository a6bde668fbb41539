"""Decides the next tool calls, by rules or by the model, or that there is nothing more to call."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import AnyMessage
from langchain_core.messages.tool import ToolCall, tool_call
from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from models.guard import ChatModel
from models.registry import Models
from nodes.claims import Claims
from nodes.clock import now_of
from nodes.context import Context
from nodes.conversation import calls, last_round, results
from nodes.decision import decide
from nodes.permitted import Refusing, stops_for, usable_intents
from nodes.plan_by_model import ModelPlan, ModelPlanner
from nodes.plan_by_rules import RulePlan, RulePlanner
from nodes.rounds import MAX_ROUNDS, Round, answered, fresh, held_round, of_rules, opened, room
from nodes.state import UNKNOWN, State, Turn
from nodes.undoing import Plan
from tools.coercion import coerce
from tools.registry import Registry
from tools.switches import Stops, Switches


async def plan(
    state: State,
    runtime: Runtime[Context],
    *,
    catalogue: Catalogue,
    registry: Registry,
    models: Models,
    switches: Switches,
) -> State:
    so_far = Plan(state, catalogue, registry)
    if state["turn"].get("held"):
        return held_round(state, registry, broken=so_far.is_broken())
    after = await _next(state, runtime.context, so_far, models, switches)
    return after if "rounds" in after.get("turn", ()) else so_far.ended(after)


async def _next(state: State, context: Context, so_far: Plan, models: Models, switches: Switches) -> State:
    """The next round, or the plan's last word."""
    turn, catalogue, registry = state["turn"], so_far.catalogue, so_far.registry
    if settled(state["messages"]) or turn.get("left_out"):
        return {}
    if (unknown := nothing_held(state, catalogue)) is not None:
        return {"turn": unknown}
    now = await Planning(state, context, catalogue, registry, _model(turn, context, catalogue, models)).next()
    change = _change(turn, now)
    if now.prose is not None:
        return {"turn": change, "messages": [now.prose]}
    if turn["rounds"] >= MAX_ROUNDS:
        unfinished = bool(now.calls or (now.by_model and not now.model_finished))
        return {"turn": {**change, "capped": unfinished}}
    more = room(state["messages"])
    fitted = fresh((coerced(c, registry, turn, context) for c in now.calls), answered(state["messages"]))
    if len(fitted) > more:
        change["left_out"] = len(fitted) - more
    if not fitted[:more]:
        return {"turn": change}
    live = context.mode == "live"
    stops = await stops_for([call["name"] for call in fitted[:more]], registry, switches) if live else Stops()
    refusing = Refusing(
        principal=context.principal,
        catalogue=catalogue,
        registry=registry,
        stops=stops,
        recorded=context.recorded,
        now=now_of(context),
        locale=turn["locale"],
    )
    after = opened(fitted[:more], now, state, registry, refusing=refusing, broken=so_far.is_broken())
    return {**after, "turn": {**change, **after["turn"]}}


def _change(turn: Turn, now: Round) -> Turn:
    """What a round leaves behind besides its calls."""
    change = Turn(by_model=list(now.by_model), model_finished=now.model_finished)
    if now.usage is not None:
        change["usage"] = now.usage
    if now.degraded is not None:
        change["degraded"] = [now.degraded]
    if now.question is not None and turn["question"] is None:
        change["question"] = now.question
    return change


def settled(messages: Sequence[AnyMessage]) -> bool:
    """Whether the last round ends the turn: a card answers it, or a person said no."""
    answers = [m.artifact for m in last_round(messages)]
    return any(a["status"] == "rejected" for a in answers) or (bool(answers) and all(a["direct"] for a in answers))


def nothing_held(state: State, catalogue: Catalogue) -> Turn | None:
    """The turn as an honest unknown, where its only request came back empty and its intent says that this means so."""
    turn, answers = state["turn"], results(state["messages"])
    if len(turn["requests"]) != 1 or not answers:
        return None
    intent = catalogue.intents[turn["requests"][0]["intent"]]
    if intent.empty != "unknown" or any(m.artifact["data"].get("found") != 0 for m in answers):
        return None
    decision = decide("intent", [UNKNOWN], "none", f"{intent.name} holds nothing about it")
    return Turn(requests=[], decisions=[decision])


def _model(turn: Turn, context: Context, catalogue: Catalogue, models: Models) -> ChatModel | None:
    """The model that plans this turn; None where there is none, or where it has finished."""
    if turn.get("model_finished"):
        return None
    own = next((a for r in turn["requests"] if (a := catalogue.agents[r["agent"]]).model), None)
    return models.serving("plan", context.model or (own.model if own else None), own.temperature if own else None)


@dataclass(frozen=True)
class Planning:
    """One round: rules first, the model for what they leave open."""

    state: State
    context: Context
    catalogue: Catalogue
    registry: Registry
    model: ChatModel | None

    async def next(self) -> Round:
        turn = self.state["turn"]
        ruling = self._ruling(turn, with_model=self.model is not None)
        ruled = ruling.plan()
        if self.model is None or not (ruled.open or turn["by_model"]) or turn["rounds"] >= MAX_ROUNDS:
            return replace(of_rules(ruled, turn), model_finished=turn.get("model_finished", False))
        asked = await ModelPlanner(
            state=self.state,
            context=self.context,
            catalogue=self.catalogue,
            registry=self.registry,
            model=self.model,
            opened=ruled.open,
        ).plan()
        again = (coerced(call, self.registry, turn, self.context) for call in asked.calls)
        more = fresh(again, answered(self.state["messages"]))
        if not more and asked.question is None:
            return self._without_model(asked)
        return self._joined(of_rules(ruled, turn), replace(asked, calls=tuple(more)), ruled)

    def _joined(self, own: Round, asked: ModelPlan, ruled: RulePlan) -> Round:
        """Rules' calls and the model's in one round. A question of its own is its last word."""
        taken = ruled.open if asked.calls else ()
        return replace(
            own,
            calls=(*own.calls, *asked.calls),
            agents={**own.agents, **asked.agents},
            source="model" if asked.calls else "keyword",
            prompts=asked.prompts if asked.calls else "",
            question=own.question or asked.question,
            by_model=(*own.by_model, *taken),
            model_finished=asked.question is not None,
            usage=asked.usage,
        )

    def _without_model(self, asked: ModelPlan) -> Round:
        """How it goes on where the model abstained, only repeated itself, or spoke: its words count only where rules
        have nothing left to do and nothing that was to be changed is still to be changed."""
        turn = self.state["turn"]
        claims = Claims(turn, results(self.state["messages"]), self.catalogue, self.registry)
        kept = [index for index in turn["by_model"] if claims.attempted(index)]
        rest: Turn = {**turn, "by_model": kept}
        own = of_rules(self._ruling(rest, with_model=False).plan(), rest)
        heard = asked.prose if claims.hold() and not (own.calls or own.question) else None
        return replace(own, prose=heard, model_finished=True, usage=asked.usage, degraded=asked.degraded)

    def _ruling(self, turn: Turn, *, with_model: bool) -> RulePlanner:
        return RulePlanner(
            turn=turn,
            answers=results(self.state["messages"]),
            called=calls(self.state["messages"]),
            catalogue=self.catalogue,
            registry=self.registry,
            with_model=with_model,
            usable=usable_intents(self.context.principal, self.catalogue, self.registry),
        )


def coerced(call: ToolCall, registry: Registry, turn: Turn, context: Context) -> ToolCall:
    """The call with the arguments that its tool will see; one that does not fit stays, for the executor to refuse."""
    tool = registry.get(call["name"])
    if tool is None:
        return call
    fitted = coerce(tool, call["args"], now=now_of(context), locale=turn["locale"])
    good = not fitted.missing and not fitted.problems
    return tool_call(name=call["name"], args=fitted.arguments if good else call["args"], id=call["id"])
