"""Batches of freed memory are part of the secret script, and find who returns it."""

from __future__ import annotations

import random

import pytest

from assay.checks.check_contract import Check, mixed_in
from assay.checks.recycled_memory import CHECK, recycling_batches
from assay.data.check import CheckDeclaration
from assay.data.observations.call import CallSeen, Mix
from assay.data.settings import Level
from assay.data.workload import Workload
from assay.errors import HostError
from assay.exam.exam import Exam
from assay.exam.script import BatchKind, write_script
from support.script_runs import STEADY, script_run
from support.small_exam import make_exam
from support.walls import Room


@pytest.fixture(scope="module")
def exam() -> Exam:
    return make_exam(Level.QUICK)


def test_its_batches_stand_anywhere_in_the_script(exam: Exam) -> None:
    scripts = [write_script(exam, random.Random(s), recycling_batches(exam)) for s in range(6)]
    places = [[n for n, batch in enumerate(s) if batch.kind is BatchKind.RECYCLED] for s in scripts]
    assert {len(found) for found in places} == {len(recycling_batches(exam))}
    assert len({tuple(found) for found in places}) == len(places)


def test_the_own_workload_is_left_out_where_it_is_large() -> None:
    large = Workload(axes={"rows": 8, "cols": 1 << 21}, dtype="float32", own=True)
    small = Workload(axes={"rows": 16, "cols": 32}, dtype="float32")
    batches = recycling_batches(make_exam(Level.QUICK, workloads=(large, small)))
    assert [batch.workloads for batch in batches] == [{1}]


def test_who_computes_is_right_in_all_of_them(rooms: dict[str, Room], exam: Exam) -> None:
    """Who returns what it finds is case `recycled_memory` of the corpus."""
    with script_run(rooms, exam, STEADY) as script_runner:
        script_runner.run(recycling_batches(exam))
    calls = [o for o in script_runner.observations if isinstance(o, CallSeen)]
    assert {call.mix for call in calls} == {Mix.PLAIN, Mix.RECYCLED} and not script_runner.wrong


def test_a_check_whose_batches_cannot_be_made_is_named(exam: Exam) -> None:
    def fail(exam: Exam) -> list[None]:
        raise LookupError("nothing")

    named = CheckDeclaration.model_validate({**CHECK.declared.model_dump(), "name": "of others"})
    with pytest.raises(HostError, match="check of others: LookupError: nothing"):
        mixed_in([Check(named, batches=fail)], exam)  # type: ignore[arg-type]
    elsewhere = named.model_copy(update={"levels": (Level.FULL,)})
    assert mixed_in([Check(elsewhere, batches=recycling_batches)], exam) == []
    assert mixed_in([CHECK], exam) == recycling_batches(exam)
