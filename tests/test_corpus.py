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
from assay.evaluate import evaluate_many
from corpus_case import CorpusCase, cases

# Hangs are let go after this; every other kernel needs a fraction of it.
TIMEOUT_S = 15.0
# The families that the numeric contract decides are counted, not demanded, until it is complete.
COUNTED_FAMILIES = {"numerics"}


def demanded(case: CorpusCase) -> bool:
    return case.label != "wrong" and case.family not in COUNTED_FAMILIES and not case.slow


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


@pytest.mark.parametrize("case", groups())
def test_verdict_and_reason(case: CorpusCase) -> None:
    verdict = verdicts(case.task, case.track)[case.name]
    heavy = {e.kind.value for e in verdict.evidence if e.severity is not Severity.NOTE}
    found = f"{verdict.status}: {verdict.reason} {sorted(heavy)}"
    assert verdict.status.value in case.statuses, found
    if case.kinds:
        assert heavy & set(case.kinds), found
