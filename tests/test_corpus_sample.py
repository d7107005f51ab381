"""The sample of the corpus: every family, few tasks, the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus_case import cases
from corpus_sample import CASES_A_TASK, TASKS, Family, by_task, commit_seed, sample, tree_digest


@pytest.mark.parametrize("seed", ["0", "1", "2", "3", "4", "5", "6", "7"])
def test_every_family_in_few_tasks(seed: str) -> None:
    found = cases()
    chosen = sample(found, seed)
    assert set(map(Family.of, chosen)) == set(map(Family.of, found))
    assert TASKS <= len(by_task(chosen)) <= TASKS + 4  # some families are of few tasks
    assert len(chosen) <= (TASKS + 4) * CASES_A_TASK + len(set(map(Family.of, found)))
    assert not any(case.slow for case in chosen)


def test_a_seed_repeats_its_sample_and_another_changes_it() -> None:
    found = cases()
    assert sample(found, "a") == sample(found, "a")
    assert sample(found, "a") != sample(found, "b")


@pytest.mark.parametrize("share", [5, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_in_time_every_case_has_its_turn(share: int) -> None:
    """Of every fifth task, or of all: among more tasks a case waits for more commits."""
    found = [case for members in by_task(cases())[::share] for case in members]
    left = {case.path for case in found if not case.slow}
    for seed in range(6000):  # some 2000 are enough
        left -= {case.path for case in sample(found, str(seed))}
        if not left:
            return
    raise AssertionError(f"never judged: {left}")


def test_without_git_the_seed_follows_the_tree(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "one.py").write_text("x = 1")
    before = commit_seed(tmp_path)
    assert before == tree_digest(tmp_path)
    (tmp_path / "src" / "one.py").write_text("x = 2")
    assert commit_seed(tmp_path) != before
