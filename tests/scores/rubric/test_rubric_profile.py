from __future__ import annotations

import pytest

from assay.data.scoring.rubric import KernelRubric, Rubric
from assay.scores.rubric.rubric_profile import Levels, reaches, rubric_profile

TASKS: dict[str, int | None] = {"gelu": 1, "matmul": 3, "conv": 3, "untried": 3}


def kernel(name: str, task: str, levels: Levels, status: str = "accepted") -> KernelRubric:
    words = zip("KRHPA", levels, strict=True)
    names = ("complexity", "representation", "hardware", "performance", "automation")
    return KernelRubric(
        candidate=name,
        candidate_id=name,
        task=task,
        status=status,
        rubric=Rubric(
            **dict(zip(names, levels, strict=True)),
            line=" ".join(f"{letter}{level or '?'}" for letter, level in words),
        ),
    )


def test_levels_of_different_kernels_are_never_put_together() -> None:
    fast = kernel("fast.py", "gelu", (1, 2, 1, 4, 4))
    hard = kernel("hard.py", "matmul", (3, 4, 4, 1, 4))
    profile = rubric_profile(("G", "board"), [fast, hard], TASKS)
    assert [one.line for one in profile.cells] == ["K3 R4 H4 P1 A4", "K1 R2 H1 P4 A4"]
    assert all(one.on_frontier for one in profile.cells)
    assert profile.summary == "K3 R4 H4 P1 A4 by hard.py (matmul)"


def test_rates_count_failures_and_tasks_without_a_candidate() -> None:
    given = [
        kernel("a.py", "matmul", (3, 2, 2, 3, 4)),
        kernel("b.py", "matmul", (3, 2, 2, 4, 4)),
        kernel("c.py", "conv", (3, 2, 2, None, 4), "incorrect"),
        kernel("d.py", "conv", (3, 2, 3, 2, 4)),
        kernel("e.py", "gelu", (1, 2, 1, 4, 4)),
    ]
    profile = rubric_profile(("G", "board"), given, TASKS)
    cells = {one.kernel: one for one in profile.cells}
    low = cells["a.py"]
    assert (low.kernels, low.candidates, low.rate) == (2, 4, 0.5)
    assert (low.solved, low.tasks) == (1, 3) and not low.on_frontier
    assert 0.1 < low.rate_low < 0.5 < low.rate_high < 0.9
    assert cells["b.py"].on_frontier and cells["d.py"].on_frontier
    assert not cells["e.py"].on_frontier, "b.py is as high on every axis"
    assert profile.summary == "K3 R2 H2 P4 A4 by b.py (matmul)"
    assert (profile.accepted, profile.candidates) == (4, 5)


def test_unknown_counts_as_none() -> None:
    assert reaches((3, 2, 2, 3, 4), (3, 2, None, 3, 4))
    assert not reaches((3, 2, None, 3, 4), (3, 2, 1, 3, 4))


def test_nothing_accepted_is_said() -> None:
    profile = rubric_profile(("G", "b"), [kernel("a", "gelu", (1,) * 5, "crashed")], TASKS)
    assert profile.cells == () and profile.summary == "none of 1 candidates is accepted"


@pytest.mark.parametrize(("good", "all_of"), [(0, 3), (1, 1), (10, 10)])
def test_intervals_stay_shares(good: int, all_of: int) -> None:
    given = [
        kernel(f"{i}", "gelu", (1, 2, 1, 4, 4), "accepted" if i < good else "crashed")
        for i in range(all_of)
    ]
    for cell in rubric_profile(("G", "b"), given, TASKS).cells:
        assert 0 <= cell.rate_low <= cell.rate <= cell.rate_high + 1e-9 <= 1 + 1e-9
