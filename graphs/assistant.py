"""The wiring of the desk: a bill of materials."""

from dataclasses import dataclass, field
from functools import partial

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from config.catalogue import Catalogue
from graphs.edges import after_classify, after_confirm, after_plan, after_pre_route
from language.particulars import Reader
from models.registry import Models
from nodes.chitchat import chitchat
from nodes.classify import classify
from nodes.confirm import confirm
from nodes.context import Context
from nodes.execute import execute
from nodes.extract import extract
from nodes.plan import plan
from nodes.pre_route import pre_route
from nodes.reply import reply
from nodes.similarity import Alike
from nodes.state import Input, State, Task
from nodes.undo import undo
from tools.executor import Executor
from tools.registry import Registry

Desk = CompiledStateGraph[State, Context, Input, State]


@dataclass(frozen=True, kw_only=True)
class Services:
    """The collaborators of the nodes, opened by the composition root and closed by it.

    `confirmation_minutes`: how long a question for a yes stays open. `deadline_s`: the most that one call may take.
    """

    catalogue: Catalogue
    reader: Reader
    registry: Registry
    executor: Executor
    models: Models
    alike: Alike = field(default_factory=Alike)
    confirmation_minutes: float = 10.0
    deadline_s: float = 30.0


def build_graph(services: Services, context: type[Context] = Context) -> StateGraph[State, Context, Input, State]:
    """The graph, to be compiled where the saver is opened. `context`: its defaults serve where none comes."""
    s = services
    graph = StateGraph(State, context_schema=context, input_schema=Input)
    graph.add_node("pre_route", partial(pre_route, catalogue=s.catalogue, reader=s.reader, registry=s.registry))
    graph.add_node("chitchat", partial(chitchat, catalogue=s.catalogue, registry=s.registry))
    graph.add_node(
        "classify",
        partial(classify, catalogue=s.catalogue, reader=s.reader, registry=s.registry, models=s.models, alike=s.alike),
    )
    graph.add_node("extract", partial(extract, catalogue=s.catalogue, reader=s.reader))
    graph.add_node(
        "plan",
        partial(plan, catalogue=s.catalogue, registry=s.registry, models=s.models, switches=s.executor.switches),
    )
    graph.add_node("confirm", partial(confirm, registry=s.registry, confirmation_minutes=s.confirmation_minutes))
    graph.add_node(
        "execute",
        partial(execute, executor=s.executor, catalogue=s.catalogue, deadline_s=s.deadline_s),
        input_schema=Task,
    )
    graph.add_node("undo", partial(undo, executor=s.executor, catalogue=s.catalogue, deadline_s=s.deadline_s))
    graph.add_node("reply", partial(reply, catalogue=s.catalogue, registry=s.registry, models=s.models))
    graph.add_edge(START, "pre_route")
    graph.add_conditional_edges("pre_route", after_pre_route)
    graph.add_edge("chitchat", END)
    graph.add_conditional_edges("classify", after_classify)
    graph.add_edge("extract", "plan")
    graph.add_conditional_edges("plan", after_plan, ["confirm", "execute", "undo", "reply"])
    graph.add_conditional_edges("confirm", after_confirm, ["execute"])
    graph.add_edge("execute", "plan")
    graph.add_edge("undo", "reply")
    graph.add_edge("reply", END)
    return graph
