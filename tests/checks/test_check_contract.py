"""When a check is due, and what becomes of one that fails."""

from __future__ import annotations

from typing import Any, cast

import pytest
from pydantic import ValidationError

from assay.checks.check_contract import Check, observed
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import CheckMissing, CheckSeen, EndCause
from assay.data.settings import Level, Track
from assay.errors import TaskError
from assay.sandbox.host.sandboxed_process import ProcessLost
from checks.contexts import context_of
from checks.outside import CONVICTING, FINDING, acquit, check, fail


class _Examiner:
    def __init__(self, wrong: int = 0) -> None:
        self.wrong = wrong


def _context(wrong: int = 0, **options: Any) -> Any:
    return context_of(cast(Any, _Examiner(wrong)), **options)


def test_what_is_declared_decides_when_a_check_runs() -> None:
    declared = CheckDeclaration(
        name="narrow",
        text="?",
        kinds=(),
        cost=Cost.CALLS,
        most="one call",
        stages=(CheckStage.CALLED, CheckStage.TIMED),
        levels=(Level.FULL,),
        tracks=(Track.KERNEL,),
        executions=(Execution.CPU,),
    )
    narrow = Check(declared, acquit)
    assert narrow.is_due(_context(level=Level.FULL))
    assert narrow.is_due(_context(level=Level.FULL, stage=CheckStage.TIMED))
    assert not narrow.is_due(_context(level=Level.STANDARD))
    assert not narrow.is_due(_context(level=Level.FULL, stage=CheckStage.BUILT))
    assert not narrow.is_due(_context(level=Level.FULL, execution=Execution.DEVICE))
    assert not narrow.is_due(_context(wrong=1, level=Level.FULL))
    other = declared.model_copy(update={"tracks": (Track.OPEN,), "of_wrong": True})
    assert not Check(other, acquit).is_due(_context(level=Level.FULL))


def test_a_check_that_fails_is_named_and_essential() -> None:
    (seen,) = observed(check(fail), _context())
    assert isinstance(seen, CheckMissing) and seen.essential
    assert seen.check == "of others" and seen.reason == "LookupError: no such thing"


def test_what_is_no_observation_is_a_failure() -> None:
    (seen,) = observed(check(lambda context: cast(Any, ["fine"])), _context())
    assert isinstance(seen, CheckMissing) and "str" in seen.reason
    (seen,) = observed(check(lambda context: cast(Any, None)), _context())
    assert isinstance(seen, CheckMissing) and seen.essential


def test_a_kind_that_was_not_declared_is_a_failure() -> None:
    found = FINDING.model_copy(update={"kind": EvidenceKind.MEMO})
    undeclared = CheckSeen(check="of others", findings=(FINDING, found))
    (seen,) = observed(check(lambda context: [undeclared]), _context())
    assert isinstance(seen, CheckMissing) and "memo" in seen.reason
    assert observed(CONVICTING, _context()) == [CheckSeen(check="of others", findings=(FINDING,))]


@pytest.mark.parametrize("kind", [EvidenceKind.CRASHED, EvidenceKind.UNKNOWN])
def test_how_a_run_ended_is_no_finding_of_a_check(kind: EvidenceKind) -> None:
    with pytest.raises(ValidationError, match=kind.value):
        CheckDeclaration(name="x", text="?", kinds=(kind,), cost=Cost.NOTHING, most="", stages=())


def test_ends_and_failures_with_a_status_of_their_own_pass() -> None:
    def end(context: object) -> Any:
        raise ProcessLost(EndCause.EXITED, 1, "gone")

    def broken(context: object) -> Any:
        raise TaskError("the reference fails")

    with pytest.raises(ProcessLost):
        observed(check(end), _context())
    with pytest.raises(TaskError):
        observed(check(broken), _context())
    (seen,) = observed(check(end), _context(stage=CheckStage.ENDED))  # it was ended by us
    assert isinstance(seen, CheckMissing)
