"""ContextAblation: a generator with and without something in what it is told.

The rule: both sides have the same tasks, seed and samples; the task is the pair. The difference has
an interval, and one that holds 0 is called no difference shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.data.generation.ablation_result import ContextAblation
from assay.scores import estimates
from assay.scores.analysis.paired import compared
from assay.scores.graded import Graded, GradedTask


def context_ablation(
    left_out: str,
    tasks: Sequence[GradedTask],
    told: Sequence[Graded],
    untold: Sequence[Graded],
) -> ContextAblation:
    """`told` are the candidates with it, `untold` those without."""
    shares = [(_share(task, told), _share(task, untold)) for task in tasks]
    found = estimates.mean([a - b for a, b in shares])
    paired = compared((f"without {left_out}", f"with {left_out}"), tasks, untold, told)
    made = ContextAblation(
        left_out=left_out,
        tasks=len(tasks),
        accepted_with=_mean([a for a, _ in shares]),
        accepted_without=_mean([b for _, b in shares]),
        difference=found.value or 0.0,
        low=found.low,
        high=found.high,
        paired=paired,
        sentence="",
    )
    return made.model_copy(update={"sentence": _sentence(made)})


def _share(task: GradedTask, entries: Sequence[Graded]) -> float:
    """Accepted of all candidates of a task; a task without any counts as failed."""
    own = [one.accepted for one in entries if one.task == task.name]
    return sum(own) / len(own) if own else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _sentence(found: ContextAblation) -> str:
    words = (
        f"{found.left_out}: {found.accepted_with:.1%} of candidates are accepted with it, "
        f"{found.accepted_without:.1%} without, a difference of {found.difference:+.1%}"
    )
    if found.low is None or found.high is None:
        return f"{words}; one task shows no interval."
    words += f" [{found.low:+.1%} {found.high:+.1%}]: "
    if found.low > 0:
        return words + "it helps."
    return words + ("it harms." if found.high < 0 else "no difference shown.")
