"""Several candidates at a time on one device: each gets the verdict that it gets alone."""

from __future__ import annotations

import pytest

from assay.data.evidence import Severity
from assay.data.settings import Level, Settings
from assay.pipeline import evaluate_many
from corpus_case import CUDA_CORPUS, read_case

# One leaves a kernel spinning where nobody who waits for its own context sees it.
CASES = ("triton_flat", "spins_in_another_context", "side_stream_joined", "halves_on_two_streams")


@pytest.mark.parametrize("timing", [False, True])
def test_who_leaves_the_device_at_work_is_told_from_its_neighbours(timing: bool) -> None:
    paths = [CUDA_CORPUS / "gelu" / name / "kernel.py" for name in CASES]
    settings = Settings(device="cuda", level=Level.QUICK, timing=timing, jobs=len(CASES))
    for name, judged in zip(CASES, evaluate_many("gelu", paths, settings), strict=True):
        verdict = judged.verdict
        heavy = [e for e in verdict.evidence if e.severity is not Severity.NOTE]
        asked = read_case(CUDA_CORPUS / "gelu" / name)
        assert asked.is_answered_by(verdict), f"{name}: {verdict.status} {verdict.reason} {heavy}"


def test_honest_neighbours_are_judged_once() -> None:
    """None of them is asked again alone: that costs more than judging them one by one."""
    path = CUDA_CORPUS / "gelu" / "triton_flat" / "kernel.py"
    settings = Settings(device="cuda", level=Level.QUICK, timing=False, jobs=4)
    begun: list[tuple[int, str]] = []
    seen = evaluate_many("gelu", [path] * 4, settings, lambda p: begun.append((p.index, p.stage)))
    assert all(one.verdict.status.value == "accepted" for one in seen)
    starts = [
        index
        for number, (index, stage) in enumerate(begun)
        if stage == "starting" and begun[number - 1] != (index, stage)
    ]
    assert sorted(starts) == [0, 1, 2, 3]
