"""CandidateDraws: what is drawn for one candidate leaves the shared exam as it was."""

from __future__ import annotations

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level
from assay.exam.exam import ContentKey
from assay.exam.for_candidate.candidate_draws import CandidateDraws
from assay.exam.script import Need, write_script
from support.small_exam import make_exam


def candidate(text: str) -> Candidate:
    return Candidate(name="k", language="torch", sources=(SourceFile(path="k.py", text=text),))


def test_candidates_share_the_exam_and_have_their_own_workloads() -> None:
    shared = make_exam(Level.QUICK)
    script = write_script(shared, shared.secret.random("script"), [])
    count = len(shared.plan.workloads)
    one = CandidateDraws.of(shared, candidate("if n == 100: pass"), None)
    two = CandidateDraws.of(shared, candidate("if n == 101: pass"), None)
    first, second = one.from_source(script, None), two.from_source(script, None)
    assert len(shared.plan.workloads) == count == one.exam.plan.shared
    assert len(first) > len(script) < len(second)
    assert any(100 in w.axes.values() for w in one.exam.plan.for_one)
    assert any(101 in w.axes.values() for w in two.exam.plan.for_one)
    shapes = [exam.content(ContentKey(count)).tensors[0].shape for exam in (one.exam, two.exam)]
    assert shapes[0] != shapes[1]


def test_truths_of_shared_workloads_are_worked_out_once() -> None:
    shared = make_exam(Level.QUICK)
    one = CandidateDraws.of(shared, candidate("n == 100"), None)
    one.from_source([], None)
    known = one.exam.expectation(ContentKey(1))
    assert shared.expectation(ContentKey(1)) is known
    before = shared.known()
    one.exam.expectation(ContentKey(len(shared.plan.workloads)))
    assert shared.known() == before


def test_a_replay_asks_the_same() -> None:
    shared = make_exam(Level.QUICK)
    asked = candidate("if n == 100 or n % 37 == 5: pass")
    first = CandidateDraws.of(shared, asked, None)
    script = write_script(shared, shared.secret.random("script"), [])
    first.from_source(script, None)
    plan = first.exam.plan
    again = CandidateDraws.of(make_exam(Level.QUICK, workloads=plan.for_all.workloads), asked, plan)
    assert again.replayed
    again.from_source(script, plan)
    assert again.exam.plan.workloads == plan.workloads
    other = CandidateDraws.of(shared, candidate("if n == 99: pass"), plan)
    assert not other.replayed


def test_added_calls_stand_between_groups() -> None:
    shared = make_exam(Level.QUICK)
    script = write_script(shared, shared.secret.random("script"), [])
    draws = CandidateDraws.of(shared, candidate("if n == 100: pass"), None)
    mixed = draws.from_source(script, None)
    kept = [batch for batch in mixed if max(batch.workloads) < len(shared.plan.workloads)]
    assert kept == script
    for number, batch in enumerate(mixed):
        if batch not in kept:
            following = next(b for b in mixed[number:] if b in kept)
            assert following.need in (Need.DUE, Need.STRETCHED)
