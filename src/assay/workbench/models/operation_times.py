"""OperationTime: the time of one operation of a model, with the shapes that it was asked at.

On a device the time is that of the device's rows that the operation launched; on a CPU it is the
operation's own time, without the operations that it called.

The rule: totals are made of one kind of row, device rows on a device and host rows on a CPU. Both
together would count every kernel twice. Whose a kernel is its launch says, not its name.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.workbench.models.device_time import busy_us, exclusive_us
from assay.workbench.models.profile_rows import ProfileRow, RowKind, TensorForm

UNATTRIBUTED = "unattributed"
_MOST_COST_US = 20.0  # that a profiler costs an operation; 3 to 10 are usual


@dataclass(frozen=True)
class OperationTime:
    """One call of one operation."""

    operation: str  # `aten::addmm`
    inputs: tuple[TensorForm, ...]
    node: str  # of the traced graph; empty where it is not known
    exclusive_us: float


@dataclass(frozen=True)
class ModelTimes:
    """All operations of the profiled forwards, and how long the device was busy with them."""

    operations: tuple[OperationTime, ...]
    busy_us: float


def device_times(rows: Sequence[ProfileRow]) -> ModelTimes:
    """Of device rows alone; host rows only say whose they are."""
    hosts = [one for one in rows if one.kind is not RowKind.DEVICE and one.number]
    owners = {one.number: one for one in hosts}
    kernels = [one for one in rows if one.kind is RowKind.DEVICE]
    spans = [(one.start_us, one.end_us) for one in kernels]
    nodes = _Nodes(rows)
    found = []
    for kernel, share in zip(kernels, exclusive_us(spans), strict=True):
        owner = owners.get(kernel.launched_by) if kernel.launched_by else None
        if owner is None:
            found.append(OperationTime(UNATTRIBUTED, (), "", share))
        else:
            is_node = owner.kind is RowKind.ANNOTATION  # launched by the node's own code
            name, node = (owner.node, owner.node) if is_node else (owner.name, nodes.of(owner))
            found.append(OperationTime(name, owner.inputs, node, share))
    return ModelTimes(tuple(found), busy_us(spans))


def host_times(rows: Sequence[ProfileRow]) -> ModelTimes:
    """Of a CPU: every operation's own time, without that of the operations inside it."""
    operations = [one for one in rows if one.kind is RowKind.OPERATION]
    own = _own_times(operations)
    nodes = _Nodes(rows)
    found = tuple(
        OperationTime(row.name, row.inputs, nodes.of(row), time)
        for row, time in zip(operations, own, strict=True)
    )
    return ModelTimes(found, busy_us([(one.start_us, one.end_us) for one in operations]))


def without_profiler(times: ModelTimes, wall_us: float) -> tuple[ModelTimes, float]:
    """Without what the profiler added, and what that was for each operation, in microseconds.

    The forwards are known to take no more than `wall_us`. What the profile has beyond that is the
    profiler's, which costs every row alike: short operations lose most of their time, long ones
    next to nothing. No operation loses more than it has, nor more than a profiler ever costs: what
    is left was a slower moment of the machine, which slowed all of them in proportion.
    """
    own = sorted(one.exclusive_us for one in times.operations)
    total = sum(own)
    if total <= wall_us:
        return times, 0.0
    cost, left = 0.0, total - wall_us
    for place, shortest in enumerate(own):  # those below the cost lose all they have
        cost = left / (len(own) - place)
        if cost <= shortest:
            break
        left -= shortest
    cost = min(cost, _MOST_COST_US)
    kept = tuple(
        replace(one, exclusive_us=max(0.0, one.exclusive_us - cost)) for one in times.operations
    )
    slowed = cost == _MOST_COST_US
    busy = sum(one.exclusive_us for one in kept) if slowed else min(times.busy_us, wall_us)
    return ModelTimes(kept, busy), cost


def _own_times(rows: Sequence[ProfileRow]) -> list[float]:
    """Durations less those of the rows directly inside, on the same thread."""
    own = [one.duration_us for one in rows]
    order = sorted(range(len(rows)), key=lambda i: (rows[i].start_us, -rows[i].end_us))
    stacks: dict[int, list[int]] = defaultdict(list)
    for place in order:
        stack = stacks[rows[place].thread]
        while stack and not rows[stack[-1]].holds(rows[place]):
            stack.pop()
        if stack:
            own[stack[-1]] -= rows[place].duration_us
        stack.append(place)
    return [max(0.0, one) for one in own]


class _Nodes:
    """Which node's annotation holds a row; annotations of one thread do not nest."""

    def __init__(self, rows: Sequence[ProfileRow]) -> None:
        self._by_thread: dict[int, list[ProfileRow]] = defaultdict(list)
        for one in sorted(rows, key=lambda row: row.start_us):
            if one.kind is RowKind.ANNOTATION:
                self._by_thread[one.thread].append(one)

    def of(self, row: ProfileRow) -> str:
        """By bisection over the starts."""
        known = self._by_thread[row.thread]
        place = bisect_right(known, row.start_us, key=lambda one: one.start_us) - 1
        return known[place].node if place >= 0 and known[place].holds(row) else ""
