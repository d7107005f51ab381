"""ModelAnswer: what the process that runs a model says about it, before limits are known.

The rule: text and numbers only. The process that asked never imports the model.
"""

from __future__ import annotations

from assay.data.record import Record
from assay.workbench.models.hot_report import ForwardCode, GroupKind, GroupWork, Occurrence
from assay.workbench.models.profile_rows import TensorForm


class ModelRequest(Record):
    """What to run, and for how long."""

    path: str
    entry: str
    device: str  # torch's name of it
    accelerated: bool
    training: bool = False
    seconds: float = 2.0  # of timing
    most_forwards: int = 100
    profiled_forwards: int = 5


class FoundGroup(Record):
    """Equal operations at equal shapes."""

    label: str
    kind: GroupKind
    operations: tuple[str, ...] = ()
    inputs: tuple[TensorForm, ...] = ()
    calls: int
    time_us: float  # in one forward
    work: GroupWork | None = None
    work_reason: str = ""
    occurrences: tuple[Occurrence, ...] = ()
    task_text: str = ""
    task_reason: str = ""


class ModelAnswer(Record):
    """Times and groups of one model."""

    torch: str
    wall_us: tuple[float, ...]  # one a forward
    launch_us: float = 0.0  # of the host, to hand one forward to a device; 0 on a CPU
    busy_us: float  # in one forward
    profiler_us: float = 0.0  # that the profiler cost each operation, and that was taken off
    groups: tuple[FoundGroup, ...]
    forward: ForwardCode | None = None
    untraced: str = ""


class ModelFailure(Record):
    """Why there is no answer, in one sentence."""

    reason: str
