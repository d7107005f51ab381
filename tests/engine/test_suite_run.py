"""A run goes on until nothing is open, whoever else works on it and however it was stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.run import Entry, Judgement, Run
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.engine import suite_run
from assay.engine.claim_owner import this_owner
from assay.engine.suite_run import SuiteRun, begun
from assay.store.run_store import RunStore
from sample_records import TASK, candidate, judgement

RUN = Run(id="r", suite="native", settings=Settings(), assay="0", started_at=0.0)


class Evaluator:
    """A judge that answers at once, and remembers what it was asked."""

    def __init__(self, statuses: Sequence[Status] = ()) -> None:
        self.asked: list[str] = []
        self.plans: list[Plan | None] = []
        self._statuses = list(statuses)

    def __call__(self, device: str, jobs: int) -> Evaluator:
        return self

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, *_: object) -> None: ...

    def close(self) -> None: ...

    def evaluate_many(
        self, task: Any, given: Sequence[Candidate], settings: Settings, show: Any, plan: Any
    ) -> Generator[Judgement, None, None]:
        self.plans.append(plan)
        for one in given:
            self.asked.append(one.name)
            status = self._statuses.pop(0) if self._statuses else Status.ACCEPTED
            yield judgement(one, settings, status)


@pytest.fixture
def evaluator(monkeypatch: pytest.MonkeyPatch) -> Evaluator:
    made = Evaluator()
    monkeypatch.setattr(suite_run, "Judge", made)
    return made


def _gone() -> str:
    """The owner that this process would have been at another time."""
    place, pid, birth, word = this_owner().split(":")
    return f"{place}:{pid}:{int(birth) - 1}:{word}"


def _store(folder: Path, texts: Sequence[str]) -> RunStore:
    store = RunStore(folder, create=True)
    store.begin(RUN)
    given = [
        Entry(number=i, task=TASK, candidate=candidate(f"k{i}", text))
        for i, text in enumerate(texts)
    ]
    store.add(RUN, given)
    return store


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_entry_is_judged_once(tmp_path: Path, evaluator: Evaluator, jobs: int) -> None:
    with _store(tmp_path, [str(i) for i in range(100)]) as store:
        answers = list(SuiteRun(store, RUN, jobs).answers())
        assert sorted(a.entry.number for a in answers) == list(range(100))
        assert sorted(evaluator.asked) == sorted(f"k{i}" for i in range(100))
        assert store.counts(RUN) == {"accepted": 100}
        assert list(SuiteRun(store, RUN, jobs).answers()) == []


def test_entries_are_read_as_they_are_judged(
    tmp_path: Path, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, ahead = [0], [0]
    plain = RunStore.entries

    def entries(self: RunStore, *given: Any, **named: Any) -> Iterator[Entry]:
        for entry in plain(self, *given, **named):
            read[0] += 1
            yield entry

    monkeypatch.setattr(RunStore, "entries", entries)
    monkeypatch.setattr(suite_run, "_BATCH", 4)
    with _store(tmp_path, [str(i) for i in range(60)]) as store:
        for number, _ in enumerate(SuiteRun(store, RUN).answers(), start=1):
            ahead.append(read[0] - number if number < 30 else 0)
            time.sleep(0.01)  # batches are through before their answers are taken
    assert max(ahead) <= 5 * 4 and len(evaluator.asked) == 60


def test_the_same_content_is_judged_once(tmp_path: Path, evaluator: Evaluator) -> None:
    with _store(tmp_path, ["same", "other", "same"]) as store:
        list(SuiteRun(store, RUN).answers())
        assert evaluator.asked == ["k0", "k1"] and store.counts(RUN) == {"accepted": 3}


def test_the_same_content_is_answered_under_each_name(tmp_path: Path, evaluator: Evaluator) -> None:
    with _store(tmp_path, ["same", "other", "same"]) as store:
        answers = list(SuiteRun(store, RUN).answers())
        assert sorted(a.judgement.verdict.candidate for a in answers) == ["k0", "k1", "k2"]


def test_a_failure_of_ours_is_tried_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Evaluator([Status.NOT_RUN, Status.ACCEPTED, Status.NOT_RUN])
    monkeypatch.setattr(suite_run, "Judge", made)
    with _store(tmp_path, ["a", "b"]) as store:
        answers = list(SuiteRun(store, RUN).answers())
        assert made.asked == ["k0", "k1", "k0"]
        assert [a.judgement.verdict.status for a in answers] == [Status.ACCEPTED, Status.NOT_RUN]


def test_a_run_that_was_left_goes_on(tmp_path: Path, evaluator: Evaluator) -> None:
    with _store(tmp_path, [str(i) for i in range(70)]) as store:
        stream = SuiteRun(store, RUN).answers()
        next(stream)
        stream.close()
        before = store.counts(RUN)
        assert 0 < before["accepted"] < 70
        list(SuiteRun(store, RUN).answers())
        assert store.counts(RUN) == {"accepted": 70}
        assert len(evaluator.asked) == len(set(evaluator.asked)) == 70


def test_claims_of_a_process_that_is_gone_are_void(tmp_path: Path, evaluator: Evaluator) -> None:
    with _store(tmp_path, ["a", "b"]) as store:
        gone = _gone()
        for entry in store.entries(RUN):
            assert store.claim(entry.key(RUN.settings, RUN.assay), gone)
        list(SuiteRun(store, RUN).answers())
        assert store.counts(RUN) == {"accepted": 2}


def test_what_another_process_judges_is_waited_for(
    tmp_path: Path, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _store(tmp_path, ["a", "b"]) as store:
        monkeypatch.setattr(suite_run, "_WAIT_S", 0.01)
        other = "elsewhere:1:1:x"
        (first, _) = store.entries(RUN)
        key = first.key(RUN.settings, RUN.assay)
        assert store.claim(key, other)
        plain = SuiteRun._others_at_work

        def at_work(self: SuiteRun) -> bool:
            found = plain(self)
            store.record(key, judgement(first.candidate, RUN.settings, Status.INCORRECT))
            return found

        monkeypatch.setattr(SuiteRun, "_others_at_work", at_work)
        list(SuiteRun(store, RUN).answers())
        assert evaluator.asked == ["k1"]
        assert store.counts(RUN) == {"accepted": 1, "incorrect": 1}


def test_an_error_of_the_evaluator_reaches_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Evaluator):
        def evaluate_many(self, *_: Any) -> Generator[Judgement, None, None]:
            raise RuntimeError("broken")
            yield

    monkeypatch.setattr(suite_run, "Judge", Broken())
    with _store(tmp_path, ["a"]) as store, pytest.raises(RuntimeError, match="broken"):
        list(SuiteRun(store, RUN).answers())


def test_claims_of_a_process_that_ends_meanwhile_are_taken_over(
    tmp_path: Path, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _store(tmp_path, ["a", "b"]) as store:
        monkeypatch.setattr(suite_run, "_WAIT_S", 0.01)
        monkeypatch.setattr(suite_run, "is_gone", lambda owner: len(evaluator.asked) > 0)
        (first, _) = store.entries(RUN)
        assert store.claim(first.key(RUN.settings, RUN.assay), "another")
        list(SuiteRun(store, RUN).answers())
        assert evaluator.asked == ["k1", "k0"] and store.counts(RUN) == {"accepted": 2}


def test_a_failure_that_is_tried_again_stays_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _store(tmp_path, ["a"]) as store:
        (entry,) = store.entries(RUN)
        made = Evaluator([Status.NOT_RUN])
        taken: list[bool] = []

        class Asked(Evaluator):
            def evaluate_many(self, *given: Any) -> Generator[Judgement, None, None]:
                taken.append(store.claim(entry.key(RUN.settings, RUN.assay), "another"))
                yield from made.evaluate_many(*given)

        monkeypatch.setattr(suite_run, "Judge", Asked())
        list(SuiteRun(store, RUN).answers())
        assert taken == [False, False] and store.counts(RUN) == {"accepted": 1}
        (event,) = store.events(RUN, "not_run")
        assert event.data == {"entry": 0, "attempt": 1, "reason": "It is not_run."}


def test_leaving_ends_what_is_being_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    class Endless(Evaluator):
        def evaluate_many(self, task: Any, given: Any, *_: Any) -> Generator[Judgement, None, None]:
            yield judgement(given[0], RUN.settings, Status.ACCEPTED)
            ended.wait(20.0)
            raise CancelledError

        def close(self) -> None:
            ended.set()

    monkeypatch.setattr(suite_run, "Judge", Endless())
    with _store(tmp_path, ["a", "b"]) as store:
        stream = SuiteRun(store, RUN).answers()
        next(stream)
        stream.close()
        assert ended.is_set() and store.owners() == []
        assert store.counts(RUN) == {"accepted": 1, "open": 1}


def test_the_secret_of_an_exam_is_the_runs_and_differs_by_task_and_submission(
    tmp_path: Path, evaluator: Evaluator
) -> None:
    other = TASK.model_copy(update={"id": "softmax.backward"})
    with RunStore(tmp_path, create=True) as store:
        run = begun(store, RUN)
        entries = [
            Entry(number=0, task=TASK, candidate=candidate("a", "a")),
            Entry(number=1, task=other, candidate=candidate("b", "b")),
        ]
        store.add(run, entries)
        list(SuiteRun(store, run).answers())
        late = Entry(number=0, task=TASK, candidate=candidate("c", "written after the verdicts"))
        store.add(run, [late, *entries])
        list(SuiteRun(store, run).answers())
        assert evaluator.asked == ["a", "b", "c"]
        secrets = [plan.secret for plan in evaluator.plans if plan and not plan.is_drawn]
        assert len(set(secrets)) == 3 and run.secret not in secrets
        again = SuiteRun(store, begun(store, RUN))
        made = [again._plan(entry) for entry in store.entries(run)]
        assert [plan.secret for plan in made if plan] == secrets
