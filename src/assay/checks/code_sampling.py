"""Code sampling: whose code runs while the candidate computes, sampled from outside.

The rule: it looks twice. Seldom, all through the examination, where no call can be told from
another; and often, afterwards, at ordinary calls without slots, so that the runner copies nothing
and all that computes is the candidate's doing. Whoever works differently when it believes itself
watched is caught by the first look, whoever is too fast for it by the second. One more short look
is at calls of another shape of nearly the own size, with odd axes, drawn in secret: whoever
computes the own shape and leaves others to a library is caught there.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from assay.checks.check_contract import Check, CheckContext
from assay.data.axis import AxisRole
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import ProvenanceSeen
from assay.data.settings import Level, Track
from assay.data.workload import Layout, Workload
from assay.errors import TaskError
from assay.exam.exam import ContentKey, Exam
from assay.exam.workloads.movement_tasks import only_moves
from assay.sampling.mapped_objects import Owner
from assay.sampling.sampler import RATE_HZ, Sampler, Samples
from assay.sandbox.host.activity import queued_ns
from assay.sandbox.host.call_content import Content
from assay.sandbox.host.changes.spread_change import all_changed
from assay.sandbox.host.deadline import own_seconds
from assay.sandbox.host.planned_call import (
    ALONE,
    BatchOptions,
    Place,
    PlannedCall,
    Spot,
    output_bytes,
)
from assay.sandbox.host.session import Session

_SELDOM_HZ = 250.0  # samples a second, all through the examination
_ENOUGH_SAMPLES = 120  # that belong to somebody
_LEAST_SAMPLES = 40  # asked for a while longer where there are fewer
_BUSY_S = 0.8  # of calls with a processor, where there are enough samples for a start
_PATIENT_S = 3.0  # of the same, where there are fewer
_WALL_S = 10.0  # by the host's clock, whatever was seen
_ELSEWHERE_S = 0.3  # of calls with a processor, at a shape other than the own one
_ELSEWHERE_SPOT = Spot("sampled elsewhere")
_AXIS_CHANGES = 0.8  # chance that an axis does there
_LAYOUT_CHANGES = 0.25
_LAYOUTS = {Layout.TRANSPOSED, Layout.STRIDED, Layout.OFFSET, Layout.SLICED, Layout.CHANNELS_LAST}
_BATCH_S = 0.1  # of calls in one batch
_MOST_CALLS = 64  # of one batch, each with a content of its own
_LEAST_MOVING = 5  # samples that say who calls the C library to copy
_SMALL = 1 << 18  # elements
_LONG_S = 2e-3  # such a call consists of computing, however few its elements are
_LIVE_BYTES = 64e6  # of contents of one batch, and of results that may be alive at once
_OPTIONS = BatchOptions(copy_each=False, poison=False, check_inputs=False)


def overlook(session: Session, interpreted: bool, examine: Callable[[], int]) -> ProvenanceSeen:
    """Look now and then while `examine`, which returns the number of calls it made, goes on."""
    sampler = code_sampler(session, _SELDOM_HZ)
    before_s, calls = session.process.waited_s, 0
    sampler.start()
    try:
        calls = examine()
    finally:
        samples = sampler.stop()
    spent_s = session.process.waited_s - before_s
    seen = provenance_seen(samples, 1e6 * spent_s / max(1, calls), interpreted)
    return seen.model_copy(update={"passing": True})


def sample_code(context: CheckContext) -> list[ProvenanceSeen]:
    """Call one of the workloads it answered until enough is seen or the time is up. Raises Lost.

    The own shape too, unless that is sampled in timed rounds.
    """
    call_s = _call_s(context, 0)
    if context.execution is Execution.INTERPRETER:
        return [_sampled(context, 0, call_s)]
    answered = context.script_runner.answered()
    workload = 0 if call_s >= _LONG_S else _informative_workload(context.exam, answered)
    found = [_sampled(context, workload, call_s if not workload else _call_s(context, workload))]
    settings = context.settings
    if workload and not settings.timing and settings.level is not Level.SMOKE:
        found.append(_sampled(context, 0, call_s))
    return found + _sampled_elsewhere(context)


def _sampled_elsewhere(context: CheckContext) -> list[ProvenanceSeen]:
    """Another shape of nearly the own size, for a moment; none below standard."""
    if context.settings.level not in (Level.STANDARD, Level.FULL):
        return []
    exam, rng = context.exam, context.exam.secret.random("elsewhere", context.candidate.name)
    answered = context.script_runner.answered()
    content = elsewhere_content(exam, elsewhere_workload(exam, answered, rng))
    if content is None:
        return []
    call = PlannedCall(0, Place(0, _ELSEWHERE_SPOT), content, ())
    call_s = context.session.run([call], _OPTIONS, context.deadline).outside_ns / 1e9
    if call_s > _ELSEWHERE_S:
        return []
    seen = _sampled(context, 0, call_s, _Look(_ELSEWHERE_S, _ELSEWHERE_S, 1.5, content))
    return [seen.model_copy(update={"elsewhere": True})]


def elsewhere_workload(exam: Exam, answered: Collection[int], rng: random.Random) -> Workload:
    """Most axes odd and down to half of their own length; now and then in a layout it answered."""
    own, axes = exam.plan.workloads[0], dict(exam.plan.workloads[0].axes)
    free = [a for a in exam.reference.axes if a.role in (AxisRole.BATCH, AxisRole.SIZE)]
    for axis in free:
        if axis.name in axes and rng.random() < _AXIS_CHANGES:
            units = rng.randint(axes[axis.name] // 2, axes[axis.name]) // axis.multiple_of
            length = axis.multiple_of * (units - (units + 1) % 2)
            axes[axis.name] = max(axis.low, axis.multiple_of, length)
    known = {exam.plan.workloads[number].layout for number in answered}
    layouts = sorted(known & _LAYOUTS - {own.layout})
    strided = layouts and rng.random() < _LAYOUT_CHANGES
    layout = rng.choice(layouts) if strided else own.layout
    return own.model_copy(update={"axes": axes, "layout": layout, "own": False})


def elsewhere_content(exam: Exam, workload: Workload) -> Content | None:
    """Drawn for it; None where it is the own shape, or no shape of the task."""
    own = exam.plan.workloads[0]
    if (workload.axes, workload.layout) == (own.axes, own.layout):
        return None
    try:
        with exam.turn:
            content = Content(exam.reference.draw(workload, exam.secret.seed("elsewhere content")))
            exam.bound(0)(content.inputs, exam.state(0), wide=False)
    except (TaskError, RuntimeError, ValueError, IndexError):  # axes that hang together
        return None
    return content


def _call_s(context: CheckContext, workload: int) -> float:
    call = PlannedCall(0, Place(workload, ALONE), context.exam.content(ContentKey(workload)), ())
    return context.session.run([call], _OPTIONS, context.deadline).outside_ns / 1e9


@dataclass(frozen=True)
class _Look:
    """How long is looked: seconds of calls with a processor, and by the host's clock."""

    busy_s: float = _BUSY_S  # where there are enough samples for a start
    patient_s: float = _PATIENT_S  # where there are fewer
    wall_s: float = _WALL_S
    content: Content | None = None  # other than the workload's, and no larger


_USUAL = _Look()


def _sampled(
    context: CheckContext, workload: int, call_s: float, look: _Look = _USUAL
) -> ProvenanceSeen:
    """Calls of contents and places of their own, as timed ones are."""
    exam, session, deadline = context.exam, context.session, context.deadline
    content, moves = look.content or exam.content(ContentKey(workload)), only_moves(exam)
    contents = _Contents(content, exam.secret.random(f"sampling {workload}"))
    size = sum(output_bytes(exam.expectation(ContentKey(workload))))
    size += sum(tensor.nbytes for tensor in content.tensors)
    most = max(1, min(_MOST_CALLS, int(_LIVE_BYTES / max(1, size))))
    sampler = code_sampler(session, RATE_HZ)
    busy_s, own_s, made, ends = 0.0, 0.0, 0, time.monotonic() + look.wall_s
    sampler.start()
    try:
        while (seen := sampler.attributed + moves * sampler.moving) < _ENOUGH_SAMPLES:
            if own_s > (look.busy_s if seen > _LEAST_SAMPLES else look.patient_s):
                break
            length = max(1, min(most, int(_BATCH_S / call_s)))
            batch = [_asked(workload, i, one) for i, one in enumerate(contents.batch(length))]
            before = _queued(session)
            batch_s = session.run(batch, _OPTIONS, deadline).outside_ns / 1e9
            busy_s, own_s = busy_s + batch_s, own_s + _own_s(batch_s, before, _queued(session))
            made += length
            call_s = busy_s / made  # the very first call paid for new pages
            if time.monotonic() > ends:
                break
    finally:
        samples = sampler.stop()
    interpreted = context.execution is Execution.INTERPRETER
    call_us = 1e6 * busy_s / max(1, made)
    found = provenance_seen(samples, call_us, interpreted)
    return _with_movement(found, samples, call_us) if moves else found


def _with_movement(seen: ProvenanceSeen, samples: Samples, call_us: float) -> ProvenanceSeen:
    """With copies by the library as its computing: here the runner itself copies nothing.

    Most of a copy is the C library's memcpy. Its samples go to those who were seen moving beside
    it, in proportion.
    """
    moved, mine = samples.of(Owner.MOVEMENT), samples.of(Owner.OWN)
    if moved + mine < _LEAST_MOVING:
        return seen
    theirs = round(seen.neutral * moved / (moved + mine))
    neutral_us = samples.thread_us(Owner.NEUTRAL, call_us) * theirs / max(1, seen.neutral)
    update = {
        "own": seen.own + seen.neutral - theirs,
        "library": seen.library + moved + theirs,
        "in_torch": seen.in_torch + moved + theirs,
        "bystanders": seen.bystanders - moved,
        "neutral": 0,
        "library_us": seen.library_us + samples.thread_us(Owner.MOVEMENT, call_us) + neutral_us,
        "names": (*seen.names, "torch's copies")[-5:] if moved else seen.names,
    }
    return seen.model_copy(update=update)


def _queued(session: Session) -> dict[str, int]:
    pids = session.process.processes.pids()
    return {path: ns for pid in pids for path, ns in queued_ns(pid).items()}


def _own_s(elapsed_s: float, before: dict[str, int], after: dict[str, int]) -> float:
    """Time in which the thread that waited most had a processor: only then it is sampled.

    Of an honest kernel beside ten busy processes on two cores 3 s of calls gave 7 samples.
    """
    grown = [ns - before[path] for path, ns in after.items() if path in before]
    return own_seconds(elapsed_s, max(grown, default=0) / 1e9)


def code_sampler(session: Session, rate_hz: float) -> Sampler:
    """Of all processes of a session."""
    process, tree = session.process, session.process.processes
    return Sampler(tree.pids, process.scratch_path, rate_hz, tree.turn, process.thawed)


class _Contents:
    """Contents of sampled calls: no two of a batch alike, and a quarter of each batch is new.

    To make all of them new takes ten times as long as the calls of an elementwise kernel.
    """

    def __init__(self, first: Content, rng: random.Random) -> None:
        self._kept = [all_changed(first, rng)]
        self._rng = rng

    def batch(self, length: int) -> list[Content]:
        """So many, in a random order."""
        while len(self._kept) < length:
            self._kept.append(all_changed(self._kept[-1], self._rng))
        for place in self._rng.sample(range(length), -(-length // 4)):
            self._kept[place] = all_changed(self._kept[place], self._rng)
        return self._rng.sample(self._kept[:length], length)


def _asked(workload: int, number: int, content: Content) -> PlannedCall:
    return PlannedCall(0, Place(workload, Spot(f"sampled {number}")), content, ())


def _informative_workload(exam: Exam, answered: Collection[int]) -> int:
    """The workload whose calls consist of computing: the own one, unless it is small.

    Of a small shape nearly all time is the interpreter's, which speaks for nobody. The smallest of
    the large ones does, else the largest.
    """
    asked = [w for w in exam.main_workloads if w == 0 or w in answered]
    sizes = {w: exam.content(ContentKey(w)).elements for w in asked}
    if sizes[0] >= _SMALL:
        return 0
    large = [w for w in asked if sizes[w] >= _SMALL]
    return min(large, key=lambda w: sizes[w]) if large else max(asked, key=lambda w: sizes[w])


def provenance_seen(samples: Samples, call_us: float, interpreted: bool) -> ProvenanceSeen:
    """The record of samples that were taken over calls of so many microseconds."""
    names = (*samples.objects[:2], *samples.operators[:3])
    return ProvenanceSeen(
        own=samples.of(Owner.OWN),
        library=samples.of(Owner.LIBRARY),
        in_torch=samples.in_torch,
        bystanders=samples.of(Owner.INTERPRETER) + samples.of(Owner.MOVEMENT),
        library_us=samples.thread_us(Owner.LIBRARY, call_us),
        interpreter=samples.of(Owner.INTERPRETER),
        interpreter_us=samples.thread_us(Owner.INTERPRETER, call_us),
        neutral=samples.of(Owner.NEUTRAL),
        others=samples.unowned,
        unseen=samples.unseen,
        names=tuple(name for name, _ in names),
        interpreted=interpreted,
        reason=samples.reason,
    )


CHECK = Check(
    CheckDeclaration(
        name="code sampling",
        text="Is the code that computes the candidate's own, or a library's?",
        kinds=(EvidenceKind.DELEGATION,),
        cost=Cost.CALLS,
        most=f"calls for {_BUSY_S:g} s, for {_PATIENT_S:g} s where few samples come; "
        f"at another shape {_ELSEWHERE_S:g} s",
        stages=(CheckStage.CALLED,),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.CPU, Execution.INTERPRETER),
    ),
    sample_code,
)
