"""A draw on which the reference raises is not asked; the next one of the same secret is."""

from __future__ import annotations

import random

import torch

from assay.data.settings import Level
from assay.data.workload import Distribution, Workload
from assay.exam.exam import ContentKey, Draw, Exam
from assay.exam.workloads.workload_sweep import sweep
from assay.tasks.catalog import resolve
from assay.tasks.references.reference import Reference
from support.small_exam import STATELESS, TASK, make_exam

_SUM = "        return x.sum(dim=-1)"
_RAISING = "        assert float(x[0, 0].abs()) > 0.6\n"
_INPUTS = "    return [torch.randn(rows, cols)]"
_OWN_INPUTS = "    x = torch.randn(rows, cols)\n    x[0, 0] = 2.0\n    return [x]"
_SOURCE = STATELESS.source.replace(_SUM, _RAISING + _SUM).replace(_INPUTS, _OWN_INPUTS)
HALF = STATELESS.model_copy(update={"source": _SOURCE})
OWN = Workload(axes={"rows": 16, "cols": 32}, dtype="float32", own=True)
DRAWN = OWN.model_copy(update={"own": False, "distribution": Distribution.NORMAL})
KEYS = [ContentKey(1, Draw(number=number), variant) for number in range(8) for variant in (0, 1)]


def _exam() -> Exam:
    return make_exam(Level.QUICK, HALF, (OWN, DRAWN))


def test_only_what_the_reference_answers_is_drawn_and_the_plan_says_what_was_left_out() -> None:
    exam = _exam()
    assert all(abs(float(exam.content(key).inputs[0][0, 0])) > 0.6 for key in KEYS)
    redrawn = exam.asked_plan.redrawn
    assert 1 <= sum(one.variant == 0 for one in redrawn) < 8  # about half of eight
    assert all(one.left_out > 0 and one.workload == 1 for one in redrawn)
    assert exam.plan.redrawn == ()


def test_the_same_secret_leaves_out_the_same() -> None:
    first, second = _exam(), _exam()
    for key in reversed(KEYS):  # in another order
        second.content(key)
    for key in KEYS:
        assert torch.equal(first.content(key).inputs[0], second.content(key).inputs[0])
    key_of = [(one.draw, one.variant, one.left_out) for one in first.asked_plan.redrawn]
    assert sorted(key_of) == sorted(
        (one.draw, one.variant, one.left_out) for one in second.asked_plan.redrawn
    )


def test_what_a_view_for_one_candidate_leaves_out_of_the_shared_is_known_to_all() -> None:
    exam = _exam()
    view = exam.for_candidate("one", ())
    for key in KEYS:
        view.content(key)
    assert view.asked_plan.redrawn and view.asked_plan.redrawn == exam.asked_plan.redrawn


def test_a_reference_that_answers_all_values_is_not_run_for_a_draw() -> None:
    exam = make_exam(Level.QUICK, TASK, (OWN,))
    exam.content(ContentKey(0))
    assert not exam.reference.meaning.refuses_values
    assert not exam._left_out


def test_factorisations_refuse_values_and_are_asked_no_zeros_that_make_them_singular() -> None:
    for name in ("invert_matrix_lu", "cholesky", "solve"):
        assert Reference(resolve(name)).meaning.refuses_values, name
    planned = sweep(Reference(resolve("invert_matrix_lu")), Level.QUICK, random.Random(3))
    assert Distribution.SIGNED_ZEROS not in {one.distribution for one in planned}


def test_a_matrix_that_only_rounding_makes_indefinite_is_drawn_again() -> None:
    """A A^T / n + 1 is definite for zeros, ones and negated inputs, and not where 1 is lost."""
    task = resolve("fused_cholesky_solve")
    own = Reference(task).own_workload()
    large = {"own": False, "distribution": Distribution.LARGE, "scale": 16}
    large["axes"] = {**own.axes, "batch": 32}  # about one draw in five has such a member
    exam = make_exam(Level.QUICK, task, (own, own.model_copy(update=large)))
    for number in range(16):
        exam.expectation(ContentKey(1, Draw(number=number)))
    assert exam.asked_plan.redrawn


_LIMITED = "        assert 0.6 < float(x[0, 0]) <= 2.0\n"
_AT_LIMIT = (
    "    x = torch.randn(rows, cols)\n"
    "    x[0, 0] = 2.0 if torch.rand(()) < 0.5 else 1.5\n"
    "    return [x]"
)
_EDGE_SOURCE = STATELESS.source.replace(_SUM, _LIMITED + _SUM).replace(_INPUTS, _AT_LIMIT)
EDGE = STATELESS.model_copy(update={"source": _EDGE_SOURCE})


def test_a_draw_that_one_rounding_makes_unanswered_is_left_out() -> None:
    exam = make_exam(Level.QUICK, EDGE, (OWN,))
    keys = [ContentKey(0, Draw(number=number)) for number in range(8)]
    for key in keys:
        exam.expectation(key)  # raises where an input beside the draw is not answered
    assert exam.asked_plan.redrawn


_NEARLY_SINGULAR = STATELESS.source.replace(
    _SUM,
    "        assert float(x[0, 0]) > 0.5\n"
    "        return x.sum(dim=-1) + (x[0, 0] + 4096 - 4097) ** -1",  # rounded to 2**-11
).replace(
    _INPUTS,
    "    x = torch.randn(rows, cols)\n"
    "    x[0, 0] = 1.0 + (2.0**-8 if torch.rand(()) < 0.5 else 1.0) * (1 + 0.1 * torch.rand(()))\n"
    "    return [x]",
)
NEARLY_SINGULAR = STATELESS.model_copy(update={"source": _NEARLY_SINGULAR})


def test_a_draw_of_the_task_that_is_answered_without_accuracy_is_left_out() -> None:
    exam = make_exam(Level.QUICK, NEARLY_SINGULAR, (OWN,))
    for number in range(6):
        key = ContentKey(0, Draw(number=number))
        assert all(one.in_domain for one in exam.expectation(key))
    assert exam.asked_plan.redrawn
