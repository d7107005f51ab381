"""A wrong call is read once more with what the reference says on the device, and only that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from assay.data.observations.call import CallSeen, Mix
from assay.data.settings import Level
from assay.data.workload import Distribution
from assay.exam.answer_origin import AskedCall
from assay.exam.call_reading import CallFacts
from assay.exam.exam import ContentKey, Exam
from assay.exam.on_device.device_reading import read_asked
from assay.exam.on_device.device_reference import DeviceReference
from assay.exam.script import ScriptedCall
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.sandbox.host.planned_call import ALONE
from assay.sandbox.host.raw_call import RawCall, RawOutput
from assay.sandbox.protocol.replies import CallCode, CallRecord, OutputFlag, OutputHeader
from assay.tasks.catalog import resolve
from assay.tasks.references.bound_reference import BoundReference
from assay.tasks.references.reference import Reference
from support.small_exam import TASK, make_exam

GOOD = (
    OutputFlag.TENSOR
    | OutputFlag.EXACT_TYPE
    | OutputFlag.BARE
    | OutputFlag.ON_DEVICE
    | OutputFlag.FITS
)
FACTS = CallFacts()


class OtherDevice:
    """Where the same number stands in the place of everything that is not finite."""

    def __init__(self, number: float) -> None:
        self.number, self.asked = number, 0

    def answers(
        self, bound: BoundReference, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]
    ) -> dict[str, torch.Tensor]:
        """What the host says, changed."""
        self.asked += 1
        found = bound(inputs, state, wide=False)
        changed = [t.nan_to_num(self.number, self.number) for t in found.tensors]
        return dict(zip(found.names, changed, strict=True))


class Overflowing(OtherDevice):
    """Where everything overflows."""

    def answers(
        self, bound: BoundReference, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]
    ) -> dict[str, torch.Tensor]:
        """Infinities."""
        found = super().answers(bound, inputs, state)
        return {name: torch.full_like(value, torch.inf) for name, value in found.items()}


def exam_of(distribution: Distribution) -> Exam:
    own = Reference(TASK).own_workload()
    workload = own.model_copy(update={"distribution": distribution, "own": False})
    return make_exam(Level.QUICK, workloads=(own, workload))


class LastOfEqual(OtherDevice):
    """Where the last of equal elements is chosen, and not the first."""

    def answers(
        self, bound: BoundReference, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]
    ) -> dict[str, torch.Tensor]:
        """Of the columns in reverse, with the load of each expert back in its place."""
        self.asked += 1
        found = bound([inputs[0].flip(-1)], state, wide=False)
        shares, load = found.tensors
        return dict(zip(found.names, (shares, load.flip(-1)), strict=True))


def routing_exam() -> Exam:
    """`moe_routing` at the sizes and values where an H200 chose other experts."""
    task = resolve("moe_routing")
    own = Reference(task).own_workload()
    sizes = {"axes": {"tokens": 17, "experts": 32}, "own": False}
    workload = own.model_copy(update={**sizes, "distribution": Distribution.TIES})
    return make_exam(Level.QUICK, task, (own, workload))


def right_answer(exam: Exam, workload: int = 1) -> torch.Tensor:
    inputs = exam.content(ContentKey(workload)).inputs
    (answer,) = exam.bound(0)(inputs, exam.state(0), wide=False).tensors
    return answer


def read(exam: Exam, answer: torch.Tensor, workload: int = 1) -> CallSeen:
    return read_all(exam, (answer,), workload)


def read_all(exam: Exam, answers: Sequence[torch.Tensor], workload: int = 1) -> CallSeen:
    key = ContentKey(workload)
    expectations = exam.expectation(key)
    scripted = ScriptedCall(key, ALONE, FIRST_WEIGHTS, Mix.PLAIN)
    outputs = tuple(
        RawOutput(OutputHeader("float32", tuple(one.shape), GOOD, one.nbytes), one)
        for one in answers
    )
    record = CallRecord(CallCode.RETURNED, len(outputs), 1000, "")
    raw = RawCall(record, outputs, (), (), True)
    return read_asked(exam, raw, AskedCall(scripted, FIRST_WEIGHTS, expectations), FACTS)


def is_right(seen: CallSeen) -> bool:
    return not any(output.problem for output in seen.outputs)


def test_where_the_device_drops_a_nan_so_may_a_candidate() -> None:
    exam = exam_of(Distribution.NAN)
    dropped = right_answer(exam).nan_to_num(3.0)
    assert not is_right(read(exam, dropped))
    exam.device = OtherDevice(5.0)
    assert is_right(read(exam, dropped))
    assert is_right(read(exam, right_answer(exam)))


def test_experts_of_equal_scores_may_be_others_on_every_device() -> None:
    exam, device = routing_exam(), LastOfEqual(0.0)
    inputs = exam.content(ContentKey(1)).inputs
    bound, state = exam.bound(exam.instance_of(1)), exam.state(exam.instance_of(1))
    shares, load = bound(inputs, state, wide=False).tensors
    chosen = tuple(device.answers(bound, inputs, state).values())
    assert not torch.equal(chosen[1], load)  # the scores are equal, and others are chosen
    for asked in (exam.device, device):
        exam.device = asked
        assert is_right(read_all(exam, chosen))
        assert is_right(read_all(exam, (shares, load)))
        assert not is_right(read_all(exam, (chosen[0] + 0.25, chosen[1])))
    shares, load = bound(exam.content(ContentKey(0)).inputs, state, wide=False).tensors
    assert is_right(read_all(exam, (shares, load), workload=0))
    load[0] += 1.0  # no scores are equal there
    assert not is_right(read_all(exam, (shares, load), workload=0))


def test_other_elements_stay_wrong() -> None:
    exam = exam_of(Distribution.NAN)
    exam.device = OtherDevice(5.0)
    assert not is_right(read(exam, right_answer(exam).nan_to_num(3.0) + 1.0))
    assert not is_right(read(exam, torch.full_like(right_answer(exam), torch.nan)))


def test_the_device_is_asked_once_and_not_about_right_answers() -> None:
    exam, device = exam_of(Distribution.NAN), OtherDevice(5.0)
    exam.device = device
    read(exam, right_answer(exam))
    assert device.asked == 0
    for _ in range(3):
        read(exam, right_answer(exam) + 1.0)
    assert device.asked == 1


def test_own_values_are_never_excused() -> None:
    exam, device = exam_of(Distribution.LARGE), Overflowing(0.0)
    exam.device = device
    infinite = torch.full_like(right_answer(exam, 0), torch.inf)
    assert not is_right(read(exam, infinite, workload=0))
    assert device.asked == 0


def test_ordinary_values_may_overflow_where_the_device_does_but_not_be_another_number() -> None:
    exam = exam_of(Distribution.LARGE)
    exam.device = Overflowing(0.0)
    assert is_right(read(exam, torch.full_like(right_answer(exam), torch.inf)))
    assert not is_right(read(exam, right_answer(exam) * 1.5))


def test_a_copy_elsewhere_answers_as_the_reference_does() -> None:
    exam = exam_of(Distribution.NAN)
    inputs = [exam.content(ContentKey(1)).inputs[0].t().contiguous().t()]
    device = DeviceReference(TASK.id, "cpu", tf32=False)
    found = device.answers(exam.bound(0), inputs, exam.state(0))
    (answer,) = found.values()
    torch.testing.assert_close(answer, right_answer(exam), equal_nan=True)


def test_who_does_not_run_there_has_no_answers() -> None:
    exam = exam_of(Distribution.NAN)
    device = DeviceReference(TASK.id, "meta", tf32=False)
    inputs = exam.content(ContentKey(1)).inputs
    assert device.answers(exam.bound(0), inputs, exam.state(0)) == {}
