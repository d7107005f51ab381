"""What `assay pairs` wrote, in words: each count with what it is a share of."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from assay.data.scoring.pairs import PairSummary, StepOutcome

_WORDS = {
    StepOutcome.ERROR_CORRECTION: "correct an error: pairs",
    StepOutcome.OPTIMISATION: "are shown to be faster: pairs",
    StepOutcome.WITHIN_NOISE: "gain or lose nothing beyond their interval",
    StepOutcome.SLOWER: "are shown to be slower",
    StepOutcome.NOT_COMPARABLE: "were not timed under the same conditions",
    StepOutcome.STILL_FAILING: "fail as before",
    StepOutcome.BROKEN: "break an accepted candidate",
    StepOutcome.SAME_SOURCE: "change nothing in the source",
    StepOutcome.REPEATED: "repeat a pair that is there",
    StepOutcome.UNDECIDED: "have a side that is suspicious or not judged",
    StepOutcome.CLAIMED: "are claims of others: --claimed makes pairs of them",
}


def pairs_text(found: PairSummary) -> RenderableType:
    """A few lines."""
    lines = [f"{found.pairs} pairs of {found.steps} steps between {found.entries} candidates"]
    for outcome in StepOutcome:
        if count := found.outcomes.get(outcome.value, 0):
            lines.append(f"  {count} of {found.steps} {_WORDS[outcome]}")
    rate = f"{100 * found.interval_rate:.3g} %"
    lines.append(
        f"A gain counts where its {rate} interval lies above 1: of equal kernels compared, "
        f"{100 * found.false_gains:.3g} % would be called faster"
    )
    if found.claimed_noise is not None:
        noise = f"{100 * found.claimed_noise:.3g} %"
        lines.append(f"A claim has no interval: claimed gains of less than {noise} do not count")
    lines += [f"left out: {count} tasks ({why})" for why, count in found.left_out.items()]
    lines.append(
        f"{found.train} to train on, {found.held_out} held out: {found.held_out_tasks} of "
        f"{found.tasks} tasks, in {found.task_groups} groups of near-identical ones"
    )
    lines += [f"wrote {path} ({rows} rows)" for path, rows in found.files.items()]
    return Group(*(Text(line) for line in lines))
