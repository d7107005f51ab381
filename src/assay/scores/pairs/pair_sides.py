"""Pair sides: what a pair keeps of one candidate, taken from its entry and its verdict."""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.run import Entry
from assay.data.scoring.pairs import ErrorSignature, PairSide
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.scores.graded import Graded, stated_timing
from assay.scores.pairs import error_signature


@dataclass(frozen=True)
class SideFacts:
    """One candidate with what its pair says of task and judge."""

    side: PairSide
    task: Task
    model: str = ""
    evaluator: str = ""
    level: str = ""
    track: str = ""


def side_facts(one: Graded, entry: Entry, verdict: Verdict | None) -> SideFacts:
    """All that a pair needs; the verdict need not be kept."""
    made = entry.candidate.provenance
    claimed = made.claimed if verdict is None else None
    side = PairSide(
        candidate_id=one.candidate_id,
        name=one.name,
        run=one.run,
        number=one.number,
        language=entry.candidate.language,
        sources=entry.candidate.sources,
        round=made.round,
        status=one.status.value if one.status else "",
        claimed=claimed,
        coverage=one.coverage,
        latency_us=one.candidate_us,
        speedup=one.speedup,
        speedup_low=one.speedup_low,
        speedup_high=one.speedup_high,
        conditions=conditions(verdict) if verdict else "",
        tokens_in=made.tokens_in,
        tokens_out=made.tokens_out,
        tokens_cached=made.tokens_cached,
        cost_usd=made.cost_usd,
        error=error_signature.of_claim(claimed) if claimed else _error(verdict),
    )
    model = made.generator.model if made.generator else ""
    if verdict is None:
        judge = f"claimed by {claimed.source}" if claimed else ""
        return SideFacts(side, entry.task, model, judge)
    judge = f"assay {verdict.environment.assay}"
    return SideFacts(side, entry.task, model, judge, verdict.level.value, verdict.track.value)


def conditions(verdict: Verdict) -> str:
    """Under which it was timed; empty where it was not."""
    timing, here = stated_timing(verdict), verdict.environment
    if timing is None:
        return ""
    parts = (
        f"over {timing.baseline}",
        f"cache {timing.cache or 'unknown'}",
        f"own workload {verdict.own_workload.value}",
        here.device.name,
        f"driver {here.device.driver or 'none'}",
        f"torch {here.torch}",
        f"{here.threads} threads",
    )
    return "; ".join(parts)


def _error(verdict: Verdict | None) -> ErrorSignature | None:
    return error_signature.of_verdict(verdict) if verdict else None
