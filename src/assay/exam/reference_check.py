"""Reference check: what a task's own workload must show before anybody is judged by it."""

from __future__ import annotations

from assay.data.contract import Stochastic
from assay.errors import TaskError
from assay.exam.exam import ContentKey, Draw, Exam

_CONTENTS = 2  # of the own workload on which a reference may show that it is accurate


def check_reference(exam: Exam) -> None:
    """The task's own workload must run, stay finite, repeat itself and be accurate.

    Accurate on one of two contents: a mask that a rounding tips over is bad luck, and no fault.
    """
    content_key = ContentKey(0)
    inputs, state = exam.content(content_key).inputs, exam.state(0)
    random = isinstance(exam.reference.task.contract, Stochastic)
    if not random and not exam.bound(0).repeats(inputs, state):
        raise TaskError("the reference does not repeat itself on the same inputs")
    for number in range(_CONTENTS):
        outputs = exam.expectation(ContentKey(0, Draw(number=number)))
        worst = max(outputs, key=lambda output: output.reference_error)
        if worst.in_domain:
            return
    error = f"{100 * worst.reference_error:.1f} %"
    raise TaskError(f"the reference's own error is {error} of the scale of {worst.name}")
