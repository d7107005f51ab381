"""Fusion: which adjacent operations of a graph are one candidate for a kernel.

The rule: only what moves memory and multiplies nothing is joined (elementwise operations and
normalisations, whose result is as large as their largest input), and only along a value that one
hands to the next. Products stay alone. No region leaves the graph and comes back into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod

from torch.fx import Graph, Node

from assay.workbench.models.graph.python_text import is_last_use
from assay.workbench.models.graph.region import node_label
from assay.workbench.models.graph.traced_model import TracedModel, is_in_place

MOST_NODES = 24  # of one region
# Functions and methods of the same size in and out that a kernel of one pass does not do: layouts,
# copies, scans, sorts and what is random.
_APART = frozenset(
    "contiguous clone to copy_ cumsum cumprod sort flip roll dropout pad gather scatter "
    "index_select max_pool1d max_pool2d avg_pool1d avg_pool2d interpolate".split()
)


def is_memory_bound(node: Node, traced: TracedModel, multiplies: Callable[[Node], bool]) -> bool:
    """Whether a node may be joined with its neighbours."""
    if node.op not in ("call_function", "call_method") or node.name in traced.views:
        return is_harmless_change(node, traced)
    if node_label(node) in _APART or multiplies(node):
        return False
    if is_in_place(node) and not is_last_use(node):
        return False
    return _same_size(node, traced)


def is_harmless_change(node: Node, traced: TracedModel) -> bool:
    """An in-place operation on a value that nothing else reads: `relu(x, inplace=True)`."""
    if node.op != "call_function" or not is_in_place(node) or not is_last_use(node):
        return False
    return _same_size(node, traced)


def _same_size(node: Node, traced: TracedModel) -> bool:
    made = traced.forms[node.name]
    taken = [form for one in node.all_input_nodes for form in traced.forms[one.name]]
    if len(made) != 1 or not taken or any(not traced.forms[n.name] for n in node.all_input_nodes):
        return False
    return prod(made[0].shape) >= max(prod(one.shape) for one in taken)


def fused(graph: Graph, joins: Callable[[Node], bool]) -> list[list[Node]]:
    """Every node that computes, in groups; those that are not joined are alone."""
    nodes = [node for node in graph.nodes if node.op.startswith("call")]
    reach = _Reach(list(graph.nodes))
    groups: dict[Node, list[Node]] = {}
    for node in nodes:
        groups[node] = own = [node]
        if not joins(node):
            continue
        for giver in node.all_input_nodes:
            theirs = groups.get(giver)
            if theirs is None or theirs is own or not joins(giver):
                continue
            joined = sorted({*own, *theirs}, key=reach.order.__getitem__)
            if len(joined) <= MOST_NODES and reach.is_convex(joined):
                own = joined
                for one in joined:
                    groups[one] = joined
    return list({id(group): group for group in groups.values()}.values())


class _Reach:
    """Which nodes come after which, by the values that they hand on."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.order = {node: place for place, node in enumerate(nodes)}
        self._before: dict[Node, frozenset[Node]] = {}
        for node in nodes:
            before = set(node.all_input_nodes)
            for giver in node.all_input_nodes:
                before |= self._before[giver]
            self._before[node] = frozenset(before)

    def is_convex(self, nodes: Iterable[Node]) -> bool:
        """Whether no node outside lies on a path between two inside."""
        inside = set(nodes)
        before = set().union(*(self._before[one] for one in inside)) - inside
        return not any(self._before[one] & inside for one in before)
