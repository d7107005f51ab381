"""Rows: the columns of a judgement, of its timings and of its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json

from assay.data.run import Judgement
from assay.data.verdict import Verdict


def column_text(text: str) -> str:
    """What every database takes: no NUL, no half of a surrogate pair. The blob keeps the text."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()


def judgement_row(key: str, judgement: Judgement, blob: str) -> dict[str, Any]:
    """What is asked of judgements without reading them whole."""
    verdict = judgement.verdict
    return {
        "key": key,
        "task": judgement.task.content_id,
        "candidate": judgement.candidate.id,
        "status": verdict.status.value,
        "correct": verdict.correct.value,
        "honest": verdict.honest.value,
        "reason": column_text(verdict.reason),
        "coverage": verdict.coverage.share if verdict.coverage else None,
        "elapsed_s": verdict.elapsed_s,
        "device": verdict.device,
        "stages": dict(verdict.stages),
        "blob": blob,
    }


def measurement_rows(key: str, judgement: Judgement) -> Iterator[dict[str, Any]]:
    """One for each baseline."""
    for number, timing in enumerate(judgement.verdict.timing or ()):
        yield {
            "key": key,
            "number": number,
            "baseline": column_text(timing.baseline),
            "candidate_us": timing.candidate_us,
            "baseline_us": timing.baseline_us,
            "speedup": timing.speedup,
            "speedup_low": timing.speedup_low,
            "speedup_high": timing.speedup_high,
        }


def evidence_rows(key: str, judgement: Judgement) -> Iterator[dict[str, Any]]:
    """One for each piece of evidence."""
    for number, found in enumerate(judgement.verdict.evidence):
        yield {
            "key": key,
            "number": number,
            "kind": found.kind.value,
            "severity": found.severity.value,
            "place": column_text(found.where),
            "text": column_text(found.text),
        }


def verdict_in(judgement: str) -> Verdict:
    """The verdict of a judgement's JSON; nothing else of it is validated."""
    return Verdict.model_validate(from_json(judgement)["verdict"], strict=False)
