"""Other shapes are timed on a GPU too, each behind the gate."""

from __future__ import annotations

from pathlib import Path

from assay import evaluate
from assay.data.verdict import Status
from assay.data.workload import Category

EXAMPLE = Path(__file__).parents[2] / "examples" / "gelu" / "honest__triton_blocks.py"


def test_every_category_has_a_speedup_or_a_reason() -> None:
    verdict = evaluate("gelu", EXAMPLE, device="cuda", level="smoke", time_shapes=True)
    assert verdict.status is Status.ACCEPTED, verdict.reason
    assert verdict.shape_times is not None
    assert [one.category for one in verdict.shape_times] == list(Category)
    timed = [one for one in verdict.shape_times if one.speedup is not None]
    assert len(timed) >= 6, [one.reason for one in verdict.shape_times]
    assert verdict.speedup_cv is not None and verdict.speedup_cv_n == len(timed)


def test_the_shortest_level_judges_without_timing() -> None:
    verdict = evaluate("gelu", EXAMPLE, device="cuda", level="smoke")
    assert verdict.status is Status.ACCEPTED, verdict.reason
    assert verdict.timing is None and "--timing" in verdict.timing_reason
