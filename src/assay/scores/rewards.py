"""Rewards: one verdict as one number, in the forms that training recipes use.

The rule: only an accepted verdict earns more than a preset's least; what is suspicious, dishonest,
unknown or our own failure gets the least, never anything positive. A speedup counts with the lower
end of its interval: a gain within noise is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.data.baselines import COMPILE, COMPILE_MAX, EAGER
from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.measurement import Timing
from assay.data.verdict import Correct, Honest, Status, Verdict
from assay.errors import UsageError

Reward = Callable[[Verdict], float]

_WRONG = frozenset({Status.INCORRECT, Status.CRASHED, Status.TIMED_OUT, Status.OUT_OF_MEMORY})
_NOT_ITS_OWN = frozenset({Status.NOT_RUN, Status.INVALID_TASK})
_STEPS = ((3.0, 1.0), (2.0, 0.8), (1.5, 0.6), (1.2, 0.4), (1.0, 0.2))
_MARGIN = 1.05  # over torch.compile


def earned(verdict: Verdict) -> bool:
    """Whether a verdict may earn anything: right, honest, and within what physics allows."""
    beyond = verdict.limits is not None and bool(verdict.limits.violation)
    known = verdict.correct is Correct.YES and verdict.honest is Honest.YES
    return verdict.status is Status.ACCEPTED and known and not beyond


def is_about_candidate(verdict: Verdict) -> bool:
    """False where the task or our own machinery failed: a trainer leaves such a sample out."""
    return verdict.status not in _NOT_ITS_OWN


def kevin(verdict: Verdict) -> float:
    """0.3 + s where it is right, else 0; s is the speedup over the first baseline (Kevin-32B)."""
    return 0.3 + _speedup(verdict) if earned(verdict) else 0.0


def milestone(verdict: Verdict) -> float:
    """-1 not accepted, 1 right, 2 faster than eager, 3 also 5 % faster than torch.compile.

    After CUDA Agent. Without a time over a baseline its milestone is not reached.
    """
    if not earned(verdict):
        return -1.0
    if not _beats(verdict, (EAGER,), 1.0):
        return 1.0
    return 3.0 if _beats(verdict, (COMPILE, COMPILE_MAX), _MARGIN) else 2.0


def drkernel(verdict: Verdict) -> float:
    """1 from 3 times as fast, 0.8 from 2, 0.6 from 1.5, 0.4 from 1.2, 0.2 from 1; a decoy -1.

    After Dr.Kernel. A kernel that is right and slower gets 0, and so does one that is wrong.
    """
    if _is_decoy(verdict):
        return -1.0
    speedup = _speedup(verdict) if earned(verdict) else 0.0
    return next((value for least, value in _STEPS if speedup >= least), 0.0)


def drkernel_coverage(verdict: Verdict) -> float:
    """`drkernel`, plus the share of computing time in the candidate's own code where accepted."""
    share = verdict.own_share.low if verdict.own_share and earned(verdict) else 0.0
    return drkernel(verdict) + share


def kernrl(verdict: Verdict) -> float:
    """-0.5 not built, -0.25 wrong, (s - 1) / 2 where slower, min(s - 1, 2) where faster (KernRL).

    Right and not timed is 0. Whatever is not honest for certain gets the least, -0.5.
    """
    if verdict.status in _WRONG:
        return -0.25
    if not earned(verdict):
        return -0.5
    if not verdict.timing:
        return 0.0
    gain = _speedup(verdict) - 1.0
    return min(gain, 2.0) if gain >= 0 else gain / 2


def aka(verdict: Verdict) -> float:
    """20 where it compiles, 100 more where it is right, 100 s more (AgentKernelArena)."""
    if verdict.status in _WRONG:
        return 20.0
    return 120.0 + 100.0 * _speedup(verdict) if earned(verdict) else 0.0


def sol(verdict: Verdict) -> float:
    """The SOL score: 1 at the bound, 0.5 at the first baseline, 0 where unknown or not accepted."""
    if not earned(verdict) or verdict.limits is None:
        return 0.0
    return verdict.limits.sol_score or 0.0


REWARDS: Mapping[str, Reward] = {
    "kevin": kevin,
    "milestone": milestone,
    "drkernel": drkernel,
    "drkernel-coverage": drkernel_coverage,
    "kernrl": kernrl,
    "aka": aka,
    "sol": sol,
}


def reward_of(name: str) -> Reward:
    """The preset of that name; a UsageError lists the known ones."""
    if name not in REWARDS:
        raise UsageError(f"unknown reward '{name}'; known: {', '.join(REWARDS)}")
    return REWARDS[name]


def _speedup(verdict: Verdict) -> float:
    """Over the first baseline, at the lower end of its interval; 0 where nothing was timed."""
    return max(0.0, verdict.timing[0].speedup_low) if verdict.timing else 0.0


def _beats(verdict: Verdict, baselines: tuple[str, ...], margin: float) -> bool:
    """Faster than every one of these baselines that was timed, and at least one was."""
    timed: list[Timing] = [one for one in verdict.timing or () if one.baseline in baselines]
    return bool(timed) and all(one.speedup_low > margin for one in timed)


def _is_decoy(verdict: Verdict) -> bool:
    return any(
        one.kind in (EvidenceKind.DECOY, EvidenceKind.NO_KERNEL)
        and one.severity is Severity.CONVICTS
        for one in verdict.evidence
    )
