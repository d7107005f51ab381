"""Check: one thing that is asked of a candidate beyond plain calls.

The rule: a check says what it saw and decides nothing; what it declares decides when it runs. The
candidate's process is asked ordinary calls alone, so it never learns which check runs. A check that
fails is named as unknown, and unknown never passes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from assay.data.candidate import Candidate
from assay.data.check import CheckDeclaration, CheckStage, Execution
from assay.data.device import Device
from assay.data.observations.observation import CheckMissing, CheckSeen, Observation
from assay.data.progress import Report
from assay.data.settings import Settings
from assay.errors import AssayError, HostError
from assay.exam.build_cache import BuildCache
from assay.exam.exam import Exam
from assay.exam.script import ScriptedBatch
from assay.exam.script_runner import ScriptRunner
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall

Observations = Sequence[Observation]
_KINDS = get_args(get_args(Observation)[0])


@dataclass(frozen=True)
class CheckContext:
    """What a check works with. Everything it may do to the candidate goes through these."""

    candidate: Candidate
    settings: Settings
    device: Device
    execution: Execution
    wall: Wall  # for a check that needs another process of the candidate
    cache: BuildCache | None  # of builds, for such a process
    exam: Exam
    session: Session  # the candidate's process; after the timing each of them in turn
    script_runner: (
        ScriptRunner  # asks by the exam's rules: answers are judged and kept like any other
    )
    report: Report
    stage: CheckStage
    deadline: Deadline  # of the calls that this check makes itself
    seen: tuple[
        Observation, ...
    ]  # so far; calls are with the script runner until all have been made
    batch: int = 0  # among the calls: the one that has just ended
    thorough: bool = True  # among the calls: whether this look may take its time
    has_company: bool = False  # whether other candidates may be at work on the device now


def _seen_in_calls(context: CheckContext) -> Observations:
    return ()


def _no_batches(exam: Exam) -> Sequence[ScriptedBatch]:
    return ()


@dataclass(frozen=True)
class Check:
    """A declaration, and the code behind it."""

    declared: CheckDeclaration
    run: Callable[[CheckContext], Observations] = _seen_in_calls
    batches: Callable[[Exam], Sequence[ScriptedBatch]] = _no_batches  # mixed into the script
    phase: str = ""  # to which an end of the process is attributed; empty: that of the stage

    def is_due(self, context: CheckContext) -> bool:
        """Whether it runs now, by what it declares."""
        declared, settings = self.declared, context.settings
        return (
            context.stage in declared.stages
            and settings.level in declared.levels
            and settings.track in declared.tracks
            and context.execution in declared.executions
            and (declared.of_wrong or not context.script_runner.wrong)
        )


def mixed_in(checks: Iterable[Check], exam: Exam) -> list[ScriptedBatch]:
    """The batches that checks add to the script. Raises HostError, which names the check."""
    found: list[ScriptedBatch] = []
    for check in checks:
        declared = check.declared
        if exam.plan.level in declared.levels and exam.plan.track in declared.tracks:
            try:
                found += check.batches(exam)
            except Exception as error:
                if isinstance(error, AssayError):
                    raise
                text = f"check {declared.name}: {type(error).__name__}: {error}"
                raise HostError(text) from error
    return found


def observed(check: Check, context: CheckContext) -> list[Observation]:
    """What a check saw, or that it failed. Raises Lost, and failures that have a status."""
    if check.run is not _seen_in_calls and context.stage is not CheckStage.AMONG_CALLS:
        context.report(f"check: {check.declared.name}", None)
    try:
        found = list(check.run(context))
        _admit(check.declared, found)
        return found
    except Exception as error:
        ended = isinstance(error, ProcessLost) and context.stage is CheckStage.ENDED  # by us
        if isinstance(error, AssayError) and not ended:
            raise
        logging.getLogger(__name__).debug("check %s", check.declared.name, exc_info=True)
        reason = f"{type(error).__name__}: {error}"
        return [CheckMissing(check=check.declared.name, reason=reason, essential=True)]


def _admit(declared: CheckDeclaration, found: Iterable[object]) -> None:
    for one in found:
        if not isinstance(one, _KINDS):
            raise TypeError(f"it returned no observation but {type(one).__name__}")
        if isinstance(one, CheckSeen):
            strange = {e.kind.value for e in one.findings} - {k.value for k in declared.kinds}
            if strange:
                raise ValueError(f"kinds that it did not declare: {', '.join(sorted(strange))}")
