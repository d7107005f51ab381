"""Transitions follow parents, then rounds; repairs are compared by geometric means."""

from __future__ import annotations

import pytest

from assay.data.verdict import Status
from assay.scores.analysis.round_steps import steps
from assay.scores.analysis.rounds import repair_bias, transitions
from graded_samples import entry

WRONG, BROKEN = Status.INCORRECT, Status.BUILD_FAILED


def test_counts_go_from_state_to_state() -> None:
    entries = [
        entry("a", round=0, status=BROKEN),
        entry("a", 1.5, round=1),
        entry("b", round=0, status=WRONG),
        entry("b", 0.5, round=1),
        entry("c", 2.0, round=0),
        entry("c", 2.0, round=1),
        entry("d", 2.0),
    ]
    (found,) = transitions(entries)
    assert (found.from_round, found.to_round, found.chains) == (0, 1, 3)
    assert found.counts["call_failed"]["accepted_faster"] == 1
    assert found.counts["not_accepted"]["accepted_not_faster"] == 1
    assert found.counts["accepted_faster"]["accepted_faster"] == 1


def test_a_named_parent_comes_before_the_round_before() -> None:
    first = entry("a", round=0, status=WRONG, candidate_id="p0")
    second = entry("a", 1.0, round=1, candidate_id="p1")
    third = entry("a", 1.0, round=2, candidate_id="p2", parents=("p0",))
    assert [(a.candidate_id, b.candidate_id) for a, b in steps([first, second, third])] == [
        ("p0", "p1"),
        ("p0", "p2"),
    ]


def test_rescued_kernels_are_told_from_those_right_before() -> None:
    entries = []
    for i in range(6):
        entries += [entry(f"r{i}", round=0, status=WRONG), entry(f"r{i}", 1.0 + 0.01 * i, round=1)]
        entries += [entry(f"s{i}", 2.0, round=0), entry(f"s{i}", 2.0 + 0.01 * i, round=1)]
    found = repair_bias(entries)
    assert (found.rescued, found.steady) == (6, 6)
    assert found.ratio == pytest.approx(0.5, abs=0.02)
    assert found.p is not None and found.p < 0.01


def test_without_rounds_there_is_a_reason() -> None:
    assert transitions([entry("a")]) == ()
    assert "round" in repair_bias([entry("a", 1.0)]).reason


def test_a_source_that_comes_back_follows_the_round_before_it() -> None:
    entries = [
        entry("a", 1.0, round=0, candidate_id="x"),
        entry("a", 1.0, round=1, candidate_id="y", parents=("x",)),
        entry("a", 1.0, round=2, candidate_id="x", parents=("y",)),
        entry("a", 1.0, round=3, candidate_id="x", parents=("x",)),
    ]
    rounds = [(a.provenance.round, b.provenance.round) for a, b in steps(entries)]
    assert rounds == [(0, 1), (1, 2), (2, 3)]


def test_what_was_not_judged_is_in_no_state() -> None:
    assert transitions([entry("a", round=0, status=None), entry("a", 2.0, round=1)]) == ()
