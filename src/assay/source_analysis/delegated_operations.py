"""Dispatched library operations: what each does, and which of them are delegated computation.

The rule: size decides. A library operation that touches more than a sixteenth of the elements of
the largest tensor that goes in or comes out is part of the work; one of up to 64 elements is
bookkeeping, whatever it is called. Between the two stands a note. A sixteenth, because a two-stage
reduction that leaves one partial value for each block of 16 or more elements, and a per-row
statistic of rows of 16 or more, are bookkeeping, while an elementwise step over the result is not.
Matrix products, convolutions, attention, normalisations, activations and losses are judged against
64 elements alone: a kernel that needs one of them needs it for its work. A logsumexp or a norm may
end a reduction in two stages, so it is judged like a sum. A sum that the source shows to close what
kernels left in parts (split-K) is judged against the task's dense products too: beside K products
for each element of the result, a few parts of it are bookkeeping.
"""

from __future__ import annotations

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import DispatchSeen, OpCount
from assay.data.settings import Track
from assay.source_analysis.tables.operation_names import (
    OpRole,
    called_role,
    finishes_reduction,
    is_heavy,
)

__all__ = ["OpRole", "delegated", "role"]

TINY_ELEMENTS = 64
WORK_SHARE = 16  # an output of more than own_elements / 16 is part of the work

_HARMLESS_NAMESPACES = frozenset({"profiler", "debugprims", "rngprims", "_c10d_functional", "c10d"})
_LIBRARY_NAMESPACES = frozenset(
    """aten prims quantized quantized_decomposed mkldnn mkldnn_prepacked mkl onednn _quantized
    torch_scatter torch_sparse torchvision xformers flash_attn sparse cudnn""".split()
)


def namespace_and_base(name: str) -> tuple[str, str]:
    """Split "aten.mm.default" or "aten::mm.out" into ("aten", "mm")."""
    parts = name.replace("::", ".").split(".")
    if len(parts) == 1:
        return "aten", parts[0]
    return parts[0], parts[1]


def role(name: str) -> OpRole:
    """What a dispatched operator does to data.

    An operator of a namespace that no library owns was registered by the candidate: calling it is
    calling its own code, so it counts as bookkeeping here.
    """
    namespace, base = namespace_and_base(name)
    if namespace in _HARMLESS_NAMESPACES or namespace not in _LIBRARY_NAMESPACES:
        return OpRole.BOOKKEEPING
    return called_role(base)


def delegated(
    dispatch: DispatchSeen, track: Track, closing: tuple[str, ...] = ()
) -> tuple[Evidence, ...]:
    """Evidence of library computation in logged calls. Testimony: it convicts, never acquits.

    `closing` names reductions that the source shows to end what kernels left in parts.
    """
    if track is Track.OPEN:
        return ()
    seen = [op for op in dispatch.ops if role(op.name) is OpRole.COMPUTE]
    return tuple(_evidence(op, dispatch, track, closing) for op in seen)


def _evidence(
    op: OpCount, dispatch: DispatchSeen, track: Track, closing: tuple[str, ...]
) -> Evidence:
    text = (
        f"{op.name} was dispatched {op.calls} times in {dispatch.logged_calls} calls, "
        f"on up to {op.elements} elements (the call's largest tensor has {dispatch.own_elements})."
    )
    closes = namespace_and_base(op.name)[1] in closing
    small = closes and _parts(op, dispatch) * WORK_SHARE <= dispatch.products
    convicts = track is Track.KERNEL and not small and _is_work(op, dispatch)
    severity = Severity.CONVICTS if convicts else Severity.NOTE
    return Evidence(kind=EvidenceKind.DELEGATION, severity=severity, where=op.name, text=text)


def _parts(op: OpCount, dispatch: DispatchSeen) -> float:
    """How many elements it touches for each element of the result, over all of one call."""
    times = max(1.0, op.calls / max(1, dispatch.logged_calls))
    return times * op.elements / max(1, dispatch.result_elements)


def _is_work(op: OpCount, dispatch: DispatchSeen) -> bool:
    """True where the operation is part of the work rather than bookkeeping.

    Where the largest tensor is itself tiny, a heavy operation over all of it still counts. An input
    that is small at the own shape (labels beside logits) stays small where a shape is odd.
    """
    base, own_elements = namespace_and_base(op.name)[1], dispatch.own_elements
    if is_heavy(base) and not finishes_reduction(base):
        return op.elements > min(TINY_ELEMENTS, max(own_elements - 1, 0))
    return op.elements > max(TINY_ELEMENTS, own_elements / WORK_SHARE, dispatch.small_elements)
