"""Rounds: where candidates go from one round of a generator to the next.

Source: the transition analysis of KernelBench-X. The rule: a candidate follows the parent that it
names, else the candidate of the round before in the same sample; means are geometric, because one
absurd speedup would swamp an arithmetic one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from enum import StrEnum

from assay.data.scoring.score_analysis import RepairBias, Transitions
from assay.scores.analysis.round_steps import round_of, steps
from assay.scores.estimates import geometric
from assay.scores.graded import Graded


class RoundState(StrEnum):
    """How far one candidate came."""

    CALL_FAILED = "call_failed"
    WRONG = "not_accepted"
    SLOW = "accepted_not_faster"
    FAST = "accepted_faster"


def round_state(one: Graded) -> RoundState:
    """An accepted candidate without a time is not faster."""
    if one.accepted:
        return RoundState.FAST if (one.speedup or 0.0) > 1.0 else RoundState.SLOW
    return RoundState.WRONG if one.called else RoundState.CALL_FAILED


def transitions(entries: Iterable[Graded]) -> tuple[Transitions, ...]:
    """One matrix for each pair of rounds; a step whose ends are not both judged is in none."""
    found: dict[tuple[int, int], Counter[tuple[str, str]]] = defaultdict(Counter)
    for before, after in steps(entries):
        if before.status is None or after.status is None:
            continue
        rounds = round_of(before), round_of(after)
        found[rounds][round_state(before).value, round_state(after).value] += 1
    states = [state.value for state in RoundState]
    return tuple(
        Transitions(
            from_round=first,
            to_round=second,
            chains=counts.total(),
            counts={a: {b: counts[a, b] for b in states} for a in states},
        )
        for (first, second), counts in sorted(found.items())
    )


def repair_bias(entries: Iterable[Graded]) -> RepairBias:
    """Speedups of kernels that became right in a step, against those that were right before it.

    ratio = geometric mean of the rescued / geometric mean of the steady; p by Mann-Whitney.
    """
    pairs = [(a, b) for a, b in steps(entries) if b.accepted and b.speedup is not None]
    rescued = [float(b.speedup or 0) for a, b in pairs if not a.accepted]
    steady = [float(b.speedup or 0) for a, b in pairs if a.accepted]
    first, second = geometric(rescued), geometric(steady)
    common = RepairBias(
        rescued=len(rescued), steady=len(steady), rescued_speedup=first, steady_speedup=second
    )
    if first is None or second is None:
        text = "a comparison needs timed kernels of both kinds, from candidates with a round"
        return common.model_copy(update={"reason": text})
    from scipy.stats import mannwhitneyu

    p = float(mannwhitneyu(rescued, steady).pvalue)
    return common.model_copy(update={"ratio": first / second, "p": p})
