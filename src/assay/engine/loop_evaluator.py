"""LoopEvaluator: our judge as the evaluator of someone else's loop.

    evaluator = LoopEvaluator("softmax", level="quick")
    result = evaluator("kernel.py")          # or a source as text
    result.score, result.accepted, result.feedback

The rule: the score is a reward preset of the verdict, so that no doubt is paid. What a loop may
tell its model is the feedback, in few words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from assay.data.candidate import Candidate
from assay.data.evidence import Severity
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.engine.judge import Judge
from assay.scores.rewards import earned, reward_of

_MOST_FEEDBACK = 4000  # characters
_MOST_FINDINGS = 8
_ENTRY = "ModelNew"


@dataclass(frozen=True)
class LoopResult:
    """What a loop needs to know of one candidate."""

    score: float
    accepted: bool
    status: str
    speedup: float | None
    latency_us: float | None
    feedback: str
    verdict: Verdict = field(repr=False)

    @property
    def metrics(self) -> dict[str, float]:
        """Numbers only, for loops that keep a table; what is not known is left out."""
        found = {"combined_score": self.score, "accepted": float(self.accepted)}
        known = {"speedup": self.speedup, "latency_us": self.latency_us}
        return found | {name: value for name, value in known.items() if value is not None}


class LoopEvaluator:
    """Judges candidates of one task, for any number of threads; settings as for a `Judge`."""

    def __init__(
        self,
        task: str | Path | Task,
        reward: str = "kevin",
        judge: Judge | None = None,
        **settings: Any,
    ) -> None:
        self._task, self._reward = task, reward_of(reward)
        self._own = None if judge else Judge(**settings)
        self._judge = judge or self._own
        self._settings = settings if judge else {}

    def __call__(self, candidate: str | Path | Candidate) -> LoopResult:
        """Judge a file, or a source as text."""
        assert self._judge is not None
        verdict = self._judge.evaluate(self._task, candidate, **self._settings)
        good = earned(verdict)
        timing = verdict.timing[0] if good and verdict.timing else None
        return LoopResult(
            score=self._reward(verdict),
            accepted=good,
            status=verdict.status.value,
            speedup=timing.speedup if timing else None,
            latency_us=timing.candidate_us if timing else None,
            feedback=feedback_of(verdict),
            verdict=verdict,
        )

    def close(self) -> None:
        """End the judge, where it is its own."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> LoopEvaluator:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()


def feedback_of(verdict: Verdict) -> str:
    """A verdict in few words: status, reason, findings, speed, how it is wrong."""
    lines = [f"{verdict.status.value}: {verdict.reason}"]
    findings = [one for one in verdict.evidence if one.severity is not Severity.NOTE]
    lines += [f"- {one.kind.value}: {one.text}" for one in findings[:_MOST_FINDINGS]]
    for one in verdict.timing or ():
        interval = f"[{one.speedup_low:.3g} {one.speedup_high:.3g}]"
        lines.append(f"{one.speedup:.3g} times as fast as {one.baseline} {interval}")
    return "\n".join(lines)[:_MOST_FEEDBACK]


def as_module(source: str, function: str, entry: str = _ENTRY) -> str:
    """A source whose kernel is a function, with a module around it that calls the function.

    For tasks without parameters: the module hands its inputs on, in order.
    """
    if f"class {entry}" in source:
        return source
    lines = [
        "",
        "",
        "import torch as _torch",
        "",
        "",
        f"class {entry}(_torch.nn.Module):",
        "    def __init__(self, *settings):",
        "        super().__init__()",
        "        self._settings = settings",
        "",
        "    def forward(self, *inputs):",
        f"        return {function}(*inputs, *self._settings)",
        "",
    ]
    return source.rstrip("\n") + "\n".join(lines)
