"""What runs of one kernel say of each other, on runs made up."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from device_repeat import apart, line, spread, summary, total
from device_repeat_kernels import kernels

from assay.tasks.readers.kernelbench import read_file


def row(run: int, ratio: float, half: float = 0.02, said: str = "faster") -> dict[str, Any]:
    return {
        "kernel": "k",
        "run": run,
        "status": "accepted",
        "candidate_us": 4.2,
        "baseline_us": 4.2 * ratio,
        "speedup": ratio,
        "speedup_low": ratio - half,
        "speedup_high": ratio + half,
        "host_speedup": 1.0,
        "difference": said,
        "seconds": 8.0,
    }


def test_a_spread_is_of_the_median() -> None:
    assert spread([1.0, 1.1, 0.9]) == pytest.approx(0.2)
    assert spread([1.0]) is None


def test_intervals_that_touch_are_not_apart() -> None:
    assert apart([(1.0, 1.1), (1.1, 1.2), (1.3, 1.4)]) == (2, 3)


@pytest.mark.parametrize(
    ("rows", "holds"),
    [
        ([row(0, 1.10), row(1, 1.12), row(2, 1.11)], True),
        ([row(0, 1.10), row(1, 1.17, 0.05)], False),  # further than 5 %
        ([row(0, 1.10, 0.001), row(1, 1.12, 0.001)], False),  # the intervals are apart
        ([row(0, 1.01, 0.02), row(1, 0.99, 0.02, "slower")], False),  # they contradict each other
        ([row(0, 1.10), row(1, 1.11), {"kernel": "k", "run": 2, "status": "crashed"}], False),
        ([row(0, 1.10)], False),
    ],
)
def test_all_of_it_has_to_hold(rows: list[dict[str, Any]], holds: bool) -> None:
    assert total([summary("k", rows)])["holds"] is holds


def test_a_run_without_a_time_says_why() -> None:
    assert "it left" in line({"kernel": "k", "run": 0, "status": "crashed", "reason": "it left"})
    assert "1.100x" in line(row(0, 1.1))


def test_eight_tasks_can_be_read(tmp_path: Path) -> None:
    names = []
    for one in kernels():
        path = tmp_path / f"{one.name}.py"
        path.write_text(one.task, encoding="utf-8")
        names.append(read_file(path).id)
        compile(one.kernel, one.name, "exec")
    assert len(set(names)) == 8
