"""Which calls a slow candidate is spared, and which nobody is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import pytest

from assay.data.observations.call import Mix
from assay.exam.exam import ContentKey, Exam
from assay.exam.pace import Allowance, Pace
from assay.exam.script import Need, ScriptedBatch, ScriptedCall
from assay.sandbox.host.planned_call import AT_START
from assay.sandbox.host.sandboxed_process import SandboxedProcess


@dataclass
class Spent:
    """A process that was waited for so long."""

    waited_s: float = 0.0


@dataclass(frozen=True)
class Contents:
    """An exam whose contents all have as many elements as the own one."""

    elements: int = 1000

    def content(self, content_key: ContentKey) -> Contents:
        return self


CALL = ScriptedCall(ContentKey(3), AT_START, None, Mix.PLAIN)
PLAIN = ScriptedBatch((CALL,), copy_each=True)


def allowance(spent_s: float, interpreted: bool = True) -> Allowance:
    pace = Pace(40.0, 10.0, own_call_s=2.0, own_elements=1000, interpreted=interpreted)
    process = Spent()
    left = Allowance(pace, cast(Exam, Contents()), cast(SandboxedProcess, process))
    process.waited_s = spent_s
    return left


def allows(batch: ScriptedBatch, spent_s: float, interpreted: bool = True) -> bool:
    return allowance(spent_s, interpreted).allows(batch, own_calls=5)


@pytest.mark.parametrize("interpreted", [False, True])
def test_nobody_is_too_slow_for_what_is_due(interpreted: bool) -> None:
    assert allows(replace(PLAIN, need=Need.DUE), spent_s=30.0, interpreted=interpreted)
    assert not allows(PLAIN, spent_s=30.0, interpreted=interpreted)


def test_an_interpreter_is_spared_what_would_not_fit_the_hard_limit() -> None:
    due = replace(PLAIN, need=Need.DUE)
    assert not allows(due, spent_s=39.0) and allows(due, spent_s=39.0, interpreted=False)


def test_what_an_interpreter_need_not_answer_has_a_share_of_what_is_left() -> None:
    left = allowance(0.0)
    assert left.deadline(PLAIN).left_s() < 11.0
    own = replace(PLAIN, calls=(replace(CALL, content_key=ContentKey(0)),))
    assert left.deadline(own).left_s() > 39.0
    assert allowance(0.0, interpreted=False).deadline(PLAIN).left_s() > 39.0


def test_an_interpreter_is_spared_stretched_sizes() -> None:
    stretched = replace(PLAIN, need=Need.STRETCHED)
    assert not allows(stretched, spent_s=0.0)
    assert allows(stretched, spent_s=0.0, interpreted=False)


def test_optional_calls_get_a_smaller_part_of_what_is_left() -> None:
    assert allows(PLAIN, spent_s=5.0)
    assert not allows(replace(PLAIN, need=Need.OPTIONAL), spent_s=5.0)


def test_the_first_call_is_not_held_against_it() -> None:
    optional, own = replace(PLAIN, need=Need.OPTIONAL), replace(CALL, content_key=ContentKey(0))
    left = allowance(spent_s=5.0)
    left.saw(PLAIN, seconds=0.1)  # another shape says nothing
    assert not left.allows(optional, own_calls=5)
    left.saw(ScriptedBatch((own, own), copy_each=True), seconds=0.2)
    assert left.allows(optional, own_calls=5)
