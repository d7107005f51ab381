"""Counted calls: as many calls of one instance as the candidate itself counts to.

The rule: only for a candidate whose source, or an object that it built, compares a counter with a
number. Cheap calls of a small shape follow each other until their number is past it, where the
processor time allows; every answer is judged as that of a repeated call is.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from assay.checks.check_contract import Check, CheckContext
from assay.checks.repeated_calls import Recurrence
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.contract import Stochastic
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import CheckMissing, Observation
from assay.data.settings import Level
from assay.exam.exam import Exam
from assay.exam.workloads.workload_sizes import small_with_rows
from assay.sandbox.host.activity import scheduled
from assay.sandbox.host.session import Session
from assay.source_analysis.literals.source_literal import LiteralUse

_LEAST = 16  # calls that every instance gets anyway
_BEYOND = 3  # calls after the number: a counter may begin at nought, at one or after a build


@dataclass(frozen=True)
class _Most:
    """How far one level counts."""

    calls: int
    seconds: float


_MOST = {
    Level.SMOKE: _Most(256, 0.5),
    Level.QUICK: _Most(1024, 2.0),
    Level.STANDARD: _Most(4096, 6.0),
    Level.FULL: _Most(1 << 17, 30.0),
}


def count_calls(context: CheckContext) -> list[Observation]:
    """Calls up to the largest number that is affordable. Raises Lost."""
    script_runner, most = context.script_runner, _MOST[context.settings.level]
    numbers = counted_to(context.exam)
    near = [n for n in numbers if n <= most.calls]
    missing = [_unreached(n, "more than this level makes") for n in numbers if n > most.calls]
    if not near or isinstance(context.exam.reference.task.contract, Stochastic):
        return [*missing]
    script_runner.begin(None)  # no batch of the script: the hard limit alone holds
    small = small_with_rows(context.exam, script_runner.refused())
    wanted = max(near) + _BEYOND
    clock = partial(_processor_s, script_runner.session)
    seen = Recurrence(script_runner, small or 0, most.seconds, wanted, clock).run()
    if seen.calls < wanted and not script_runner.wrong:
        missing.append(_unreached(max(near), f"there was time for {seen.calls}"))
    return [seen, *missing]


def _processor_s(session: Session) -> float:
    """Processor time of the judge's thread and of the busiest thread of the candidate.

    Beside ten busy processes 900 short calls did not fit into 3 s by the host's clock.
    """
    threads = [one for pid in session.process.processes.pids() for one in scheduled(pid).values()]
    return time.thread_time() + max((one.ran_ns for one in threads), default=0) / 1e9


def counted_to(exam: Exam) -> list[int]:
    """Numbers that the candidate compares a counter with, the smaller ones first."""
    counters = [one for one in exam.literals if one.use is LiteralUse.COUNTER and one.is_integer]
    return sorted({abs(int(one.value)) for one in counters if abs(one.value) > _LEAST})


def _unreached(number: int, reason: str) -> CheckMissing:
    text = f"it compares a counter with {number} calls: {reason}"
    return CheckMissing(check="counted calls", reason=text, essential=False)


CHECK = Check(
    CheckDeclaration(
        name="counted calls",
        text="Is every answer right up to the number of calls that the candidate counts to?",
        kinds=(EvidenceKind.WRONG_VALUE, EvidenceKind.PHASE, EvidenceKind.NOT_REPEATABLE),
        cost=Cost.CALLS,
        most="where a counter is compared: 256 calls in 0.5 s at smoke, 1024 in 2 s at quick, "
        "4096 in 6 s, 2^17 in 30 s",
        stages=(CheckStage.CALLED,),
    ),
    count_calls,
    phase="repeated calls",
)
