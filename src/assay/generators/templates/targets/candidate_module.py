"""CandidateModule: the Python file of a candidate around the kernels of a plan.

The rule: inputs are checked before any kernel sees them: a shape, a dtype, a size or a constant
that the plan was not made for raises an error. The reference's constructor stays, so weights have
their names.
"""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.data.task import Task
from assay.generators.dynamo_source import source_expression
from assay.generators.model_module import ModelModule
from assay.generators.templates.config_space import ConfigSpace, Point
from assay.generators.templates.graph.expression import ElementLoad, IndexValue, every
from assay.generators.templates.graph.symbolic_size import parse_size, python_text
from assay.generators.templates.graph.traced_graph import TracedGraph
from assay.generators.templates.stage import (
    ElementStage,
    Loop,
    ProductStage,
    RowStage,
    Stage,
    expressions_of,
    stores_of,
)
from assay.generators.templates.stage_plan import StagePlan
from assay.python_tree import module_tree

_LEAST = re.compile(r"s\d+ >= [0-2]")
_SYMBOL = re.compile(r"\bs\d+\b")

CHECKS = """
def require(tensor, shape, dtype):
    if tuple(tensor.shape) != tuple(shape):
        raise ValueError(f"this kernel was not written for the shape {tuple(tensor.shape)}")
    if tensor.dtype != dtype:
        raise TypeError(f"this kernel was written for {dtype}")
    if tensor.numel() >= 2**31:
        raise ValueError("this kernel counts places in 32 bits")
    return tensor.detach().contiguous()
"""


@dataclass(frozen=True)
class PlannedTask:
    """A task, its graph and its stages."""

    task: Task
    graph: TracedGraph
    plan: StagePlan
    stages: tuple[Stage, ...]  # of the plan, with joined loops

    @property
    def memory(self) -> dict[str, str]:
        """The dtype of each buffer and input."""
        found = {one.name: one.fact.dtype for one in self.graph.inputs if one.fact is not None}
        return found | {name: one.dtype for name, one in self.plan.buffers.items()}


class Target(ABC):
    """A language that stages can be written in."""

    language: str

    @abstractmethod
    def space(self, planned: PlannedTask) -> ConfigSpace:
        """The parameters of the templates that the task needs."""

    @abstractmethod
    def text(self, planned: PlannedTask, point: Point) -> str:
        """The candidate's file at one point of the space."""


def stage_buffers(stage: Stage) -> tuple[str, ...]:
    """Inputs and buffers that a stage reads or writes."""
    read = [one.buffer for one in every(expressions_of(stage)) if isinstance(one, ElementLoad)]
    return tuple(dict.fromkeys([*read, *(one.buffer for one in stores_of(stage))]))


def written_buffers(stage: Stage) -> frozenset[str]:
    """Those that it writes."""
    return frozenset(one.buffer for one in stores_of(stage))


def loops_of(stage: Stage) -> tuple[Loop, ...]:
    """All loops of a stage."""
    match stage:
        case ElementStage():
            return stage.loops
        case RowStage():
            return (*stage.rows, *stage.columns)
        case ProductStage():
            return (*stage.batch, stage.m, stage.n, stage.k)


def stage_sizes(stage: Stage) -> tuple[str, ...]:
    """Names of sizes that a stage needs."""
    found: set[Any] = set()
    hidden: set[Any] = {one.variable for one in loops_of(stage)}
    for loop in loops_of(stage):
        found |= loop.size.free_symbols
    for store in stores_of(stage):
        found |= store.offset.free_symbols
    for one in every(expressions_of(stage)):
        if isinstance(one, ElementLoad | IndexValue):
            found |= (one.offset if isinstance(one, ElementLoad) else one.index).free_symbols
            hidden |= {name for name, _ in one.computed}
    return tuple(sorted(str(one) for one in found - hidden))


def module_text(
    planned: PlannedTask, title: str, head: Sequence[str], kernels: str, launches: Sequence[str]
) -> str:
    """The whole file."""
    model = ModelModule(planned.task.source, planned.task.entry)
    model.replace_forward([*_given(planned), *_allocated(planned), *launches, *_returned(planned)])
    parts = [
        f'"""{title}"""',
        "\n".join(head),
        _without_unused(model.text(with_title=False)),
        CHECKS.strip("\n"),
        kernels,
    ]
    return "\n\n\n".join(parts) + "\n"


def _given(planned: PlannedTask) -> list[str]:
    graph = planned.graph
    known = {name: source_expression(source) for name, source in graph.sizes}
    used = {one for stage in planned.stages for one in stage_sizes(stage)}
    conditions = [one for one in graph.conditions if not _LEAST.fullmatch(one)]
    texts = [*conditions, *(s for one in graph.inputs if one.fact for s in one.fact.shape)]
    texts += [python_text(s) for one in planned.plan.buffers.values() for s in one.shape]
    used |= {name for one in texts for name in _SYMBOL.findall(one)}
    if unknown := sorted(used - set(known)):
        raise ValueError(f"{', '.join(unknown)} is no size of an input")
    lines = [f"{name} = {known[name]}" for name in sorted(used)]
    if conditions:
        lines.append(f"if not ({' and '.join(f'({one})' for one in conditions)}):")
        lines.append("    raise ValueError('this kernel was written for other sizes or constants')")
    read = {name for stage in planned.stages for name in stage_buffers(stage)}
    for one in graph.inputs:
        if one.fact is not None:
            shape = "".join(f"{python_text(parse_size(size))}, " for size in one.fact.shape)
            value = f"require({source_expression(one.source)}, ({shape}), torch.{one.fact.dtype})"
            lines.append(f"{one.name} = {value}" if one.name in read else value)
    return lines


def _allocated(planned: PlannedTask) -> list[str]:
    first = next((one for one in planned.graph.inputs if one.fact is not None), None)
    if first is None:
        raise ValueError("a task without inputs has no device")
    lines = []
    device = f"device={source_expression(first.source)}.device"
    for one in planned.plan.buffers.values():
        shape = "".join(f"{python_text(size)}, " for size in one.shape)
        lines.append(f"{one.name} = torch.empty(({shape}), dtype=torch.{one.dtype}, {device})")
    return lines


def _returned(planned: PlannedTask) -> list[str]:
    sources = {one.name: source_expression(one.source) for one in planned.graph.inputs}
    lines = [f"{sources[given]}.copy_({name})" for given, name in planned.plan.updated]
    names = planned.plan.outputs
    answer = f"({', '.join(names)},)" if planned.graph.returns_tuple else names[0]
    return [*lines, f"return {answer}"]


def _without_unused(text: str) -> str:
    """Functions that only the reference's own forward called are left out."""
    tree = module_tree(text)
    while True:
        read = {
            node.id
            for statement in tree.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        kept = [
            one
            for one in tree.body
            if not (isinstance(one, ast.FunctionDef) and one.name not in read)
            and not (isinstance(one, ast.Assign) and _assigned(one).isdisjoint(read))
        ]
        if len(kept) == len(tree.body):
            return ast.unparse(tree)
        tree.body = kept


def _assigned(node: ast.Assign) -> set[str]:
    return {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
