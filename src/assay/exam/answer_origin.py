"""Answer origin: is a wrong answer the right answer to something else?

The rule: it only adds to what was seen. An answer that belongs to another call, or to weights that
are gone, is still wrong; it says more.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallSeen, Mix, OutputSeen
from assay.exam.call_reading import tensors_of
from assay.exam.exam import Exam
from assay.exam.script import ScriptedCall
from assay.exam.weight_scales import FIRST_WEIGHTS, SEEDED, TWIN_WEIGHTS, Weights
from assay.numerics.matching import is_informative, same_answer
from assay.sandbox.host.planned_call import Expectations
from assay.sandbox.host.raw_call import RawCall
from assay.sandbox.protocol.marked_copy import is_marked_copy

_REMEMBERED = 12  # earlier calls whose truth a wrong answer is compared with


@dataclass
class AskedCall:
    """One call that was made, with what it had to return."""

    scripted: ScriptedCall
    version: Weights
    expectations: Expectations


@dataclass(frozen=True)
class PlantedCopy:
    """An answer of which marked copies lay in free memory."""

    answer: RawCall
    seed: int

    def is_taken(self, index: int, tensor: torch.Tensor) -> bool:
        """Whether this output is such a copy."""
        outputs = self.answer.outputs
        answer = outputs[index].tensor if index < len(outputs) else None
        return answer is not None and is_marked_copy(tensor, answer, self.seed)


@dataclass(frozen=True)
class NeighbouringCalls:
    """The calls among which a wrong one stands."""

    one: AskedCall
    earlier: list[AskedCall]
    later: list[AskedCall]  # of the same batch
    planted_copies: tuple[PlantedCopy, ...] = ()


def explain(exam: Exam, seen: CallSeen, raw: RawCall, around: NeighbouringCalls) -> CallSeen:
    """The same call, its wrong outputs marked with whose answer they are.

    A remembered answer is another call's in all of its wrong outputs; one alone, such as a few
    counts, may be equal by chance.
    """
    outputs, owners = [], set[int | None]()
    for index, (output, tensor) in enumerate(zip(seen.outputs, tensors_of(raw), strict=False)):
        if output.problem is None or tensor is None or _is_own(output, around.one, index, tensor):
            outputs.append(output)
            continue
        marked = _marked(output, index, tensor, around)
        owners.add(marked.matches_earlier_call)
        stale = _matches_old_weights(exam, around.one, index, tensor)
        outputs.append(marked.model_copy(update={"matches_old_weights": stale}))
    if len(owners) > 1:
        by_chance = {"matches_earlier_call": None}
        outputs = [output.model_copy(update=by_chance) for output in outputs]
    return seen.model_copy(update={"outputs": tuple(outputs) or seen.outputs})


def _marked(
    output: OutputSeen, index: int, tensor: torch.Tensor, around: NeighbouringCalls
) -> OutputSeen:
    update: dict[str, object] = {}
    known = len(around.earlier)
    for back, earlier in enumerate(reversed(around.earlier[-_REMEMBERED:])):
        if not _scaled_otherwise(earlier, around.one) and _answers(earlier, index, tensor):
            update["matches_earlier_call"] = known - 1 - back
            break
    for ahead, other in enumerate(around.later):
        if _answers(other, index, tensor):
            update["matches_later_call"] = known + 1 + ahead
            break
    update["matches_planted_memory"] = any(
        planted_seed.is_taken(index, tensor) for planted_seed in around.planted_copies
    )
    return output.model_copy(update=update)


def _scaled_otherwise(earlier: AskedCall, one: AskedCall) -> bool:
    """The same content under strange weights: who ignores what they change may give that answer."""
    same = earlier.scripted.content_key == one.scripted.content_key
    return same and earlier.version != one.version and earlier.version.scaled


def _matches_old_weights(exam: Exam, one: AskedCall, index: int, tensor: torch.Tensor) -> bool:
    """The same content under weights the instance had before, or was constructed with."""
    instance = exam.instance_of(one.scripted.content_key.workload)
    if not exam.state(instance):
        return False
    others = (SEEDED, FIRST_WEIGHTS, *one.version.before)
    if one.scripted.mix is Mix.OTHER_INSTANCE:
        others = (*others, TWIN_WEIGHTS)
    older = [v for v in others if v != one.version]
    for version in older:
        expected = exam.expectation(one.scripted.content_key, version)
        if _answers(AskedCall(one.scripted, version, expected), index, tensor):
            return True
    return False


def _is_own(output: OutputSeen, one: AskedCall, index: int, tensor: torch.Tensor) -> bool:
    """An answer to its own question, but for a sign or a rounding, says nothing about others.

    A factor of a decomposition may have another sign; a number that is only moved must be equal.
    """
    expected = one.expectations[index] if index < len(one.expectations) else None
    of_value = output.problem is EvidenceKind.WRONG_VALUE
    if expected is None or not (of_value or expected.equations is not None):
        return False
    return same_answer(expected, tensor)


def _answers(asked: AskedCall, index: int, tensor: torch.Tensor) -> bool:
    """Whether the tensor is the right answer to that call, where that is saying something."""
    if index >= len(asked.expectations):
        return False
    expected = asked.expectations[index]
    return is_informative(expected) and same_answer(expected, tensor)
