"""HotReport: where the time of a model goes, and what of it is worth a kernel. `hot.json`.

The rule: groups are parts of one whole: every operation of the forward is in exactly one of them,
so that their times add up to the busy time. What could not be found out is None with a reason.
"""

from __future__ import annotations

from enum import StrEnum

from assay.data.record import SCHEMA_VERSION, Record
from assay.workbench.models.profile_rows import TensorForm


class GroupKind(StrEnum):
    """What a group is made of."""

    OPERATION = "operation"  # one operation at one set of shapes
    FUSION = "fusion"  # adjacent operations that only move memory: one kernel could do them
    REST = "rest"  # views and what belongs to no node


class Statement(Record):
    """One line of the model's forward, flattened: `makes = text`."""

    makes: str
    text: str
    uses: tuple[str, ...] = ()


class ForwardCode(Record):
    """The forward of a model as statements, without the modules that they were written in."""

    arguments: tuple[str, ...]  # in Python: `x`, `mask=None`
    statements: tuple[Statement, ...]
    result: str  # in Python
    result_uses: tuple[str, ...]
    made_with: str = ""  # the constructor's arguments, as a Python list: constants follow from them


class Occurrence(Record):
    """One place of the model at which a group's operations stand."""

    nodes: tuple[str, ...]  # names of the statements
    modules: tuple[str, ...] = ()  # paths of the modules that they belong to
    inputs: tuple[str, ...] = ()  # names or expressions that a kernel is handed, in order
    outputs: tuple[str, ...] = ()  # names of the statements whose results are used elsewhere


class GroupWork(Record):
    """What one call must move and compute."""

    bytes: int
    flops: dict[str, int]  # of products, by dtype


class HotGroup(Record):
    """Equal operations at equal shapes, and what a kernel for them would be worth."""

    label: str  # `add + layer_norm`
    kind: GroupKind
    operations: tuple[str, ...]  # aten operations that took the time, the longest first
    inputs: tuple[TensorForm, ...]
    calls: int  # in one forward
    time_us: float  # in one forward
    share: float  # of the forward
    work: GroupWork | None = None  # of one call
    work_reason: str = ""  # why it is not known
    limit_us: float | None = None  # least time of one call
    limit_share: float | None = None  # of the measured time, at most 1
    most_speedup: float | None = None
    gain: float = 0.0  # share of the forward that a kernel can save at most
    bound: float = 1.0  # speedup of the whole model at most
    at_limit: bool = False
    occurrences: tuple[Occurrence, ...] = ()
    task: str = ""  # the name of the cut-out task; empty where there is none
    task_reason: str = ""  # why there is none

    @property
    def unit_us(self) -> float:
        """The time of one call."""
        return self.time_us / max(1, self.calls)


class HotReport(Record):
    """A model profiled on a device."""

    schema_version: int = SCHEMA_VERSION
    model: str  # path of the file
    entry: str
    source_id: str  # hash of the file: kernels are put back into this text alone
    device: str
    device_name: str
    torch: str
    training: bool
    wall_us: float  # median of one forward
    wall_low_us: float  # 25th percentile
    wall_high_us: float  # 75th percentile
    forwards: int  # that were timed
    launch_us: float = 0.0  # of the host, to hand one forward to a device; 0 on a CPU
    busy_us: float  # of one forward: the union of its kernels' intervals
    idle_share: float
    limits_from: str  # which board or calibration the limits are made of; empty: none
    advice: tuple[str, ...] = ()
    groups: tuple[HotGroup, ...]  # the largest gain first
    forward: ForwardCode | None = None
    untraced: str = ""  # why there is no flattened forward
