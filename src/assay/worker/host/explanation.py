"""Explanation: is a wrong answer the right answer to something else?

The rule: it only adds to what was seen. An answer that belongs to another call, or to weights that
are gone, is still wrong; it says more.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from assay.data.call import CallSeen, OutputSeen
from assay.measure.matching import is_telling, same_answer
from assay.worker.host.exam import Exam
from assay.worker.host.raw_call import RawCall
from assay.worker.host.reading import Expectations, tensors_of
from assay.worker.host.script import ScriptedCall
from assay.worker.host.tones import FIRST_WEIGHTS, SEEDED, Weights
from assay.worker.spoiling import is_spoiled

_REMEMBERED = 12  # earlier calls whose truth a wrong answer is compared with


@dataclass
class Asked:
    """One call that was made, with what it had to return."""

    scripted: ScriptedCall
    version: Weights
    expectations: Expectations


@dataclass(frozen=True)
class Bait:
    """An answer of which spoiled copies lay in free memory."""

    answer: RawCall
    seed: int

    def is_taken(self, index: int, tensor: torch.Tensor) -> bool:
        """Whether this output is such a copy."""
        outputs = self.answer.outputs
        answer = outputs[index].tensor if index < len(outputs) else None
        return answer is not None and is_spoiled(tensor, answer, self.seed)


@dataclass(frozen=True)
class Surroundings:
    """The calls among which a wrong one stands."""

    one: Asked
    earlier: list[Asked]
    later: list[Asked]  # of the same batch
    baits: tuple[Bait, ...] = ()


def explain(exam: Exam, seen: CallSeen, raw: RawCall, around: Surroundings) -> CallSeen:
    """The same call, its wrong outputs marked with whose answer they are."""
    outputs = []
    for index, (output, tensor) in enumerate(zip(seen.outputs, tensors_of(raw), strict=False)):
        if output.problem is None or tensor is None or _alike(around.one, index, tensor):
            outputs.append(output)
            continue
        marked = _marked(output, index, tensor, around)
        stale = _matches_old_weights(exam, around.one, index, tensor)
        outputs.append(marked.model_copy(update={"matches_old_weights": stale}))
    return seen.model_copy(update={"outputs": tuple(outputs) or seen.outputs})


def _marked(
    output: OutputSeen, index: int, tensor: torch.Tensor, around: Surroundings
) -> OutputSeen:
    update: dict[str, object] = {}
    known = len(around.earlier)
    for back, earlier in enumerate(reversed(around.earlier[-_REMEMBERED:])):
        if not _toned(earlier, around.one) and _answers(earlier, index, tensor):
            update["matches_earlier_call"] = known - 1 - back
            break
    for ahead, other in enumerate(around.later):
        if _answers(other, index, tensor):
            update["matches_later_call"] = known + 1 + ahead
            break
    update["matches_bait"] = any(bait.is_taken(index, tensor) for bait in around.baits)
    return output.model_copy(update=update)


def _toned(earlier: Asked, one: Asked) -> bool:
    """The same content under strange weights: who ignores what they change may give that answer."""
    same = earlier.scripted.question == one.scripted.question
    return same and earlier.version != one.version and earlier.version.scaled


def _matches_old_weights(exam: Exam, one: Asked, index: int, tensor: torch.Tensor) -> bool:
    """The same content under weights the instance had before, or was constructed with."""
    instance = exam.instance_of(one.scripted.question.workload)
    if not exam.state(instance):
        return False
    older = [v for v in (SEEDED, FIRST_WEIGHTS, *one.version.before) if v != one.version]
    for version in older:
        expected = exam.expectation(one.scripted.question, version)
        if _answers(Asked(one.scripted, version, expected), index, tensor):
            return True
    return False


def _alike(one: Asked, index: int, tensor: torch.Tensor) -> bool:
    """A factor that is its own question's but for a sign says nothing about other questions."""
    expected = one.expectations[index] if index < len(one.expectations) else None
    return expected is not None and expected.equations is not None and same_answer(expected, tensor)


def _answers(asked: Asked, index: int, tensor: torch.Tensor) -> bool:
    """Whether the tensor is the right answer to that call, where that is saying something."""
    if index >= len(asked.expectations):
        return False
    expected = asked.expectations[index]
    return is_telling(expected) and same_answer(expected, tensor)
