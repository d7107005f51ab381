"""What becomes of a job when judge processes end early; judge processes are scripted here."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from assay.data.candidate import Candidate
from assay.data.observations.observation import HostFailed, TaskBroken
from assay.data.progress import Progress
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.errors import DeviceError, HostError, UsageError
from assay.judge_process import relay
from assay.judge_process.messages import Done, Failed, Job, Judged, Logged, Message, Step
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.catalog import resolve
from sample_records import judgement

HUNG = TaskBroken(text="task 't': get_inputs did not come back within 3 s")
LOST = HostFailed(text="the judge process ended: signal 9")


@dataclass
class Scripted:
    """Judge processes, each of which gives what stands in its line and then ends in its way."""

    lines: list[tuple[list[Message], TaskBroken | HostFailed | None]]
    jobs: list[Job] = field(default_factory=list)
    closed: int = 0

    def __call__(self, job: Job, at_work: int = 1) -> ScriptedProcess:
        self.jobs.append(job)
        if job.failure is not None:
            told = Status.INVALID_TASK if isinstance(job.failure, TaskBroken) else Status.NOT_RUN
            return ScriptedProcess(self, [judged(c, told) for c in job.candidates], None)
        return ScriptedProcess(self, *self.lines.pop(0))


class ScriptedProcess:
    def __init__(
        self, script: Scripted, line: list[Message], end: TaskBroken | HostFailed | None
    ) -> None:
        self._script, self._line, self._end = script, iter(line), end

    def receive(self, watch: object = None) -> Message:
        for message in self._line:
            return message
        if self._end is None:
            return Done()
        raise EOFError

    def go_on(self) -> None: ...

    def ending(self) -> TaskBroken | HostFailed:
        assert self._end is not None
        return self._end

    def close(self) -> None:
        self._script.closed += 1


def candidates(count: int) -> tuple[Candidate, ...]:
    return tuple(candidate_of_text(f"# {number}\n") for number in range(count))


def judged(candidate: Candidate, status: Status) -> Judged:
    return Judged(judgement=judgement(candidate, Settings(), status))


def statuses(
    script: Scripted, count: int, monkeypatch: pytest.MonkeyPatch, seen: list[Progress]
) -> list[str]:
    monkeypatch.setattr(relay, "JudgeProcess", script)
    job = Job(task=resolve("softmax"), candidates=candidates(count), settings=Settings())
    results = list(relay.judgements(job, seen.append))
    assert [r.candidate.id for r in results] == [c.id for c in job.candidates]
    assert script.closed == len(script.jobs)
    return [result.verdict.status.value for result in results]


def all_accepted(count: int) -> list[Message]:
    return [judged(c, Status.ACCEPTED) for c in candidates(count)]


def test_judgements_come_in_order_and_the_first_sign_of_life_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Progress] = []
    line: list[Message] = [Step(index=0, stage="drawing", fraction=None), *all_accepted(2)]
    line.insert(2, Step(index=1, stage="calling", fraction=0.5))
    assert statuses(Scripted([(line, None)]), 2, monkeypatch, seen) == ["accepted"] * 2
    assert [(p.index, p.total, p.stage, p.fraction) for p in seen] == [
        (0, 2, "starting", None),
        (0, 2, "drawing", None),
        (1, 2, "calling", 0.5),
    ]


def test_a_task_that_hangs_costs_every_candidate_that_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = Scripted([(all_accepted(1), HUNG)])
    found = statuses(script, 3, monkeypatch, [])
    assert found == ["accepted", "invalid_task", "invalid_task"]
    assert script.jobs[-1].failure == HUNG


def test_a_lost_judge_process_costs_the_candidate_it_was_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rest: list[Message] = [judged(candidates(4)[n], Status.ACCEPTED) for n in (2, 3)]
    seen: list[Progress] = []
    script = Scripted([(all_accepted(1), LOST), (rest, None)])
    found = statuses(script, 4, monkeypatch, seen)
    assert found == ["accepted", "not_run", "accepted", "accepted"]
    assert [p.index for p in seen] == [0, 2]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("UsageError", UsageError),
        ("DeviceError", DeviceError),
        ("SystemExit", HostError),
        ("annotations", HostError),
    ],
)
def test_our_own_failures_keep_their_class(
    error: str, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Scripted([([Failed(error=error, text="why")], None)])
    with pytest.raises(kind, match="why") as caught:
        statuses(script, 1, monkeypatch, [])
    assert type(caught.value) is kind and script.closed == 1


def test_log_lines_reach_the_callers_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    line: list[Message] = [Logged(logger="assay.x", level=logging.WARNING, text="100 % odd")]
    statuses(Scripted([(line + all_accepted(1), None)]), 1, monkeypatch, [])
    assert [(r.name, r.levelname, r.getMessage()) for r in caplog.records] == [
        ("assay.x", "WARNING", "100 % odd")
    ]


def test_an_iterator_that_is_closed_early_ends_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Scripted([(all_accepted(3), None)])
    monkeypatch.setattr(relay, "JudgeProcess", script)
    job = Job(task=resolve("softmax"), candidates=candidates(3), settings=Settings())
    results = relay.judgements(job, None)
    assert script.jobs == []  # nothing starts before the first is asked for
    next(results)
    results.close()
    assert script.closed == 1


def test_two_unfinished_iterators_of_one_thread_wait_for_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSAY_JUDGES", "1")
    monkeypatch.setattr(
        relay, "JudgeProcess", Scripted([(all_accepted(2), None), (all_accepted(2), None)])
    )
    job = Job(task=resolve("softmax"), candidates=candidates(2), settings=Settings())

    def both() -> Iterator[str]:
        for one, other in zip(
            relay.judgements(job, None), relay.judgements(job, None), strict=True
        ):
            yield from (one.verdict.status.value, other.verdict.status.value)

    assert list(both()) == ["accepted"] * 4
