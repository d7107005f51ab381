"""Region work: the bytes and products of one call of a region, traced without computing.

The rule: inputs and results count once, what lies between them not at all: that is what a single
kernel would have to move.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node
from torch.fx.node import map_arg

from assay.limits.work import Work
from assay.limits.work_trace import WorkTrace
from assay.workbench.models.graph.region import KernelRegion
from assay.workbench.models.graph.traced_model import TracedModel


def work_of(region: KernelRegion, traced: TracedModel) -> Work:
    """The work of one call; what stands in the way is an exception of torch's, or a ValueError."""
    forms = region.forms(traced)
    trace = WorkTrace()
    with trace.watching(), torch.no_grad():
        given = [
            torch.empty_strided(one.shape, one.strides, dtype=getattr(torch, one.dtype))
            for one in forms
        ]
        trace.external(given)
        values: dict[Node, Any] = dict(zip(region.inputs, given, strict=True))
        for node in region.nodes:
            values[node] = _called(node, values)
        results = [values[one] for one in region.outputs]
        return trace.finish([one for one in results if isinstance(one, torch.Tensor)])


def multiplies(node: Node, traced: TracedModel) -> bool:
    """Whether a node makes products; so does one whose work cannot be traced."""
    try:
        return bool(work_of(KernelRegion.of([node]), traced).flops)
    except Exception:  # whatever torch raises on tensors without values: the node stays alone
        return True


def _called(node: Node, values: dict[Node, Any]) -> Any:
    args = map_arg(node.args, values.__getitem__)
    kwargs: Any = map_arg(node.kwargs, values.__getitem__)
    if node.op == "call_method":
        first, *rest = args
        return getattr(first, str(node.target))(*rest, **kwargs)
    if node.op == "call_function" and callable(node.target):
        return node.target(*args, **kwargs)
    raise ValueError(f"a node of kind {node.op} is not traced into")
