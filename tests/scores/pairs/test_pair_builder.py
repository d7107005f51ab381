"""Every step has one outcome; a gain within noise is no optimisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from assay.data.candidate import Candidate, ClaimedResult, SourceFile
from assay.data.run import Entry
from assay.data.scoring.pairs import Split, StepOutcome
from assay.data.task import Task
from assay.data.verdict import Status
from assay.scores.graded import Graded
from assay.scores.pairs.pair_builder import BuiltPairs, PairRules, built_pairs
from assay.scores.pairs.pair_sides import SideFacts, side_facts
from graded_samples import entry
from sample_records import TIMING, verdict

TASK = Task(id="t", format="native", source="class Model: ...")


def step(before: dict[str, Any], after: dict[str, Any], task: str = "t") -> list[Graded]:
    """Two rounds of one task."""
    return [
        entry(task, round=number, number=number, run="r", candidate_id=f"{task}{number}", **made)
        for number, made in enumerate((before, after))
    ]


def timed(speedup: float, spread: float = 0.02) -> dict[str, Any]:
    return {
        "speedup": speedup,
        "speedup_low": speedup / (1 + spread),
        "speedup_high": speedup * (1 + spread),
    }


def facts_of(one: Graded, baseline: str = "eager") -> SideFacts:
    sources = (SourceFile(path="kernel.py", text=one.candidate_id),)
    made = Candidate(name="k", language="torch", sources=sources, provenance=one.provenance)
    task = TASK.model_copy(update={"id": one.task})
    judged = None
    if one.status is not None:
        timing = (TIMING.model_copy(update={"baseline": baseline}),)
        judged = verdict(one.status, timing=timing if one.speedup else None)
    return side_facts(one, Entry(number=one.number, task=task, candidate=made), judged)


def built(entries: Sequence[Graded], rules: PairRules | None = None) -> BuiltPairs:
    facts = {(one.run, one.number): facts_of(one) for one in entries}
    groups = {one.task: one.task for one in entries}
    return built_pairs(entries, facts, groups, rules or PairRules())


WRONG = {"status": Status.INCORRECT}
CASES = [
    (WRONG, timed(1.0), StepOutcome.ERROR_CORRECTION),
    ({"status": Status.DISHONEST}, timed(1.0), StepOutcome.ERROR_CORRECTION),
    (WRONG, {}, StepOutcome.ERROR_CORRECTION),
    (timed(1.0), timed(1.2), StepOutcome.OPTIMISATION),
    (timed(1.0), timed(1.02), StepOutcome.WITHIN_NOISE),
    (timed(1.0, 0.3), timed(1.2, 0.3), StepOutcome.WITHIN_NOISE),
    (timed(1.2), timed(1.0), StepOutcome.SLOWER),
    (timed(1.0), {}, StepOutcome.NOT_COMPARABLE),
    (timed(1.0), WRONG, StepOutcome.BROKEN),
    (WRONG, {"status": Status.CRASHED}, StepOutcome.STILL_FAILING),
    ({"status": Status.SUSPICIOUS}, timed(1.0), StepOutcome.UNDECIDED),
    ({"status": Status.NOT_RUN}, timed(1.0), StepOutcome.UNDECIDED),
    ({"status": None}, timed(1.0), StepOutcome.UNDECIDED),
]


@pytest.mark.parametrize(("before", "after", "outcome"), CASES)
def test_a_step_has_one_outcome(
    before: dict[str, Any], after: dict[str, Any], outcome: StepOutcome
) -> None:
    found = built(step(before, after))
    assert dict(found.outcomes) == {outcome: 1}
    pairs = outcome in (StepOutcome.ERROR_CORRECTION, StepOutcome.OPTIMISATION)
    assert [one.kind for one in found.pairs] == ([outcome] if pairs else [])


def test_a_pair_says_who_judged_it_where_and_how_sure_a_gain_is() -> None:
    cost = {"tokens_in": 100, "tokens_out": 20}
    (pair,) = built(step(timed(1.0), {**timed(1.5), **cost})).pairs
    assert (pair.evaluator, pair.level, pair.track) == ("assay 0.1.0", "standard", "kernel")
    assert (pair.device, pair.tokens, pair.claimed) == ("board", 120, False)
    assert pair.gain is not None and 1 < pair.gain.low < pair.gain.ratio < pair.gain.high
    assert pair.before.conditions == pair.after.conditions != ""
    (fixed,) = built(step(WRONG, timed(1.0))).pairs
    assert fixed.gain is None and fixed.before.error is not None and fixed.after.error is None


def test_times_over_another_baseline_are_not_compared() -> None:
    entries = step(timed(1.0), timed(2.0))
    facts = {
        (one.run, one.number): facts_of(one, baseline)
        for one, baseline in zip(entries, ("eager", "compile"), strict=True)
    }
    found = built_pairs(entries, facts, {"t": "t"}, PairRules())
    assert dict(found.outcomes) == {StepOutcome.NOT_COMPARABLE: 1}


def test_the_same_source_and_the_same_pair_make_no_second_one() -> None:
    same = [
        entry("t", round=number, number=number, run="r", candidate_id="k", **timed(1.0 + number))
        for number in (0, 1)
    ]
    assert dict(built(same).outcomes) == {StepOutcome.SAME_SOURCE: 1}
    twice = [*step(WRONG, {}), *step(WRONG, {})]
    twice[2:] = [
        entry("t", round=n, number=10 + n, run="r", sample=1, candidate_id=f"t{n}", **made)
        for n, made in enumerate((WRONG, {}))
    ]
    outcomes = dict(built(twice).outcomes)
    assert outcomes == {StepOutcome.ERROR_CORRECTION: 1, StepOutcome.REPEATED: 1}


def claimed(works: bool, speedup: float | None = None) -> dict[str, Any]:
    said = ClaimedResult(source="s", ran=works, correct=works, speedup=speedup)
    return {"status": None, "claimed": said}


def test_claims_are_used_only_where_asked_for_and_stay_claims() -> None:
    entries = step(claimed(False), claimed(True, 1.0))
    assert dict(built(entries).outcomes) == {StepOutcome.CLAIMED: 1}
    found = built(entries, PairRules(claimed=True))
    (pair,) = found.pairs
    assert pair.claimed and pair.evaluator == "claimed by s" and pair.after.status == ""
    assert pair.after.claimed is not None and found.noise == 0.05


@pytest.mark.parametrize(
    ("after", "outcome"),
    [(1.04, "gain_within_noise"), (1.06, "optimisation"), (0.9, "slower")],
)
def test_a_claimed_gain_counts_beyond_the_noise(after: float, outcome: str) -> None:
    entries = step(claimed(True, 1.0), claimed(True, after))
    found = built(entries, PairRules(claimed=True))
    assert {one.value for one in found.outcomes} == {outcome}


def test_a_verdict_and_a_claim_decide_nothing_together() -> None:
    found = built(step(claimed(False), timed(1.0)), PairRules(claimed=True))
    assert dict(found.outcomes) == {StepOutcome.UNDECIDED: 1}


def test_all_pairs_of_a_task_are_on_one_side() -> None:
    entries = [one for i in range(40) for one in _numbered(step(WRONG, {}, f"t{i}"), i)]
    found = built(entries, PairRules(held_out=0.3, seed=4))
    sides = {one.task: one.split for one in found.pairs}
    assert len(found.pairs) == 40 and set(sides.values()) == {Split.TRAIN, Split.HELD_OUT}
    again = built(entries, PairRules(held_out=0.3, seed=4))
    assert {one.task: one.split for one in again.pairs} == sides


def _numbered(entries: list[Graded], place: int) -> list[Graded]:
    from dataclasses import replace

    return [replace(one, number=2 * place + n) for n, one in enumerate(entries)]
