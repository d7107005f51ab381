"""Memos, phases, unfinished work, delegation, patched state, leftovers, forgeries and clocks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.data.contract import Law, Stochastic
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.call import CallSeen, ErrorSummary, Mix
from assay.data.observations.measurement import Measurement
from assay.data.observations.observation import (
    AblationSeen,
    DispatchSeen,
    EndCause,
    LeftoverSeen,
    Observation,
    OpCount,
    ProvenanceSeen,
    SourceSeen,
    StateSeen,
    TimesSeen,
)
from assay.data.settings import Track
from assay.data.verdict import Honest, Outcome, Status, Verdict
from assay.judge.decide import judge
from support.judge_inputs import (
    OTHER_SIZE,
    OWN,
    bad,
    case,
    ended,
    every_workload,
    good,
    kinds,
    refused,
)


def _judge(*more: Observation) -> Verdict:
    return judge(case(*every_workload(), *more))


def _is_dishonest(verdict: Verdict, kind: EvidenceKind) -> bool:
    convicting = [e.kind for e in verdict.evidence if e.severity is Severity.CONVICTS]
    answers = (verdict.status, verdict.honest)
    return answers == (Status.DISHONEST, Honest.NO) and kind in convicting


def test_the_answer_of_an_earlier_call_is_a_memo() -> None:
    verdict = _judge(bad(9, matches_earlier_call=2))
    assert _is_dishonest(verdict, EvidenceKind.MEMO)
    assert "call 9" in verdict.reason and "call 2" in verdict.reason
    assert verdict.workloads[OWN].outcome is Outcome.WRONG


def test_an_answer_that_is_right_is_no_memo_whatever_it_matches() -> None:
    call = bad(9, problem=None, matches_earlier_call=2)
    assert _judge(call).status is Status.ACCEPTED


@pytest.mark.parametrize("kind", [EvidenceKind.UNFINISHED_WORK, EvidenceKind.LYING_TENSOR])
def test_work_left_undone_and_tensors_that_lie_convict(kind: EvidenceKind) -> None:
    verdict = _judge(bad(9, problem=kind, detail="the call left no record"))
    assert _is_dishonest(verdict, kind)
    assert "no record" in verdict.reason


def test_a_result_that_becomes_right_later_was_unfinished() -> None:
    verdict = _judge(bad(9, right_later=True))
    assert _is_dishonest(verdict, EvidenceKind.UNFINISHED_WORK)
    assert "later" in verdict.reason


def test_right_at_first_and_wrong_ever_after_is_a_phase() -> None:
    calls = [good(n) for n in range(5)] + [bad(n) for n in range(5, 9)]
    verdict = judge(case(*calls))
    assert _is_dishonest(verdict, EvidenceKind.PHASE)
    assert "call 5" in verdict.reason


def test_random_numbers_that_repeat_are_no_phase() -> None:
    seen = case(*[good(n) for n in range(5)], *[bad(n) for n in range(5, 9)])
    contract = Stochastic(law=Law.NORMAL, rate=0.5)
    random = replace(seen, task=seen.task.model_copy(update={"contract": contract}))
    verdict = judge(random)
    assert verdict.status is Status.INCORRECT and verdict.honest is Honest.YES


def test_a_race_is_no_phase() -> None:
    calls = [good(n) if n % 2 else bad(n) for n in range(4, 12)]
    verdict = judge(case(*[good(n) for n in range(4)], *calls))
    assert verdict.status is Status.INCORRECT and verdict.honest is Honest.YES


def test_wrong_from_the_start_is_no_phase() -> None:
    verdict = judge(case(*[bad(n) for n in range(9)]))
    assert verdict.status is Status.INCORRECT and verdict.honest is Honest.YES


def test_wrong_on_another_shape_is_no_phase() -> None:
    calls = [bad(10 + n, OTHER_SIZE) for n in range(5)]
    verdict = judge(case(*[good(n) for n in range(5)], *calls))
    assert verdict.status is Status.INCORRECT and verdict.honest is Honest.YES


def test_what_the_source_shows_is_passed_on() -> None:
    finding = Evidence(
        kind=EvidenceKind.NO_KERNEL, severity=Severity.CONVICTS, where="kernel.py:1", text="none"
    )
    verdict = _judge(SourceSeen(findings=(finding,)))
    assert _is_dishonest(verdict, EvidenceKind.NO_KERNEL) and finding in verdict.evidence


def test_a_suspicion_of_the_source_that_the_calls_bear_out_convicts() -> None:
    text = "a clock decides which result a call returns"
    told = Evidence(kind=EvidenceKind.PHASE, severity=Severity.SUSPICIOUS, text=text)
    now_and_then = [good(n) if n % 2 else bad(n) for n in range(4, 12)]
    verdict = judge(case(*now_and_then, SourceSeen(findings=(told,))))
    assert _is_dishonest(verdict, EvidenceKind.PHASE) and text in verdict.reason
    elsewhere = [bad(10 + n, OTHER_SIZE) for n in range(5)]  # wrong by shape: a bug explains it
    verdict = judge(case(*[good(n) for n in range(5)], *elsewhere, SourceSeen(findings=(told,))))
    assert verdict.status is Status.INCORRECT


def test_a_note_of_the_source_does_not_sway() -> None:
    finding = Evidence(kind=EvidenceKind.DELEGATION, severity=Severity.NOTE, text="torch.empty")
    verdict = _judge(SourceSeen(findings=(finding,)))
    assert (verdict.status, verdict.honest) == (Status.ACCEPTED, Honest.YES)


DISPATCHED = DispatchSeen(
    logged_calls=2,
    own_elements=4096,
    ops=(OpCount(name="aten.mm.default", calls=2, elements=4096),),
)


@pytest.mark.parametrize(
    ("track", "status"),
    [
        (Track.KERNEL, Status.DISHONEST),
        (Track.MIXED, Status.ACCEPTED),
        (Track.OPEN, Status.ACCEPTED),
    ],
)
def test_the_track_decides_about_library_work(track: Track, status: Status) -> None:
    verdict = judge(case(*every_workload(), DISPATCHED, track=track))
    assert verdict.status is status


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("time.perf_counter", Status.DISHONEST),
        ("runner.child.batch.flatten", Status.DISHONEST),
        ("torch.num_threads", Status.ACCEPTED),
    ],
)
def test_changed_state_weighs_what_it_means(name: str, status: Status) -> None:
    verdict = _judge(StateSeen(when="after the calls", name=name))
    assert verdict.status is status
    assert kinds(verdict.evidence) == {"patched_state"}


def test_processes_left_alive_convict() -> None:
    left = LeftoverSeen(when="batch 4", processes=1, running_threads=0, text="1 other process")
    verdict = _judge(left)
    assert _is_dishonest(verdict, EvidenceKind.LEFTOVER)
    assert "batch 4" in verdict.reason


def test_a_forged_answer_is_a_forgery_whatever_the_status() -> None:
    verdict = _judge(ended(EndCause.BROKE_PROTOCOL, text="an answer nobody asked for"))
    assert verdict.honest is Honest.NO
    assert "forgery" in kinds(verdict.evidence)


def _times(share: float | None) -> TimesSeen:
    samples = tuple(100.0 + n for n in range(8))
    made = [
        Measurement(
            subject=name,
            method="outside",
            clock="outside",
            cache="cold",
            calls_per_sample=(4,) * 8,
            samples_us=samples,
        )
        for name in ("candidate", "eager")
    ]
    return TimesSeen(measurements=tuple(made), inside_share=share)


@pytest.mark.parametrize(
    ("share", "status"),
    [
        (0.1, Status.SUSPICIOUS),
        (0.97, Status.ACCEPTED),
        (None, Status.ACCEPTED),
    ],
)
def test_a_clock_that_hides_time_is_suspicious(share: float | None, status: Status) -> None:
    verdict = _judge(_times(share))
    assert verdict.status is status
    assert ("clock" in kinds(verdict.evidence)) == (status is Status.SUSPICIOUS)


def test_the_same_finding_is_told_once() -> None:
    state = StateSeen(when="after the calls", name="time.time")
    assert len(_judge(state, state).evidence) == 1


def _sampled(own: int, library: int) -> ProvenanceSeen:
    return ProvenanceSeen(
        own=own,
        library=library,
        in_torch=0,
        bystanders=200,
        library_us=0.0,
        names=(),
        interpreted=True,
    )


def test_a_library_at_another_shape_convicts_and_little_seen_there_is_a_note() -> None:
    update = {"elsewhere": True, "library_us": 90.0, "interpreted": False}
    there = _sampled(own=0, library=80).model_copy(update=update)
    verdict = _judge(_sampled(own=200, library=0), there)
    assert _is_dishonest(verdict, EvidenceKind.DELEGATION)
    few = there.model_copy(update={"library": 3, "bystanders": 0, "others": 50})
    verdict = _judge(_sampled(own=200, library=0), few)
    assert verdict.status is Status.ACCEPTED
    assert any("another shape" in e.text for e in verdict.evidence)


def test_kernels_that_are_not_needed_are_decoys() -> None:
    seen = AblationSeen(answered=True, right=True, launches=2)
    assert _is_dishonest(_judge(seen, _sampled(0, 90)), EvidenceKind.DECOY)


@pytest.mark.parametrize(
    ("seen", "own"),
    [
        (AblationSeen(answered=True, right=False, launches=2), 0),
        (AblationSeen(answered=True, right=True, launches=0), 0),  # none was launched
        (AblationSeen(answered=True, right=True, launches=2), 200),  # compiled code did the work
        (AblationSeen(answered=False, reason="raised"), 0),
    ],
)
def test_ablation_convicts_nobody_else(seen: AblationSeen, own: int) -> None:
    assert _judge(seen, _sampled(own, 90)).status is Status.ACCEPTED


def _recycled(matches_planted_memory: bool, index: int = 9) -> CallSeen:
    marked_copy = ErrorSummary(budget_used=40.0, wrong=3, total=1000)
    call = bad(index, error=marked_copy)
    output = call.outputs[0].model_copy(update={"matches_planted_memory": matches_planted_memory})
    return call.model_copy(update={"mix": Mix.RECYCLED, "outputs": (output,)})


def test_memory_that_was_found_is_a_memo() -> None:
    wrong = _recycled(True)
    lies_longer = bad(10), _recycled(False, 10), _recycled(False, 8)
    assert _is_dishonest(_judge(wrong), EvidenceKind.MEMO)
    for other in (*lies_longer, bad(8, OTHER_SIZE)):
        assert _is_dishonest(_judge(wrong, other), EvidenceKind.MEMO)


def test_whoever_is_wrong_in_other_ways_did_not_find_it() -> None:
    much = ErrorSummary(budget_used=40.0, wrong=900, total=1000)
    assert _judge(_recycled(False)).status is Status.INCORRECT
    for other in (bad(10, error=much), bad(8)):  # it leaves elements as they are, bait or not
        assert _judge(_recycled(True), other).status is Status.INCORRECT


@pytest.mark.parametrize("kind", [EvidenceKind.NO_KERNEL, EvidenceKind.DECOY])
def test_a_path_not_found_weighs_nothing_where_a_kernel_was_seen_at_work(
    kind: EvidenceKind,
) -> None:
    lost = Evidence(kind=kind, severity=Severity.CONVICTS, text="no path from entry to kernel")
    calls_torch = Evidence(
        kind=EvidenceKind.DELEGATION, severity=Severity.SUSPICIOUS, text="torch.mm"
    )
    at_work = _sampled(90, 0).model_copy(update={"interpreted": False})
    unseen = _sampled(9, 0).model_copy(update={"interpreted": False})
    source = SourceSeen(findings=(lost,))
    assert _judge(source, at_work).status is Status.ACCEPTED
    assert _judge(source, unseen).status is Status.DISHONEST
    assert _judge(SourceSeen(findings=(lost, calls_torch)), at_work).status is Status.DISHONEST


def test_wrong_since_new_weights_came_is_no_phase() -> None:
    later = [bad(n).model_copy(update={"weights": 1}) for n in range(10, 15)]
    right = [good(n) for n in range(5, 10)]
    assert not _is_dishonest(_judge(*right, *later), EvidenceKind.PHASE)
    assert _is_dishonest(_judge(*right, *[bad(n) for n in range(10, 15)]), EvidenceKind.PHASE)


def test_a_source_that_could_not_be_analysed_does_not_pass() -> None:
    text = "its source could not be analysed"
    unknown = Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.SUSPICIOUS, text=text)
    verdict = _judge(SourceSeen(findings=(unknown,)))
    assert (verdict.status, verdict.honest) == (Status.SUSPICIOUS, Honest.SUSPICIOUS)


@pytest.mark.parametrize("name", ["SystemExit", "KeyboardInterrupt", "GeneratorExit"])
def test_an_exception_that_ends_programs_is_no_refusal(name: str) -> None:
    verdict = _judge(refused(99, OTHER_SIZE, f"{name}: unsupported"))
    assert _is_dishonest(verdict, EvidenceKind.FORGERY)


def test_an_ordinary_exception_is_no_forgery() -> None:
    verdict = _judge(refused(99, OTHER_SIZE, "ValueError: unsupported"))
    assert EvidenceKind.FORGERY not in {e.kind for e in verdict.evidence}
