"""Verdicts of a bundle made again, and what is said where they differ."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import pytest

import assay
from assay.data.published.bundle import Agreement, Manifest
from assay.data.run import Entry, Judgement
from assay.data.verdict import Honest, Status, Verdict
from assay.engine.bundle_check import MeasuringAgain, compared, disagreements, verified
from assay.store.bundles.evaluator_id import evaluator_id
from assay.tasks.catalog import resolve
from bundled_run import of, timed
from sample_records import TIMING, candidate, verdict

TASK = resolve("softmax")
ENTRY = Entry(number=4, task=TASK, candidate=candidate())
MANIFEST = Manifest(
    run="r",
    assay=assay.__version__,
    bundled_by=assay.__version__,
    evaluator=evaluator_id(),
    files=(),
)


def forged(one: Judgement) -> Judgement:
    update = {"status": Status.ACCEPTED, "honest": Honest.YES, "reason": "trust me"}
    return one.model_copy(update={"verdict": one.verdict.model_copy(update=update)})


def test_a_verdict_that_follows_is_the_same() -> None:
    found = verified(ENTRY, of(ENTRY), MANIFEST)
    assert found.verdict is Agreement.SAME and found.differs == () and found.why == ""
    assert found.stored == found.judged and list(disagreements([found])) == []


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, "the record was changed"),
        ({"evaluator": "0" * 64}, "another state of Assay"),
        ({"assay": "0.0.1"}, "Assay 0.0.1 judged it"),
    ],
)
def test_a_verdict_that_does_not_follow_says_what_differs_and_why(
    changes: dict[str, str], why: str
) -> None:
    stored = forged(of(ENTRY))
    found = verified(ENTRY, stored, MANIFEST.model_copy(update=changes))
    assert found.verdict is Agreement.DIFFERS and why in found.why
    assert found.stored is Status.ACCEPTED and found.judged is not Status.ACCEPTED
    assert {"status", "honest", "reason"} <= set(found.differs)
    assert list(disagreements([found])) == [found]


def test_an_entry_that_was_not_judged_is_unknown() -> None:
    found = verified(ENTRY, None, MANIFEST)
    assert found.verdict is Agreement.UNKNOWN and found.stored is None and "not judged" in found.why


def test_observations_that_break_the_judge_are_no_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_: Judgement) -> Judgement:
        raise KeyError("axis")

    monkeypatch.setattr("assay.engine.bundle_check.judged_again", broken)
    found = verified(ENTRY, of(ENTRY), MANIFEST)
    assert found.verdict is Agreement.DIFFERS and "cannot be judged: KeyError" in found.why


def speed(low: float, high: float, **changes: Any) -> Verdict:
    update = {"speedup": (low + high) / 2, "speedup_low": low, "speedup_high": high, **changes}
    return verdict(Status.ACCEPTED, timing=(TIMING.model_copy(update=update),))


def test_speeds_agree_where_their_intervals_overlap() -> None:
    before = speed(1.9, 2.1)
    assert compared(before, speed(2.05, 2.3)).speed is Agreement.SAME
    apart = compared(before, speed(2.2, 2.3))
    assert apart.speed is Agreement.DIFFERS and "then, now" in apart.why
    assert compared(before, speed(1.9, 2.1, baseline="vendor")).speed is Agreement.UNKNOWN
    assert compared(before, verdict(Status.ACCEPTED)).speed is Agreement.UNKNOWN
    device = before.environment.device.model_copy(update={"name": "Another CPU"})
    environment = before.environment.model_copy(update={"device": device})
    moved = before.model_copy(update={"environment": environment})
    assert compared(before, moved).speed is Agreement.UNKNOWN


def test_verdicts_agree_where_the_three_answers_do() -> None:
    accepted, wrong = verdict(Status.ACCEPTED), verdict(Status.INCORRECT)
    assert compared(accepted, accepted).verdict is Agreement.SAME
    assert compared(accepted, wrong).verdict is Agreement.DIFFERS
    assert compared(accepted, verdict(Status.NOT_RUN)).verdict is Agreement.UNKNOWN


@dataclass
class Asked:
    """A judge that answers with what it is told, and keeps what it was asked."""

    answer: Judgement
    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def evaluate_many(self, *asked: Any) -> Generator[Judgement, None, None]:
        self.calls.append(asked)
        yield self.answer


def test_a_candidate_is_measured_with_its_plan_on_the_task_of_this_machine() -> None:
    stored = timed(of(ENTRY), TIMING)
    judge = Asked(stored)
    found = MeasuringAgain(judge, [TASK], "cpu").measured(ENTRY, stored)  # type: ignore[arg-type]
    assert not isinstance(found, str) and found.speed is Agreement.SAME
    ((task, (asked,), settings, _, plan),) = judge.calls
    assert task is TASK and asked == ENTRY.candidate and settings.jobs == 1
    assert plan == stored.verdict.plan


def test_nothing_of_the_bundle_runs_beside_the_judge() -> None:
    stored = of(ENTRY)
    judge = Asked(stored)
    measuring = MeasuringAgain(judge, [TASK], "cpu")  # type: ignore[arg-type]
    foreign = ENTRY.model_copy(update={"task": TASK.model_copy(update={"source": "import os"})})
    assert "none of the suite's" in str(measuring.measured(foreign, stored))
    shown = stored.settings.model_copy(update={"allow_packages": ("assay",)})
    packages = stored.model_copy(update={"settings": shown})
    assert "--allow-package assay" in str(measuring.measured(ENTRY, packages))
    unplanned = stored.verdict.model_copy(update={"plan": None})
    unplanned_record = stored.model_copy(update={"verdict": unplanned})
    assert "before a plan" in str(measuring.measured(ENTRY, unplanned_record))
    assert judge.calls == []
    files = stored.settings.model_copy(update={"baselines": ("/etc/passwd", "vendor")})
    measuring.measured(ENTRY, stored.model_copy(update={"settings": files}))
    assert judge.calls[0][2].baselines == ("vendor",)
