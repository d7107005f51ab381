"""The flat view of a verdict says no more than the verdict."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from assay.data.candidate import Candidate, Provenance, SourceFile
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.generator import Generator
from assay.data.run import Entry
from assay.data.scoring.score import Weighting
from assay.data.task import Task
from assay.data.verdict import Coverage, Outcome, Status
from assay.scores.graded import GradedShape, graded, graded_task, shapes_of
from sample_records import TIMING, row, verdict

CANDIDATE = Candidate(
    name="k.py",
    language="torch",
    sources=(SourceFile(path="k.py", text=""),),
    provenance=Provenance(generator=Generator(name="G", model="m"), tokens_in=3, tokens_out=4),
)
ENTRY = Entry(
    number=7, task=Task(id="level1/3_x", format="kernelbench", source=""), candidate=CANDIDATE
)


def test_an_entry_without_a_verdict_is_no_success() -> None:
    one = graded("run", ENTRY, None)
    assert one.status is None and not one.accepted and not one.called
    assert one.credit(Weighting.PUBLISHED) == 0.0
    assert (one.generator, one.tokens) == ("G m", 7)


def test_what_a_verdict_says_is_kept() -> None:
    share = Coverage(asked=4, answered=3, refused=1, share=0.75)
    said = verdict(coverage=share, timing=(TIMING,), workloads=(row(4),))
    one = graded("run", ENTRY, said)
    assert one.accepted and one.called and one.speedup == 2.0
    assert (one.device, one.backend) == ("Sample CPU", "cpu")
    assert one.credit(Weighting.COVERAGE) == 0.75


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.ACCEPTED])
def test_only_accepted_is_success(status: Status) -> None:
    assert graded("run", ENTRY, verdict(status)).credit(Weighting.PUBLISHED) == 0.0


def test_a_candidate_that_only_raises_was_not_called() -> None:
    raised = Evidence(kind=EvidenceKind.RAISED, severity=Severity.CONVICTS, text="it raised")
    assert graded("run", ENTRY, verdict(Status.INCORRECT)).called
    assert not graded("run", ENTRY, verdict(Status.INCORRECT, evidence=(raised,))).called
    refused = (row(4, Outcome.REFUSED, None),)
    assert not graded("run", ENTRY, verdict(Status.INCORRECT, workloads=refused)).called
    assert not graded("run", ENTRY, verdict(Status.BUILD_FAILED)).called


def test_speedups_at_other_shapes_are_read_where_there_are_some() -> None:
    timed = SimpleNamespace(category="tiny", speedup=2.0, candidate_us=1.0, baseline_us=2.0)
    missing = SimpleNamespace(category="large", speedup=None, candidate_us=None, baseline_us=None)
    assert shapes_of(SimpleNamespace(shape_times=(timed, missing))) == (
        GradedShape("tiny", 2.0, 1.0, 2.0),
    )
    assert shapes_of(SimpleNamespace(shape_times=None)) == ()
    assert shapes_of(verdict()) == ()


def test_categories_come_from_tags_or_the_folder() -> None:
    assert graded_task(ENTRY.task).category == "level1"
    tagged = ENTRY.task.model_copy(update={"tags": ("category:Loss", "kerneleval:fused")})
    assert graded_task(tagged).category == "Loss" and graded_task(tagged).operator == "fused"
