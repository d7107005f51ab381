"""Operation log: the library operations of logged calls, as the child tells them."""

from __future__ import annotations

from collections.abc import Sequence

from assay.data.observation import DispatchSeen, OpCount
from assay.worker.host.planned_call import PlannedCall
from assay.worker.host.reading import Expectations

_MOST_LINES = 500


def dispatched(
    statement: str,
    planned: Sequence[PlannedCall],
    expected: Sequence[Expectations],
    products: int = 0,
) -> DispatchSeen:
    """One line an operation: name, calls, elements; what is not of this form is left out."""
    ops = []
    for line in statement.splitlines()[:_MOST_LINES]:
        name, _, rest = line.partition("\t")
        calls, _, elements = rest.partition("\t")
        if calls.isdigit() and elements.isdigit():
            ops.append(OpCount(name=name[:120], calls=int(calls), elements=int(elements)))
    largest_in = max((t.numel() for p in planned for t in p.content.tensors), default=0)
    largest_out = max((e.reference.numel() for one in expected for e in one), default=0)
    return DispatchSeen(
        logged_calls=len(planned),
        own_elements=max(largest_in, largest_out),
        result_elements=largest_out,
        products=products,
        ops=tuple(ops),
    )
