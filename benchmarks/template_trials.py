"""TaskSearch: points of one task's template, judged several at a time; and its winner, judged anew.

The rule: nothing is waited for beyond the stop time. What was judged until then is kept, what was
not is cancelled, and a task of which nothing was judged has no row. Nothing is written of a task
that the time cut off but a row which says that it is not complete.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any

from large_shapes import copy_bandwidth, large_task

from assay import Judge
from assay.data.candidate import Candidate
from assay.data.generation.attempt import Attempt
from assay.data.run import Judgement
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.generators.candidate_generator import CandidateGenerator, GenerationRequest, Proposal
from assay.languages.candidate_file import candidate_of_text

Row = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """How candidates are judged."""

    device: str
    trials: int
    at_once: int  # points of one task that are judged side by side
    trial_level: str
    level: str  # of winners
    baselines: tuple[str, ...]  # of winners
    timing: bool
    large: bool


def judged(
    judge: Judge, task: Task, candidates: Sequence[Candidate], until: float, **options: Any
) -> list[Verdict | None]:
    """Each verdict; None where the stop time came first, or our own machinery failed."""
    futures = [judge.submit(task, one, **options) for one in candidates]
    wait(futures, timeout=max(0.0, until - time.monotonic()))
    return [_verdict(one) for one in futures]


def _verdict(future: Future[Judgement]) -> Verdict | None:
    if not future.done():
        future.cancel()
    if future.cancelled():
        return None
    error = future.exception()
    if error is not None:
        print(f"not judged: {type(error).__name__}: {error}", flush=True)
        return None
    return future.result().verdict


@dataclass
class TaskSearch:
    """The search of one task."""

    task: Task
    generator: CandidateGenerator
    judge: Judge
    asked: Asked
    until: float  # of time.monotonic()
    attempts: list[Attempt] = field(default_factory=list)
    stages: Counter[str] = field(default_factory=Counter)  # seconds of all attempts, by stage

    def rows(self, first: Proposal) -> Iterator[Row]:
        """Search, from the first proposal on: what is known after each batch."""
        start = time.monotonic()
        batch = self._filled([first])
        while batch:
            done = len(self.attempts)
            self._judge(batch)
            if len(self.attempts) < done + len(batch):  # the stop time came
                if len(self.attempts) > done:
                    yield self._row(start, complete=False)
                return
            batch = self._filled([])
            yield self._row(start, complete=not batch)

    def _row(self, start: float, complete: bool) -> Row:
        row: Row = {
            "kind": "trials",
            "task": self.task.id,
            "device": self.asked.device,
            "tags": list(self.task.tags),
            "covered": True,
            "complete": complete,
            "trials": [_trial(one) for one in self.attempts],
            "seconds": round(time.monotonic() - start, 1),
            "stages": {name: round(seconds, 1) for name, seconds in self.stages.items()},
        }
        good = [one for one in self.attempts if one.accepted]
        best = max(good, key=lambda one: one.speedup or 0.0, default=self.attempts[0])
        row |= {"status": best.status, "reason": best.reason, "speedup": best.speedup}
        return {**row, "choices": dict(best.choices), "source": best.source if good else None}

    def _filled(self, batch: list[Proposal]) -> list[Proposal]:
        """Up to `at_once` proposals; one that is not judged yet counts as tried."""
        most = min(self.asked.at_once, self.asked.trials - len(self.attempts))
        if not self.asked.timing:
            return batch  # without times there is nothing to choose by
        while len(batch) < most and time.monotonic() < self.until:
            waiting = [_attempt(n, self.task, one, None) for n, one in enumerate(batch)]
            given = {"history": tuple(self.attempts), "waiting": tuple(waiting)}
            request = GenerationRequest(self.task, self.asked.device, **given)
            found = self.generator.propose(request, lambda _: None)
            if not isinstance(found, Proposal):
                break
            batch.append(found)
        return batch

    def _judge(self, batch: list[Proposal]) -> None:
        options: dict[str, Any] = {"level": self.asked.trial_level, "timing": self.asked.timing}
        texts = [one.candidate for one in batch]
        verdicts = judged(self.judge, self.task, texts, self.until, **options)
        for proposal, verdict in zip(batch, verdicts, strict=True):
            if verdict is not None:
                number = len(self.attempts)
                self.stages.update(verdict.stages)
                self.attempts.append(_attempt(number, self.task, proposal, verdict))


def winner_row(task: Task, trials: Row, judge: Judge, asked: Asked, until: float) -> Row | None:
    """The winner of the trials judged anew: another secret, all baselines."""
    start = time.monotonic()
    candidate = candidate_of_text(trials["source"])
    options = {"level": asked.level, "timing": asked.timing, "baselines": asked.baselines}
    (verdict,) = judged(judge, task, [candidate], until, **options)
    if verdict is None:
        return None
    row = {"kind": "winner", "task": task.id, "choices": trials["choices"], **_fields(verdict)}
    if asked.large and verdict.status.value == "accepted":
        row["large"] = _large(task, candidate, verdict, judge, until)
    return {**row, "seconds": round(time.monotonic() - start, 1)}


def _attempt(number: int, task: Task, proposal: Proposal, verdict: Verdict | None) -> Attempt:
    timing = verdict.timing[0] if verdict and verdict.timing else None
    return Attempt(
        number=number,
        task=task.id,
        candidate=proposal.candidate.id,
        source=proposal.candidate.main.text,
        choices=dict(proposal.choices),
        status=verdict.status.value if verdict else "",
        reason=verdict.reason if verdict else "",
        feedback=verdict.timing_reason or "" if verdict else "",
        speedup=timing.speedup if timing else None,
        speedup_low=timing.speedup_low if timing else None,
        speedup_high=timing.speedup_high if timing else None,
        latency_us=timing.candidate_us if timing else None,
        sol_us=verdict.limits.sol_us if verdict and verdict.limits else None,
    )


def _trial(one: Attempt) -> Row:
    return {
        "choices": dict(one.choices),
        "status": one.status,
        "reason": "" if one.accepted else one.reason,
        "speedup": one.speedup,
        "timing_reason": one.feedback,
        "candidate_us": one.latency_us,
    }


def _fields(verdict: Verdict) -> Row:
    limits = verdict.limits
    return {
        "status": verdict.status.value,
        "reason": verdict.reason,
        "level": verdict.level.value,
        "stages": {name: round(seconds, 1) for name, seconds in verdict.stages.items()},
        "timing": [one.model_dump(mode="json") for one in verdict.timing or ()],
        "timing_reason": verdict.timing_reason,
        "bound": limits.bound if limits else None,
        "bytes": limits.bytes if limits else None,
        "sol_fraction": limits.sol_fraction if limits else None,
        "coverage": verdict.coverage.share if verdict.coverage else None,
    }


def _large(task: Task, candidate: Candidate, verdict: Verdict, judge: Judge, until: float) -> Row:
    """The winner at a shape whose bytes are several times the cache."""
    if verdict.limits is None or verdict.limits.bound != "memory":
        return {"reason": "memory does not bind this task"}
    try:
        larger = large_task(task, verdict.limits.bytes)
    except ValueError as problem:
        return {"reason": str(problem)}
    (found,) = judged(judge, larger, [candidate], until, level="smoke", timing=True)
    if found is None:
        return {"reason": "the time was up"}
    row = _fields(found)
    if found.timing and found.limits:
        row["bytes_per_s"] = found.limits.bytes / found.timing[0].candidate_us * 1e6
        copied = copy_bandwidth()
        row["of_copy"] = row["bytes_per_s"] / copied if copied else None
    return row
