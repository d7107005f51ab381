"""TracedModel: a module as a graph of torch functions, with the forms of all tensors in it.

Modules of torch.nn are traced into, so that their weights are values of the graph like any other.
Those whose forward asks questions about its input stay whole: batch normalisation in eval mode is
written as its function, any other is an opaque node.

The rule: tracing is tried, never forced. A model that cannot be traced is profiled all the same,
operation by operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, Interpreter, Node, Tracer
from torch.fx.graph_module import GraphModule
from torch.utils._pytree import tree_leaves

from assay.workbench.models.graph.python_text import IN_PLACE
from assay.workbench.models.profile_rows import NODE_PREFIX, TensorForm

_OPAQUE = (
    torch.nn.MultiheadAttention,
    torch.nn.TransformerEncoderLayer,
    torch.nn.TransformerDecoderLayer,
    torch.nn.RNNBase,
    torch.nn.RNNCellBase,
)


class _FunctionTracer(Tracer):
    """Traces into modules of torch.nn."""

    def is_leaf_module(self, m: torch.nn.Module, module_qualified_name: str) -> bool:
        """Only those that cannot be traced."""
        return isinstance(m, _OPAQUE)

    def call_module(
        self,
        m: torch.nn.Module,
        forward: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Batch normalisation checks its input's dimensions, which a proxy does not have."""
        if isinstance(m, torch.nn.modules.batchnorm._BatchNorm) and not m.training:
            return torch.nn.functional.batch_norm(
                args[0], m.running_mean, m.running_var, m.weight, m.bias, False, 0.0, m.eps
            )
        return super().call_module(m, forward, args, kwargs)


@dataclass(frozen=True)
class ValueRange:
    """What was seen of an input's values: enough to draw others like it."""

    least: float
    most: float
    spread: float


@dataclass(frozen=True)
class TracedModel:
    """The graph, with the form of what each node makes."""

    module: GraphModule
    forms: Mapping[str, tuple[TensorForm, ...]]  # by node; empty where it makes no tensor
    ranges: Mapping[str, ValueRange]  # of single tensors
    views: frozenset[str]  # nodes whose result lies in the memory of an argument

    @property
    def graph(self) -> Graph:
        """The nodes, in order."""
        return self.module.graph


def traced(model: torch.nn.Module, inputs: Sequence[Any]) -> TracedModel:
    """Trace, then run once to see the tensors. What stands in the way is any exception."""
    graph = _FunctionTracer().trace(model)
    _without_unused(graph)
    module = GraphModule(model, graph)
    seen = _FormsRun(module)
    with torch.no_grad():
        seen.run(*inputs)
    return TracedModel(module, seen.forms, seen.ranges, frozenset(seen.views))


def _without_unused(graph: Graph) -> None:
    """Nodes that nothing uses; an in-place method is used even where its result is not."""
    graph.eliminate_dead_code(
        lambda node: node.op in ("placeholder", "output") or is_in_place(node)
    )


def is_in_place(node: Node) -> bool:
    """Whether the node may change an argument."""
    if node.op == "call_method":
        name = str(node.target)
        return name.endswith("_") and not name.startswith("__")
    if node.op == "call_function" and node.kwargs.get("inplace") is True:
        return True
    if node.target in IN_PLACE:
        return True
    name = getattr(node.target, "__name__", "") if node.op == "call_function" else ""
    return (name.endswith("_") and not name.startswith("_")) or "out" in node.kwargs


class _FormsRun(Interpreter):
    """Runs the graph, and notes the form of every result."""

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.forms: dict[str, tuple[TensorForm, ...]] = {}
        self.ranges: dict[str, ValueRange] = {}
        self.views: set[str] = set()

    def run_node(self, n: Node) -> Any:
        """One node."""
        made = super().run_node(n)
        tensors = [one for one in tree_leaves(made) if isinstance(one, torch.Tensor)]
        self.forms[n.name] = tuple(map(form_of, tensors))
        if isinstance(made, torch.Tensor) and made.numel():
            self.ranges[n.name] = _range(made)
        places = {one.untyped_storage().data_ptr() for one in self._taken(n)}
        if not tensors or any(one.untyped_storage().data_ptr() in places for one in tensors):
            self.views.add(n.name)
        return made

    def _taken(self, node: Node) -> list[torch.Tensor]:
        taken = [self.env[one] for one in node.all_input_nodes if one in self.env]
        return [one for one in tree_leaves(taken) if isinstance(one, torch.Tensor)]


def form_of(tensor: torch.Tensor) -> TensorForm:
    """The form of one tensor."""
    return TensorForm(
        shape=tuple(tensor.shape),
        dtype=str(tensor.dtype).removeprefix("torch."),
        strides=tuple(tensor.stride()),
    )


def _range(tensor: torch.Tensor) -> ValueRange:
    if tensor.is_complex():
        return ValueRange(-1.0, 1.0, 1.0)
    wide = tensor.detach().double()
    spread = float(wide.std()) if wide.numel() > 1 else 0.0
    return ValueRange(float(wide.min()), float(wide.max()), spread)


class AnnotatedRun(Interpreter):
    """Runs the graph with every node inside an annotation, for a profiler to see."""

    def run_node(self, n: Node) -> Any:
        """One node, named."""
        if n.op in ("placeholder", "output", "get_attr"):
            return super().run_node(n)
        with torch.profiler.record_function(NODE_PREFIX + n.name):
            return super().run_node(n)
