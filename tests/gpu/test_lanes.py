"""Two judge processes on one device: each candidate gets the verdict that it gets alone."""

from __future__ import annotations

import os
from concurrent.futures import wait

import pytest

from assay.data.evidence import Severity
from assay.data.verdict import Verdict
from assay.engine.judge import Judge
from corpus_case import CUDA_CORPUS, read_case

# One leaves a kernel spinning where nobody who waits for its own context sees it.
CASES = (
    ("gelu", "triton_flat"),
    ("softmax", "triton_rows"),
    ("gelu", "spins_in_another_context"),
    ("softmax", "triton_rows"),
    ("gelu", "side_stream_joined"),
    ("softmax", "skips_every_eighth_call"),
)


def _in_words(verdict: Verdict) -> str:
    heavy = [e.text for e in verdict.evidence if e.severity is not Severity.NOTE]
    return f"{verdict.status} {verdict.reason} {heavy}"


@pytest.mark.parametrize("timing", [False, True])
def test_neighbours_of_another_process_are_told_apart(timing: bool) -> None:
    if len(os.sched_getaffinity(0)) < 8:
        pytest.skip("a device has one judge process where there are fewer processors")
    with Judge("cuda", jobs=4, level="quick", timing=timing) as judge:
        futures = [
            judge.submit(task, CUDA_CORPUS / task / name / "kernel.py") for task, name in CASES
        ]
        assert wait(futures, 600.0).not_done == set()
        assert judge.counts().processes == 2
    for (task, name), future in zip(CASES, futures, strict=True):
        verdict = future.result().verdict
        asked = read_case(CUDA_CORPUS / task / name)
        assert asked.is_answered_by(verdict), f"{task}/{name}: {_in_words(verdict)}"


def test_honest_candidates_of_two_processes_are_timed_alone() -> None:
    """As fast as with nobody else there: what another process computes would take its turns."""
    if len(os.sched_getaffinity(0)) < 8:
        pytest.skip("a device has one judge process where there are fewer processors")
    path = CUDA_CORPUS / "gelu" / "triton_flat" / "kernel.py"
    with Judge("cuda", jobs=1, level="quick") as judge:
        alone = judge.evaluate("gelu", path)
    with Judge("cuda", jobs=4, level="quick") as judge:
        busy = [judge.submit("softmax", CUDA_CORPUS / "softmax" / "triton_rows" / "kernel.py")]
        beside = [judge.submit("gelu", path) for _ in range(4)]
        assert wait([*busy, *beside], 600.0).not_done == set()
    found = [_speedup(one.result().verdict) for one in beside]
    assert all(0.8 < one / _speedup(alone) < 1.25 for one in found), (found, _speedup(alone))


def _speedup(verdict: Verdict) -> float:
    assert verdict.timing is not None, verdict.timing_reason
    return verdict.timing[0].speedup
