"""Relations demanded of candidates."""

from __future__ import annotations

import pytest
import torch

from assay.checks.metamorphic_relations import CHECK, _compared, _Pair, demand_relations
from assay.data.observations.call import CallSeen, Mix
from assay.data.settings import Level
from assay.data.workload import Workload
from assay.exam.answer_origin import AskedCall
from assay.exam.exam import ContentKey, Exam
from assay.exam.script import ScriptedCall
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.numerics.expectation import OutputExpectation
from assay.sandbox.host.planned_call import AT_START
from assay.sandbox.host.raw_call import RawCall, RawOutput
from assay.tasks.relations.relation import Relation
from checks.contexts import context_of
from support.script_runs import STEADY, script_run
from support.small_exam import make_exam
from support.walls import Room

FLIPPED = Relation("flipped", tuple, lambda outputs: tuple(o.flip(0) for o in outputs))
TRUTH = torch.arange(4.0)


@pytest.fixture(scope="module")
def exam() -> Exam:
    return make_exam(Level.STANDARD)


def _asked(truth: torch.Tensor) -> AskedCall:
    expected = OutputExpectation(
        name="output",
        shape=tuple(truth.shape),
        dtype=torch.float32,
        truth=truth.double(),
        budget=torch.full(truth.shape, 0.125, dtype=torch.float64),
        reference=truth,
    )
    return AskedCall(
        ScriptedCall(ContentKey(0), AT_START, None, Mix.PLAIN), FIRST_WEIGHTS, (expected,)
    )


def _raw(tensor: torch.Tensor) -> RawCall:
    return RawCall(None, (RawOutput(None, tensor),), (), (), False)


@pytest.mark.parametrize(
    ("off", "used", "holds"), [(0.0, 0.0, True), (0.125, 0.5, True), (0.5, 2.0, False)]
)
def test_answers_are_compared_within_both_budgets(off: float, used: float, holds: bool) -> None:
    pair = _Pair(FLIPPED, _asked(TRUTH), _asked(TRUTH.flip(0)))
    (seen,) = _compared(pair, _raw(TRUTH), _raw(TRUTH.flip(0) + off))
    assert seen.budget_used == pytest.approx(used) and seen.holds is holds
    assert bool(seen.text) is not holds


def test_a_right_candidate_keeps_every_relation_and_each_is_tried_once(
    rooms: dict[str, Room], exam: Exam
) -> None:
    with script_run(rooms, exam, STEADY) as script_runner:
        found = demand_relations(context_of(script_runner))
        assert not CHECK.is_due(context_of(script_runner, Level.QUICK))
    assert {"permuted", "split", "joined"} <= set(exam.relations)
    names = [seen.name for seen in found]
    assert len(names) == len(set(names)) >= 4 and set(names) <= set(exam.relations)
    assert all(seen.holds for seen in found)
    calls = [o for o in script_runner.observations if isinstance(o, CallSeen)]
    assert len(calls) == 2 * min(6, len(exam.relations)) and script_runner.wrong == 0


def test_a_candidate_that_knows_its_batch_is_found(rooms: dict[str, Room]) -> None:
    """Right on every batch of the plan, wrong on any other."""
    own, few = (Workload(axes={"rows": n, "cols": 32}, dtype="float32") for n in (16, 7))
    exam = make_exam(Level.STANDARD, workloads=(own.model_copy(update={"own": True}), few))
    body = "return y if x.shape[0] in (16, 7) else y + 1"
    with script_run(rooms, exam, body) as script_runner:
        demand_relations(context_of(script_runner, Level.FULL))
    assert script_runner.wrong > 0
