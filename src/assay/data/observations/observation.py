"""Observation: what was seen, before anyone decides what it means.

The rule: an observation states a fact and who vouches for it. Facts the judge saw from outside may
acquit and convict; facts the child told of itself (`testimony=True`) may only convict.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from assay.data.evidence import Evidence
from assay.data.limits import Peaks, TaskLimits
from assay.data.observations.call import CallSeen
from assay.data.observations.compilation import CompileReport
from assay.data.observations.explanation import Explanation
from assay.data.observations.kernels import KernelsSeen
from assay.data.observations.measurement import ClockRound, MachineLoad, Measurement
from assay.data.record import Record
from assay.data.workload import Category


class BuildSeen(Record):
    """The candidate was imported, constructed and called once on throw-away inputs."""

    kind: Literal["build"] = "build"
    ok: bool
    phase: str  # "import", "construct", "first call"
    seconds: float
    cached: bool
    log: str = ""


class EndCause(StrEnum):
    """Why the candidate's process is no longer there."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    PROCESS_LIMIT = "process_limit"
    BROKE_PROTOCOL = "broke_protocol"


class EndSeen(Record):
    """The candidate's process ended before we ended it."""

    kind: Literal["end"] = "end"
    cause: EndCause
    code: int = 0  # exit code or signal number
    phase: str
    workload: int | None = None
    guard_page: bool = False  # the same call survives once no input lies at a guard page
    optional: bool = False  # a stretched size that did not fit the time: it costs coverage alone
    text: str = ""


class StateSeen(Record):
    """Process-wide state differs from what it was before the candidate came (testimony)."""

    kind: Literal["state"] = "state"
    when: str
    name: str
    detail: str = ""


class OpCount(Record):
    """One library operation, how often it was dispatched, and the most elements it touched."""

    name: str
    calls: int
    elements: int


class DispatchSeen(Record):
    """Library operations dispatched during logged calls (testimony)."""

    kind: Literal["dispatch"] = "dispatch"
    logged_calls: int
    own_elements: int  # elements of the largest tensor that goes in or must come out
    small_elements: int = 0  # of the largest input that is small beside others at the own shape
    result_elements: int = 0  # of the largest result of such a call
    products: int = 0  # multiplications for each element of the result, at the own shape
    ops: tuple[OpCount, ...]


class ProvenanceSeen(Record):
    """Whose code ran while the candidate computed: samples taken from outside."""

    kind: Literal["provenance"] = "provenance"
    own: int
    library: int
    in_torch: int  # of `library`
    bystanders: int  # interpreter and data movement
    library_us: float  # library time of one call
    names: tuple[str, ...]  # libraries and operators, the most sampled first
    interpreted: bool
    passing: bool = False  # seldom, in passing, during the examination itself
    timed: bool = False  # in rounds of the stopwatch that were drawn in secret
    silenced: bool = False  # with every interpreted kernel doing nothing
    elsewhere: bool = False  # at a shape or layout other than the own one
    neutral: int = 0  # the C library and thread pools, which work for whoever calls them
    others: int = 0  # system calls and code of nobody that is known
    unseen: int = 0  # missing: of threads that ended before they could be looked at
    interpreter: int = 0  # of `bystanders`, in Python's interpreter
    interpreter_us: float = 0.0  # its time in one call
    reason: str = ""  # why there are no samples


class BuiltObject(Record):
    """One shared object that the candidate built or brought along."""

    path: str
    bytes: int
    libraries: tuple[str, ...] = ()  # it is linked with
    needs: tuple[str, ...] = ()  # computations it takes from compute libraries
    offers: tuple[str, ...] = ()  # computations it offers as such a library would
    problem: str = ""  # why it was not read


class ObjectsSeen(Record):
    """The shared objects in the scratch folder, read from outside."""

    kind: Literal["objects"] = "objects"
    objects: tuple[BuiltObject, ...] = ()
    reason: str = ""  # why they could not be looked for


class GeneratedSeen(Record):
    """What a compiler of the library wrote for the candidate: files in its scratch folder."""

    kind: Literal["generated"] = "generated"
    files: tuple[str, ...] = ()  # whose text stands in no source of the candidate
    reason: str = ""  # why they could not be looked for


class AblationSeen(Record):
    """The own workload once more, in a new process, with every interpreted kernel doing nothing."""

    kind: Literal["ablation"] = "ablation"
    answered: bool  # False where it raised, ended or could not be run: then `reason` says why
    right: bool = False  # the answer was right although no kernel ran
    launches: int = 0  # that were taken away (testimony)
    reason: str = ""


class RepetitionSeen(Record):
    """Content that is new, changed in part and the same, several times: times seen from outside."""

    kind: Literal["repetition"] = "repetition"
    first_us: tuple[float, ...] = ()
    again_us: tuple[float, ...] = ()
    new_us: tuple[float, ...] = ()  # every element of the float inputs is another one
    near_us: tuple[float, ...] = ()  # most elements are those of such a content
    fresh_us: tuple[float, ...] = ()  # every float input has changed all over
    changed_us: tuple[float, ...] = ()  # a few elements of one input have changed
    changed_inputs: tuple[int, ...] = ()  # which one, for each of those
    once_us: tuple[float, ...] = ()  # new content, of which each is then asked many times
    often_us: tuple[float, ...] = ()  # the last of those many times
    calls: int = 1  # that each time is the mean of
    reason: str = ""  # why it was not tried


class RecurrenceSeen(Record):
    """The same questions of one workload many times over: did every answer have the same bits?

    An answer whose bits are new is judged, and stands among the calls.
    """

    kind: Literal["recurrence"] = "recurrence"
    workload: int
    calls: int
    different: int = 0  # answers whose bits no answer before had, the first ones left out
    reason: str = ""  # why there were not more calls


class RelationSeen(Record):
    """Two calls that a relation found on the reference ties together."""

    kind: Literal["relation"] = "relation"
    name: str
    workload: int
    holds: bool
    budget_used: float | None = None  # how far apart, as a share of both calls' budgets
    text: str = ""  # where it does not hold


class SourceSeen(Record):
    """What the source analysis found. Nothing was run for it."""

    kind: Literal["source"] = "source"
    findings: tuple[Evidence, ...]
    closing: tuple[str, ...] = ()  # reductions that only end what kernels left in parts


class CheckSeen(Record):
    """What a check found, stated as evidence: the way of a check with no observation of its own."""

    kind: Literal["check"] = "check"
    check: str
    findings: tuple[Evidence, ...] = ()  # empty where it ran and found nothing


class LeftoverSeen(Record):
    """Alive after a call returned, counted from outside while everything stood still."""

    kind: Literal["leftover"] = "leftover"
    when: str
    processes: int
    running_threads: int = 0
    on_device: bool = False  # work of a device, seen by the judge's own having to wait
    text: str = ""


class LayersSeen(Record):
    """Which layers of the wall held on this machine."""

    kind: Literal["layers"] = "layers"
    held: tuple[str, ...]
    missing: tuple[str, ...]
    isolated: bool  # enough of them that honesty can be known
    hidden_packages: tuple[str, ...] = ()  # installed, and not shown to the candidate


class TimesSeen(Record):
    """Raw times of candidate and baselines, or why there are none."""

    kind: Literal["times"] = "times"
    measurements: tuple[Measurement, ...] = ()
    reason: str = ""
    lost: tuple[str, ...] = ()  # baselines that could not be run, `name: why`
    inside_share: float | None = None  # inside time / (outside time - null time); testimony
    clock_rounds: tuple[ClockRound, ...] = ()  # of the candidate on a CPU
    resolution_us: float = 0.0  # per call; the outside clock cannot tell a shorter time from none
    load: MachineLoad | None = None  # of a CPU
    ran_us: tuple[float, ...] = ()  # processor time of a call of the candidate, one a round
    sampled_ran_us: tuple[float, ...] = ()  # where it was looked at, without what threads may spin


class ShapeTimesSeen(Record):
    """Raw times of a shape other than the own one, or why there are none."""

    kind: Literal["shape_times"] = "shape_times"
    category: Category
    axes: dict[str, int]
    times: TimesSeen


class LimitsSeen(Record):
    """The floor of the task's own workload on the board it was timed on, or why there is none."""

    kind: Literal["limits"] = "limits"
    limits: TaskLimits | None = None
    peaks: Peaks | None = None  # of the board; there wherever the limits are
    reason: str = ""


class CompiledSeen(Record):
    """What compilers make of the candidate's kernels for the device. Nothing ran for it."""

    kind: Literal["compiled"] = "compiled"
    report: CompileReport


class CheckMissing(Record):
    """A check that could not run. Unknown never passes."""

    kind: Literal["missing"] = "missing"
    check: str
    reason: str
    essential: bool  # True where nothing may be accepted without it


class ScaledSeen(Record):
    """The task's own workload was asked at a smaller shape than its own."""

    kind: Literal["scaled"] = "scaled"
    own: dict[str, int]  # sizes of the task
    asked: dict[str, int]  # sizes of the first workload of the plan
    reason: str

    @property
    def text(self) -> str:
        """Both shapes, as far as they differ."""
        moved = {name: n for name, n in self.own.items() if self.asked[name] != n}
        return ", ".join(f"{name}={self.asked[name]} instead of {n}" for name, n in moved.items())


class FullShapeSeen(Record):
    """The own workload was asked at its own shape, on the device; the plan has a smaller one."""

    kind: Literal["full_shape"] = "full_shape"
    axes: dict[str, int]  # sizes of the task
    number: int  # of the workload, behind those of the plan
    axis: str | None  # along which answers were cut into blocks; None where they were judged whole
    blocks: int


class EvalModeSeen(Record):
    """The reference is random in training mode, so everything was asked in eval mode alone."""

    kind: Literal["eval_mode"] = "eval_mode"


class NullPassed(Record):
    """An answer that computes nothing is within the budget of every workload it was tried on."""

    kind: Literal["null_passed"] = "null_passed"
    null: str  # in words
    workloads: int  # on which it was tried


class ExplanationSeen(Record):
    """How a wrong candidate is wrong, found by shrinking in a process of its own."""

    kind: Literal["explanation"] = "explanation"
    explanation: Explanation | None = None
    reason: str = ""  # why there is none


class TaskBroken(Record):
    """The task's own reference failed."""

    kind: Literal["task_broken"] = "task_broken"
    text: str


class HostFailed(Record):
    """Our own machinery failed."""

    kind: Literal["host_failed"] = "host_failed"
    text: str


Observation = Annotated[
    CallSeen
    | BuildSeen
    | EndSeen
    | StateSeen
    | DispatchSeen
    | ProvenanceSeen
    | KernelsSeen
    | ObjectsSeen
    | AblationSeen
    | GeneratedSeen
    | RepetitionSeen
    | RecurrenceSeen
    | RelationSeen
    | SourceSeen
    | CheckSeen
    | LeftoverSeen
    | LayersSeen
    | TimesSeen
    | ShapeTimesSeen
    | LimitsSeen
    | CompiledSeen
    | CheckMissing
    | ScaledSeen
    | FullShapeSeen
    | EvalModeSeen
    | NullPassed
    | ExplanationSeen
    | TaskBroken
    | HostFailed,
    Field(discriminator="kind"),
]
