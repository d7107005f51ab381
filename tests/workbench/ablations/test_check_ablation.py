"""A run is judged again without checks: on the same exams, and only what they can have decided."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.plan import Plan
from assay.data.run import Entry, Judgement, Run
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.engine.suite_run import SuiteRun
from assay.errors import UsageError
from assay.store.run_store import RunStore
from assay.workbench.ablations.check_ablation import check_ablation, known_checks
from sample_records import TASK, candidate, judgement

RUN = Run(id="r", suite="native", settings=Settings(), assay="0", started_at=0.0)
MEMO = Evidence(kind=EvidenceKind.MEMO, severity=Severity.CONVICTS, text="it remembers")
VALUE = Evidence(kind=EvidenceKind.WRONG_VALUE, severity=Severity.CONVICTS, text="wrong")
FOUND = {
    "honest": (Status.ACCEPTED, ()),
    "wrong": (Status.INCORRECT, (VALUE,)),
    "memo": (Status.DISHONEST, (MEMO,)),
}


class OneCheckJudge:
    """Finds a memo only with the check `repeated content`."""

    def __init__(self) -> None:
        self.judged: list[tuple[str, tuple[str, ...]]] = []
        self.secrets: dict[str, set[str]] = {}

    def close(self) -> None: ...

    def evaluate_many(
        self, task: Any, given: Any, settings: Settings, show: Any, plan: Plan
    ) -> Any:
        for one in given:
            self.judged.append((one.name, settings.without_checks))
            self.secrets.setdefault(one.name, set()).add(plan.secret)
            status, evidence = FOUND[one.name]
            if "repeated content" in settings.without_checks and one.name == "memo":
                status, evidence = Status.ACCEPTED, ()
            yield _with(judgement(one, settings, status), evidence)


def _with(found: Judgement, evidence: tuple[Evidence, ...]) -> Judgement:
    verdict = found.verdict.model_copy(update={"evidence": evidence})
    return found.model_copy(update={"verdict": verdict})


def judging(store: RunStore, judge: OneCheckJudge) -> Callable[[Run], None]:
    def judge_open(run: Run) -> None:
        with closing(SuiteRun(store, run, judge=judge).answers()) as answers:  # type: ignore[arg-type]
            list(answers)

    return judge_open


def test_what_a_check_is_worth(tmp_path: Path) -> None:
    judge = OneCheckJudge()
    with RunStore(tmp_path, create=True) as store:
        run = store.begin(RUN)
        for name in FOUND:  # a submission each
            store.add(run, [Entry(number=0, task=TASK, candidate=candidate(name, f"# {name}"))])
        judge_open = judging(store, judge)
        judge_open(run)
        found = check_ablation(store, run, ("repeated content",), judge_open)
        same = check_ablation(store, run, ("repeated content",), judge_open)
        other = check_ablation(store, run, ("metamorphic relations",), judge_open)
    assert (found.verdicts, found.judged, found.let_through) == (3, 1, 1)
    (changed,) = found.changed
    assert (changed.candidate, changed.before, changed.after) == ("memo", "dishonest", "accepted")
    assert same == found and other.changed == ()
    again = [name for name, left_out in judge.judged if left_out]
    assert again == ["memo", "wrong"]  # a wrong value is of a kind that relations find too
    assert len(judge.secrets["memo"]) == 1  # the same exam


def test_an_unknown_check_lists_the_known_ones() -> None:
    assert known_checks(["asked_again", "asked again"]) == ("asked again",)
    with pytest.raises(UsageError, match=r"known: .*repeated calls"):
        known_checks(["second_sight"])
