"""FittingShape: the largest shape that an interpreter computes in time.

The rule: foreseen from calls of smaller shapes, the smallest first, each in a process of its own.
Work grows with the sizes by a power between one and two (rows of a softmax, tiles of a product), so
the next shape is chosen by the power 1.5, and measured before it is believed.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.data.workload import Workload
from assay.exam.candidate_build import Builder
from assay.exam.exam import Exam
from assay.exam.memory_need import halved, needed_bytes
from assay.run_context import RunContext
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session

_GROWTH = 1.5  # power of the bytes by which a call's time is foreseen
_SMALLEST_BYTES = 1 << 17  # of the judge's memory: about nine hundred elements
_MOST_STEPS = 48  # from one shape to the next smaller one


@dataclass(frozen=True)
class _Shape:
    """Sizes, and what judging them takes."""

    axes: dict[str, int]
    needed_bytes: int


def fitting_shape(run_context: RunContext, candidate: Candidate, limit_s: float) -> Workload | None:
    """The own workload at the largest shape whose call fits; None where not even the smallest."""
    shapes = _shapes(run_context)
    place: int | None = len(shapes) - 1
    best: Workload | None = None
    while place is not None and place > 0:  # the first one is known to be too slow
        workload = run_context.exam.plan.workloads[0].model_copy(
            update={"axes": shapes[place].axes}
        )
        seconds = _call_s(run_context, candidate, workload, limit_s)
        if seconds is None:
            break
        best, place = workload, _next(shapes, place, seconds, limit_s)
    return best


def _shapes(run_context: RunContext) -> list[_Shape]:
    """The own sizes, then ever smaller ones."""
    reference, axes = run_context.exam.reference, run_context.exam.plan.workloads[0].axes
    found = [_Shape(axes, needed_bytes(reference, axes))]
    while found[-1].needed_bytes > _SMALLEST_BYTES and len(found) < _MOST_STEPS:
        smaller = halved(reference, found[-1].axes)
        if smaller is None:
            break
        found.append(_Shape(smaller, needed_bytes(reference, smaller)))
    return found


def _next(shapes: list[_Shape], place: int, seconds: float, limit_s: float) -> int | None:
    """The largest shape that is foreseen to fit; None where it is no larger than this one."""
    now = shapes[place].needed_bytes
    for larger in range(1, place):
        if seconds * (shapes[larger].needed_bytes / now) ** _GROWTH <= limit_s:
            return larger
    return None


def _call_s(
    run_context: RunContext, candidate: Candidate, workload: Workload, limit_s: float
) -> float | None:
    """What one call takes; None where it does not fit, or does not return."""
    with run_context.exam.turn:
        plan = run_context.exam.plan.model_copy(update={"workloads": (workload,)})
        exam = Exam(run_context.exam.reference, plan)
        exam.turn = run_context.exam.turn
    session = Session(run_context.wall)
    try:
        built = Builder(exam, None).build(session, candidate, run_context.settings, limit_s)
    except ProcessLost:
        return None
    finally:
        session.close()
    return built.first_call_s if built.seen.ok else None
