"""GraphLowering: a traced graph as values: what each output is, element by element.

The rule: an operation that no table knows is a ValueError that names it. Nothing is guessed.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.generators.templates.graph.pointwise_lowering import pointwise
from assay.generators.templates.graph.reduction_lowering import reduced
from assay.generators.templates.graph.tensor_value import Lowering, TensorValue, shape_of
from assay.generators.templates.graph.traced_graph import GraphNode, TracedGraph
from assay.generators.templates.graph.view_lowering import moved
from assay.generators.templates.graph.window_lowering import windowed

_NOT_COVERED = ("complex", "float8")


@dataclass(frozen=True)
class LoweredGraph:
    """The values of outputs and of inputs that are written to, in one Lowering."""

    lowering: Lowering
    outputs: tuple[TensorValue, ...]
    updated: tuple[tuple[str, TensorValue], ...]  # by the input's name


def lowered(graph: TracedGraph) -> LoweredGraph:
    """Read the graph."""
    lowering = Lowering(hints=dict(graph.hints))
    for one in graph.inputs:
        if one.fact is not None:
            _refuse_dtype(one.fact.dtype)
            value = lowering.loaded(one.name, shape_of(one.fact), one.fact.dtype)
            lowering.values[one.name] = value
    problems: dict[str, str] = {}
    for node in graph.nodes:
        try:
            lowering.values[node.name] = _value(lowering, node)
        except ValueError as problem:
            problems[node.name] = str(problem)  # counts only where an output needs it
    if unknown := [problems[name] for name in _needed(graph) if name in problems]:
        raise ValueError(unknown[0])
    return LoweredGraph(
        lowering,
        tuple(lowering.values[name] for name in graph.outputs),
        tuple((name, lowering.values[value]) for name, value in graph.updated.items()),
    )


def _value(lowering: Lowering, node: GraphNode) -> object:
    for build in (pointwise, moved, reduced, windowed):
        found = build(lowering, node)
        if found is not None:
            if isinstance(found, TensorValue):
                _refuse_dtype(found.dtype)
            return found
    raise ValueError(f"no template covers {node.op}")


def _refuse_dtype(dtype: str) -> None:
    """Of inputs, and of what a reference casts to on the way: no target can write these."""
    if any(kind in dtype for kind in _NOT_COVERED):
        raise ValueError(f"{dtype} is not covered")


def _needed(graph: TracedGraph) -> list[str]:
    """Nodes that outputs depend on, in the order of the graph."""
    nodes = {node.name: node for node in graph.nodes}
    wanted = [*graph.outputs, *graph.updated.values()]
    seen: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name not in seen and name in nodes:
            seen.add(name)
            wanted += _names([*nodes[name].args, *nodes[name].kwargs.values()])
    return [name for name in nodes if name in seen]


def _names(arguments: object) -> list[str]:
    match arguments:
        case {"node": str(name)}:
            return [name]
        case list() | tuple():
            return [name for one in arguments for name in _names(one)]
    return []
