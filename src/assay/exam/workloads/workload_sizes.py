"""Sizes of planned workloads: which are cheap, which are stretched, which hold nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

from assay.data.axis import AxisRole
from assay.exam.exam import ContentKey, Exam
from assay.exam.workloads.shape_points import MODEST_RESULT

_FAR = 1 << 12  # elements of an axis
_INFORMATIVE_ELEMENTS = 1 << 12  # enough that answers differ, few enough that calls are cheap
_SMALL_ELEMENTS = 1 << 16  # of a workload whose calls are cheap


def small_workloads(exam: Exam, refused: Set[int] = frozenset()) -> list[int]:
    """Cheap workloads of the own instance, those first whose size is nearest to a few thousand.

    None that the candidate refused.
    """
    return _cheap_workloads(exam, refused)[:3]


def _cheap_workloads(exam: Exam, refused: Set[int]) -> list[int]:
    chosen = [w for w in exam.main_workloads if w != 0 and w not in refused]
    sized = [(elements_of(exam, w), w) for w in chosen]
    plain = [(n, w) for n, w in sized if 0 < n <= _SMALL_ELEMENTS and _varies(exam, w)]
    distance = {w: abs(math.log2(n / _INFORMATIVE_ELEMENTS)) for n, w in plain}
    return sorted(distance, key=lambda w: distance[w])


def elements_of(exam: Exam, workload: int) -> int:
    """Of the inputs, or of what is made on the way where that is too large to be cheap."""
    given = exam.content(ContentKey(workload)).elements
    made = exam.reference.predicted_result(exam.plan.workloads[workload].axes)
    return max(given, made) if given and made > MODEST_RESULT else given


def most_items(exam: Exam, workloads: Sequence[int]) -> int:
    """That of several workloads whose batch is the largest."""
    batch = [axis.name for axis in exam.reference.axes if axis.role is AxisRole.BATCH]
    axes = {w: exam.plan.workloads[w].axes for w in workloads}
    return max(workloads, key=lambda w: math.prod(axes[w][name] for name in batch))


def small_with_rows(exam: Exam, refused: Set[int]) -> int | None:
    """The first cheap workload with several rows, else the first; None where there is none.

    One that lies as the task's own comes first: where one row is repeated, another order is none.
    """
    cheap, planned = _cheap_workloads(exam, refused), exam.plan.workloads
    batch = [axis.name for axis in exam.reference.axes if axis.role is AxisRole.BATCH]
    several = [w for w in cheap if all(planned[w].axes[name] > 1 for name in batch)]
    plain = [w for w in several if planned[w].layout is planned[0].layout]
    return next(iter([*plain, *several, *cheap]), None)


def is_stretched(exam: Exam, workload: int) -> bool:
    """One size is beyond what the task declares, or at least eight times its own and large."""
    own, axes = exam.plan.workloads[0].axes, exam.plan.workloads[workload].axes
    most = {axis.name: max(axis.high, axis.own) + axis.multiple_of for axis in exam.reference.axes}
    return any(
        n > most.get(name, n) or (n >= 8 * own.get(name, n) and n >= _FAR)
        for name, n in axes.items()
    )


def is_empty(exam: Exam, workload: int) -> bool:
    """Whether some input holds nothing."""
    return any(t.numel() == 0 for t in exam.content(ContentKey(workload)).tensors)


def _varies(exam: Exam, workload: int) -> bool:
    """Constant and planted distributions do not tell one content from the next."""
    name = exam.plan.workloads[workload].distribution.value
    return name in {"own", "normal", "uniform", "outlier"}
