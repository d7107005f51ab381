"""The evaluator of other loops: scores, words, and a module around a function."""

from __future__ import annotations

from typing import Any, cast

import pytest

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.verdict import Correct, Honest, Status, Verdict
from assay.engine.judge import Judge
from assay.engine.loop_evaluator import LoopEvaluator, as_module, feedback_of
from assay.errors import UsageError
from sample_records import TIMING, verdict


class OneVerdict:
    def __init__(self, found: Verdict) -> None:
        self.found, self.asked = found, list[Any]()

    def evaluate(self, *asked: Any, **options: Any) -> Verdict:
        self.asked.append((*asked, options))
        return self.found


def evaluated(found: Verdict, **options: Any) -> Any:
    return LoopEvaluator("softmax", judge=cast(Judge, OneVerdict(found)), **options)("kernel.py")


def test_an_accepted_kernel_has_a_score_and_its_speed() -> None:
    sure = {"correct": Correct.YES, "honest": Honest.YES, "timing": (TIMING,)}
    found = evaluated(verdict(Status.ACCEPTED, **sure))
    assert found.accepted and found.speedup == TIMING.speedup
    assert found.score == pytest.approx(0.3 + TIMING.speedup_low)
    assert found.metrics == {
        "combined_score": found.score,
        "accepted": 1.0,
        "speedup": TIMING.speedup,
        "latency_us": TIMING.candidate_us,
    }
    assert "times as fast as" in found.feedback


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.ACCEPTED])
def test_no_other_verdict_is_paid_or_has_a_speed(status: Status) -> None:
    found = evaluated(verdict(status, timing=(TIMING,)))
    assert (found.score, found.accepted, found.speedup) == (0.0, False, None)
    assert found.metrics == {"combined_score": 0.0, "accepted": 0.0}


def test_findings_are_words_and_few() -> None:
    blame = Evidence(kind=EvidenceKind.MEMO, severity=Severity.CONVICTS, text="x" * 900)
    note = Evidence(kind=EvidenceKind.LIMIT, severity=Severity.NOTE, text="a note")
    text = feedback_of(verdict(Status.DISHONEST, evidence=(note, *[blame] * 20)))
    assert text.startswith("dishonest: ") and "memo" in text and "a note" not in text
    assert len(text) <= 4000


def test_another_preset_is_named() -> None:
    assert evaluated(verdict(Status.INCORRECT), reward="milestone").score == -1.0
    with pytest.raises(UsageError, match="unknown reward"):
        LoopEvaluator("softmax", reward="gold", judge=cast(Judge, None))


def test_a_function_gets_a_module_around_it() -> None:
    pytest.importorskip("torch")
    namespace: dict[str, Any] = {}
    exec(as_module("def kernel_fn(x, factor):\n    return x * factor", "kernel_fn"), namespace)
    assert namespace["ModelNew"](3)(2) == 6
    whole = "class ModelNew: ...\n"
    assert as_module(whole, "kernel_fn") == whole
