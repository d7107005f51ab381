"""ApplyReport: kernels put back into a model, with what they promised and what was measured.

The rule: a kernel that was not accepted is in no prediction and in no model. Predicted and measured
stand side by side; neither corrects the other. A kernel that the model does not call has
gained nothing, whatever was measured.
"""

from __future__ import annotations

from assay.data.observations.measurement import Timing
from assay.data.record import SCHEMA_VERSION, Record
from assay.data.verdict import Status


class AppliedKernel(Record):
    """One kernel: its verdict on the cut-out task, and its speedup over the operation."""

    task: str
    kernel: str  # path
    status: Status
    reason: str
    seconds: float  # that judging it took: its own, not since the first began
    share: float  # of the forward that the operation takes
    operation_us: float  # one call in the model, by the profile
    eager_us: float | None = None  # one call of the operation, by the judge's clock
    kernel_us: float | None = None
    speedup: float | None = None  # over the operation, by the judge's clock
    speedup_low: float | None = None
    speedup_high: float | None = None
    calls: int  # of the operation in one forward
    calls_seen: int | None = None  # of the kernel in one forward of the model; None: not counted
    used: bool  # whether it is in the model
    remark: str = ""  # why not, or what makes the prediction doubtful


class GainFound(Record):
    """A speedup of the whole model with its interval."""

    speedup: float
    low: float
    high: float


class ApplyReport(Record):
    """A model with kernels, judged as a whole."""

    schema_version: int = SCHEMA_VERSION
    model: str
    device: str
    written: str = ""  # path of the patched model; empty where no kernel was accepted
    kernels: tuple[AppliedKernel, ...]
    predicted: GainFound | None = None  # of the forward's time; on a device of its busy time
    predicted_host: GainFound | None = None  # on a device: of what a caller waits for
    status: Status | None = None  # of the whole model; None where it was not judged
    reason: str = ""
    measured: GainFound | None = None  # over eager: of the device's time where it has its own clock
    measured_host: GainFound | None = None  # over eager: of what a caller waits for
    difference_percent: float | None = None  # measured over predicted, less 1
    intervals_meet: bool | None = None  # of predicted and measured; None where one is missing
    timings: tuple[Timing, ...] = ()  # against eager, torch.compile and what else was asked for
