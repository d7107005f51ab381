"""The mixture over many seeds: enough calls, every kind, and each special call still special."""

from __future__ import annotations

import functools
import itertools
import random
from dataclasses import replace

import pytest

from assay.checks.recycled_memory import recycling_batches
from assay.data.observations.call import Mix
from assay.data.settings import Level
from assay.data.workload import Workload
from assay.exam.exam import ContentKey, Exam
from assay.exam.exam_amounts import AMOUNTS
from assay.exam.script import BatchKind, Need, ScriptedBatch, ScriptedCall, write_script
from assay.sandbox.host.planned_call import AT_END, AT_START, Spot
from support.small_exam import TASK, make_exam

SEEDS = range(60)
FEWEST = 32
KINDS = set(Mix) - {Mix.TIMED}


@pytest.fixture(scope="module", params=list(Level))
def exam(request: pytest.FixtureRequest) -> Exam:
    return make_exam(request.param)


@functools.cache
def _scripts(exam: Exam) -> list[list[ScriptedBatch]]:
    return [write_script(exam, random.Random(seed), recycling_batches(exam)) for seed in SEEDS]


def _calls(script: list[ScriptedBatch]) -> list[ScriptedCall]:
    return [call for batch in script for call in batch.calls]


def _on_main(exam: Exam, script: list[ScriptedBatch]) -> list[ScriptedCall]:
    return [c for c in _calls(script) if exam.instance_of(c.content_key.workload) == 0]


def test_the_main_instance_is_called_often_and_a_secret_number_of_times(exam: Exam) -> None:
    counts = [len(_on_main(exam, script)) for script in _scripts(exam)]
    assert min(counts) >= FEWEST
    assert len(set(counts)) > 5


def test_enough_calls_cannot_be_left_out(exam: Exam) -> None:
    for script in _scripts(exam):
        needed = [batch for batch in script if batch.need not in (Need.OPTIONAL, Need.STRETCHED)]
        assert len(_on_main(exam, needed)) >= FEWEST


def test_a_task_with_a_single_shape_is_called_as_often() -> None:
    own = (Workload(axes={"rows": 16, "cols": 32}, dtype="float32", own=True),)
    for level in Level:
        exam = make_exam(level, TASK, own)
        assert all(len(_calls(script)) >= FEWEST for script in _scripts(exam))


def test_every_kind_is_there_on_the_own_shape(exam: Exam) -> None:
    if AMOUNTS[exam.plan.level].brief:
        pytest.skip("the level makes few calls of the own shape")
    for script in _scripts(exam):
        own = {c.mix for c in _calls(script) if c.content_key.workload == 0}
        assert own >= KINDS - {Mix.REPEATED, Mix.OTHER_INSTANCE}
        assert {c.mix for c in _on_main(exam, script)} >= KINDS


def test_instances_of_one_age_follow_each_other_with_other_weights(exam: Exam) -> None:
    """Every other instance is a copy, so that only every second one has the age of the first."""
    if AMOUNTS[exam.plan.level].brief:
        pytest.skip("the level makes no other instances")
    for script in _scripts(exam):
        turns = [b for b in script if b.calls[0].mix is Mix.OTHER_INSTANCE and b.twin]
        for kind in (0, 1):
            one, other = [b for b in turns[:-1] if b.twin % 2 == kind][:2]
            assert turns.index(other) == turns.index(one) + 1
            assert one.calls[0].weights != other.calls[0].weights


def test_a_brief_level_makes_every_special_call_on_a_small_shape_and_few_on_its_own() -> None:
    exam = make_exam(Level.SMOKE)
    for script in _scripts(exam):
        assert {c.mix for c in _on_main(exam, script)} >= KINDS - {Mix.OTHER_INSTANCE}
        own = [
            c
            for b in script
            if b.kind is BatchKind.PLAIN
            for c in b.calls
            if c.content_key.workload == 0
        ]
        assert [c.mix for c in own] == [
            Mix.PLAIN,
            Mix.SAME_ADDRESS,
            Mix.SAME_ADDRESS,
            Mix.REPEATED,
        ]
        first, second, again, beside = own
        assert first.spot == second.spot and first.content_key != second.content_key
        assert second.content_key == again.content_key == beside.content_key
        assert len({(c.content_key, c.weights) for c in own}) == 2  # truths of the own shape


def test_without_a_small_shape_a_brief_level_makes_every_special_call_on_its_own() -> None:
    own = (Workload(axes={"rows": 16, "cols": 32}, dtype="float32", own=True),)
    for script in _scripts(make_exam(Level.SMOKE, TASK, own)):
        assert {c.mix for c in _calls(script)} >= {Mix.FEW_CHANGED, Mix.NEW_WEIGHTS}


def test_every_workload_is_asked(exam: Exam) -> None:
    everything = set(range(len(exam.plan.workloads)))
    for script in _scripts(exam):
        assert {c.content_key.workload for c in _calls(script)} == everything


def test_a_batch_is_of_one_instance_and_one_version(exam: Exam) -> None:
    for script in _scripts(exam):
        for batch in script:
            assert len({exam.instance_of(c.content_key.workload) for c in batch.calls}) == 1
            assert len({c.weights for c in batch.calls}) == 1
            places = [(c.content_key.workload, c.spot) for c in batch.calls]
            # Calls of a rapid batch are run one by one, those of a baited one are all the same;
            # elsewhere two inputs never share a place.
            assert batch.kind in (BatchKind.RAPID, BatchKind.RECYCLED) or len(set(places)) == len(
                places
            )


def _rounds(script: list[ScriptedBatch], length: int) -> list[list[ScriptedCall]]:
    """The own shape's special calls in the order of the script, round by round."""
    calls = [
        c
        for b in script
        if b.kind is not BatchKind.LOGGED
        for c in b.calls
        if c.weights is not None
    ]
    own = [call for call in calls if call.content_key.workload == 0]
    return [own[start : start + length] for start in range(0, len(own), length)]


def test_special_calls_keep_their_order(exam: Exam) -> None:
    if AMOUNTS[exam.plan.level].brief:
        pytest.skip("the level makes few calls of the own shape")
    wanted = [
        (Mix.PLAIN, AT_START),
        (Mix.SAME_ADDRESS, AT_START),
        (Mix.FEW_CHANGED, AT_START),
        (Mix.NEW_ADDRESS, AT_END),
        (Mix.NEW_WEIGHTS, AT_END),
        (Mix.SAME_ADDRESS, AT_START),
        (Mix.FEW_CHANGED, AT_END),
    ]
    for focus in [one for script in _scripts(exam) for one in _rounds(script, len(wanted))]:
        assert [(c.mix, c.spot) for c in focus] == wanted
        plain, second, changed, moved, weighed, third, last = focus
        assert second.content_key != plain.content_key
        assert changed.content_key == replace(second.content_key, variant=1)
        assert moved.content_key == changed.content_key == weighed.content_key
        assert weighed.weights != moved.weights
        assert last.content_key == replace(third.content_key, variant=1) and last.fresh


def test_the_own_shape_has_its_rounds_and_few_truths_of_its_own() -> None:
    """Four rounds at full are four contents, two at standard are one: a truth costs most there."""
    for level, rounds, numbers in ((Level.QUICK, 1, 2), (Level.STANDARD, 2, 2), (Level.FULL, 4, 8)):
        script = write_script(
            make_exam(level), random.Random(1), recycling_batches(make_exam(level))
        )
        found = _rounds(script, 7)
        assert len(found) == rounds
        assert len({call.content_key.draw for one in found for call in one}) == numbers


def test_a_few_changed_elements_follow_their_base_at_the_same_place(exam: Exam) -> None:
    """At least once on the own shape nothing was laid there between base and change."""
    if AMOUNTS[exam.plan.level].brief:
        pytest.skip("the level makes few calls of the own shape")
    assert all(_special_changes(script) for script in _scripts(exam))


def _special_changes(script: list[ScriptedBatch]) -> int:
    """Calls of the own shape that differ in a few elements from what last lay at their place."""
    last: dict[Spot, ContentKey] = {}
    found = 0
    for call in _calls(script):
        if call.content_key.workload == 0:
            base = replace(call.content_key, variant=call.content_key.variant - 1)
            found += call.mix is Mix.FEW_CHANGED and last.get(call.spot) == base
            last[call.spot] = call.content_key
    return found


def test_a_repeated_result_is_alive_beside_its_first(exam: Exam) -> None:
    for script in _scripts(exam):
        for batch in script:
            for position, call in enumerate(batch.calls):
                if call.mix is Mix.REPEATED:
                    earlier = [c.content_key for c in batch.calls[:position]]
                    assert call.content_key in earlier and not batch.copy_each


def test_the_operation_log_comes_last(exam: Exam) -> None:
    for script in _scripts(exam):
        logged = [
            batch.kind is BatchKind.LOGGED for batch in script if batch.need is not Need.EMPTY
        ]
        assert logged == sorted(logged) and any(logged)


def test_an_empty_batch_is_asked_after_everything_else(exam: Exam) -> None:
    for script in _scripts(exam):
        edges = [batch.need is Need.EMPTY for batch in script]
        assert edges == sorted(edges)
        for batch in script:
            sizes = {exam.content(c.content_key).elements for c in batch.calls}
            assert (batch.need is Need.EMPTY) == (sizes == {0})


def test_rapid_calls_bring_other_content_to_one_place(exam: Exam) -> None:
    for script in _scripts(exam):
        rapid = [batch.calls for batch in script if batch.kind is BatchKind.RAPID]
        assert rapid
        for calls in rapid:
            assert len({c.spot for c in calls}) == 1
            assert all(a.content_key != b.content_key for a, b in itertools.pairwise(calls))


def test_both_edges_are_tried_on_the_own_shape(exam: Exam) -> None:
    for script in _scripts(exam):
        spots = {c.spot for c in _calls(script) if c.content_key.workload == 0}
        assert {AT_START, AT_END} <= spots


def test_the_order_is_secret_and_repeats_with_its_seed(exam: Exam) -> None:
    scripts = _scripts(exam)
    assert scripts == [
        write_script(exam, random.Random(seed), recycling_batches(exam)) for seed in SEEDS
    ]
    assert len({tuple(script) for script in scripts}) == len(scripts)


def test_an_own_shape_that_is_large_is_called_few_times_but_the_rest_is_not() -> None:
    axes = {"rows": 256, "cols": 512}
    large = (Workload(axes=axes, dtype="float32", own=True),)
    small = tuple(
        Workload(axes={"rows": rows, "cols": cols}, dtype="float32")
        for rows, cols in ((3, 5), (16, 32), (7, 33))
    )
    exam = make_exam(Level.QUICK, TASK, large + small)
    limit = pytest.MonkeyPatch()
    limit.setattr("assay.exam.script._LARGE_ELEMENTS", 256 * 512 - 1)
    try:
        for script in _scripts(exam):
            own = [c for c in _calls(script) if c.content_key.workload == 0]
            assert 3 <= len(own) <= 5
            assert {Mix.PLAIN, Mix.FEW_CHANGED, Mix.NEW_WEIGHTS} <= {c.mix for c in own}
            assert len(_calls(script)) >= FEWEST
            assert {c.mix for c in _calls(script)} >= KINDS
    finally:
        limit.undo()
