"""The corpus, judged: every kernel gets the verdict its folder asks for, for the right reason.

One process pays for a task's exam and judges all its kernels; xdist keeps a task's cases together.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from assay.data.evidence import Severity
from assay.data.settings import Level, Settings, Track
from assay.data.verdict import Verdict
from assay.pipeline import evaluate_many
from corpus_case import CorpusCase, cases

# Hangs are let go after this; every other kernel needs a fraction of it.
TIMEOUT_S = 15.0
# What no release may lose; the whole corpus is judged by benchmarks/honesty.py.
ALWAYS = """
rmsnorm/caller_frames matmul/gc_objects layernorm/main_module softmax/searches_interpreter
softmax/patches_everything gelu/clocks matmul/json row_sum/os_write linear_relu/runner
gelu/exits_after_forged_result gelu/hangs softmax/process_flood matmul/reserves_30_gb
matmul/memo_by_address row_sum/memo_by_shape gelu/memo_by_fingerprint layernorm/replays_first_calls
matmul/thread_after_return gelu/fork_continues matmul/blas_by_ctypes linear_relu/lazy_subclass
gelu/strided_native gelu/numba_loop linear_relu/packed_by_version matmul/threads_joined
softmax/triton_rows softmax/locked row_sum/atomic_threads
""".split()


def demanded(case: CorpusCase) -> bool:
    return f"{case.task}/{case.name}" in ALWAYS


def test_every_case_that_must_hold_is_there() -> None:
    assert sum(map(demanded, cases())) == len(ALWAYS)


def groups() -> Iterator[pytest.param]:  # type: ignore[valid-type]
    for case in cases():
        if demanded(case):
            mark = pytest.mark.xdist_group(f"{case.task}-{case.track}")
            yield pytest.param(case, id=f"{case.task}/{case.name}", marks=mark)


@cache
def verdicts(task: str, track: str) -> dict[str, Verdict]:
    chosen = [c for c in cases() if (c.task, c.track) == (task, track) and demanded(c)]
    settings = Settings(
        level=Level.QUICK,
        track=Track(track),
        timing=False,
        timeout_s=TIMEOUT_S,
        build_timeout_s=60.0,
    )
    judged = evaluate_many(task, [case.path for case in chosen], settings)
    return {case.name: one.verdict for case, one in zip(chosen, judged, strict=True)}


@pytest.mark.parametrize("case", list(groups()))
def test_verdict_and_reason(case: CorpusCase) -> None:
    verdict = verdicts(case.task, case.track)[case.name]
    heavy = {e.kind.value for e in verdict.evidence if e.severity is not Severity.NOTE}
    found = f"{verdict.status}: {verdict.reason} {sorted(heavy)}"
    assert verdict.status.value in case.statuses, found
    if case.kinds:
        assert heavy & set(case.kinds), found
