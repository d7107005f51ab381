"""Coverage counts: what rewards correctness exists as published and weighted by coverage."""

from __future__ import annotations

import pytest

from assay.data.scoring.score import Score, Weighting
from assay.data.verdict import Status
from assay.scores.graded import Graded, GradedTask
from assay.scores.grouped import groups
from assay.scores.score_registry import FAMILIES
from graded_samples import entry

FACTS = {"operator": "gemm"}


def sheet(family: str, *entries: Graded) -> dict[tuple[str, Weighting], Score]:
    """The scores of generator G, beside a rival that is slower."""
    rivals = [entry(f"t{i}", 1.0, generator="rival") for i in range(3)]
    tasks = [GradedTask(f"t{i}", operator="gemm" if i else "attention") for i in range(3)]
    mine = next(g for g in groups(tasks, [*entries, *rivals]) if g.generator == "G")
    return {(s.name, s.weighting): s for s in FAMILIES.get(family).scores(mine)}


def answers(first: Status, coverage: float = 1.0) -> list[Graded]:
    """Three tasks; the first is solved or not, and everything else is the same."""
    speed = 2.0 if first is Status.ACCEPTED else None
    limits = {"iou": 0.5, "sol_us": 10.0}
    solved = [entry(f"t{i}", 2.0, coverage=coverage, **limits) for i in (1, 2)]
    return [entry("t0", speed, status=first, coverage=coverage, **limits), *solved]


@pytest.mark.parametrize("family", FAMILIES.built_in)
def test_what_changes_with_correctness_has_a_weighted_twin(family: str) -> None:
    solved = sheet(family, *answers(Status.ACCEPTED))
    failed = sheet(family, *answers(Status.INCORRECT))
    half = sheet(family, *answers(Status.ACCEPTED, coverage=0.5))
    rewarding = {
        name
        for (name, weighting), score in solved.items()
        if weighting is Weighting.PUBLISHED and score.value != failed[name, weighting].value
    }
    for name in rewarding:
        assert (name, Weighting.COVERAGE) in half, name
        published = half[name, Weighting.PUBLISHED].value
        assert published == solved[name, Weighting.PUBLISHED].value, name
        assert half[name, Weighting.COVERAGE].value != published, name


def test_some_scores_of_most_families_reward_correctness() -> None:
    found = {
        family
        for family in FAMILIES.built_in
        if any(w is Weighting.COVERAGE for _, w in sheet(family, *answers(Status.ACCEPTED)))
    }
    assert set(FAMILIES.built_in) - found == {"robust_kbench"}
