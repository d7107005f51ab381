"""SuiteRun: every open entry of a run, judged several at a time and stored at once.

The rule: one Judge serves the whole run, so that a task's exam is drawn for many candidates. What
two runs would both judge, one of them claims. A failure of ours is tried once more.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from assay.data.plan import Plan
from assay.data.progress import Progress
from assay.data.run import Entry, Judgement, Run, RunEvent
from assay.data.verdict import Status
from assay.engine.claim_owner import is_gone, this_owner
from assay.engine.judge import Judge
from assay.errors import AssayError
from assay.exam.secret import Secret
from assay.store.run_store import RunStore

_BATCH = 32  # candidates of one task that are in memory together
_ATTEMPTS = 2  # of an evaluation in which Assay itself fails
_RENEW_S = 30.0
_POLL_S = 0.2
_WAIT_S = 1.0  # between two looks at what other processes do

Shown = Callable[[Entry, str], None]


@dataclass(frozen=True)
class EntryAnswer:
    """An entry, and what came of it."""

    entry: Entry
    judgement: Judgement


Answers = queue.Queue[EntryAnswer | None]  # None: a batch has ended, look again


@dataclass
class SuiteRun:
    """One run of a store, carried on until nothing is open."""

    store: RunStore
    run: Run
    jobs: int = 1
    show: Shown | None = None
    owner: str = field(default_factory=this_owner)
    judge: Judge | None = None  # that stays warm after the run; None: one of its own
    _taken: set[str] = field(default_factory=set)  # keys that were judged here, or are being

    def answers(self) -> Generator[EntryAnswer, None, None]:
        """Judge what is open, and give each answer once it is stored."""
        found: Answers = queue.Queue()
        stop = threading.Event()
        self._release_dead()
        with (
            self._judge_of_run() as judge,
            ThreadPoolExecutor(self.jobs) as pool,
            self._claims_renewed(stop),
        ):
            judging = partial(self._judge, judge, found=found, stop=stop)
            try:
                yield from self._answers(partial(pool.submit, judging), found)
            except BaseException:
                judge.close()  # what is being judged is given up
                raise
            finally:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                with contextlib.suppress(AssayError):  # the store may be what failed
                    self.store.release(self.owner)

    def _judge_of_run(self) -> contextlib.AbstractContextManager[Judge]:
        if self.judge is not None:
            return contextlib.nullcontext(self.judge)
        return Judge(self.run.settings.device, self.jobs)

    def _answers(
        self, begin: Callable[[list[Entry]], Future[None]], found: Answers
    ) -> Iterator[EntryAnswer]:
        """At most two batches a thread are in memory: the queue itself is in the store."""
        running: set[Future[None]] = set()
        batches = self._batches()
        while True:
            while (
                len(running) < 2 * self.jobs
                and found.qsize() < _BATCH  # who takes the answers is not left behind
                and (batch := next(batches, None))
            ):
                running.add(begun_batch := begin(batch))
                begun_batch.add_done_callback(lambda _: found.put(None))
            if not running and found.empty():
                if not self._others_at_work():
                    return
                time.sleep(_WAIT_S)
                self._release_dead()
                batches = self._batches()  # another process may have given one up
            with contextlib.suppress(queue.Empty):
                if (answer := found.get(timeout=_POLL_S)) is not None:
                    yield from self._each(answer)
            for done in [one for one in running if one.done()]:
                running.remove(done)
                done.result()

    def _each(self, answer: EntryAnswer) -> Iterator[EntryAnswer]:
        """The answer for every entry of the run that has this content."""
        for entry in self.store.sharing(self.run, self._key(answer.entry)):
            update = {"candidate": entry.candidate.name}
            verdict = answer.judgement.verdict.model_copy(update=update)
            yield EntryAnswer(entry, answer.judgement.model_copy(update={"verdict": verdict}))

    def _batches(self) -> Iterator[list[Entry]]:
        """Neighbours of one task that nobody else has claimed."""
        batch: list[Entry] = []
        for entry in self.store.entries(self.run, free_for=self.owner):
            key = self._key(entry)
            if key in self._taken or not self.store.claim(key, self.owner):
                continue
            self._taken.add(key)
            if batch and (len(batch) == _BATCH or _exam_of(batch[0]) != _exam_of(entry)):
                yield batch
                batch = []
            batch.append(entry)
        if batch:
            yield batch

    def _others_at_work(self) -> bool:
        """Whether something is open that was not judged here."""
        return bool(self.store.open_keys(self.run) - self._taken)

    def _release_dead(self) -> None:
        """Claims of processes of this machine that are gone: killed, they gave nothing up."""
        for owner in self.store.owners():
            if is_gone(owner):
                self.store.release(owner)

    def _key(self, entry: Entry) -> str:
        return entry.key(self.run.settings, self.run.assay)

    def _judge(
        self,
        judge: Judge,
        batch: list[Entry],
        found: Answers,
        stop: threading.Event,
    ) -> None:
        left = batch
        for attempt in range(1, _ATTEMPTS + 1):
            failed = []
            for answer in self._judged(judge, left, stop):
                again = answer.judgement.verdict.status is Status.NOT_RUN and attempt < _ATTEMPTS
                self.store.record(self._key(answer.entry), answer.judgement, again)
                if answer.judgement.verdict.status is Status.NOT_RUN:
                    self._tell_failure(answer, attempt)
                if again:
                    failed.append(answer.entry)
                else:
                    found.put(answer)
            left = failed
            if not left or stop.is_set():
                return

    def _tell_failure(self, answer: EntryAnswer, attempt: int) -> None:
        """A later answer takes the judgement's place; the event stays."""
        reason = answer.judgement.verdict.reason
        told = {"entry": answer.entry.number, "attempt": attempt, "reason": reason}
        self.store.tell(self.run, RunEvent(at=time.time(), kind="not_run", data=told))

    def _plan(self, entry: Entry) -> Plan | None:
        """The secret of the exam: the same whenever and by whomever the entry is judged.

        Every submission has its own, because verdicts publish it: nothing that was written after
        reading them is asked by it.
        """
        if not self.run.secret:
            return None
        secret = Secret(self.run.secret).derived("exam", *_exam_of(entry))
        return Plan.of(self.run.settings, secret.hex, ())

    def _judged(
        self, judge: Judge, batch: list[Entry], stop: threading.Event
    ) -> Iterator[EntryAnswer]:
        candidates = [entry.candidate for entry in batch]
        settings = self.run.settings

        def show(progress: Progress) -> None:
            if self.show is not None:
                self.show(batch[progress.index], progress.stage)

        stream = judge.evaluate_many(
            batch[0].task, candidates, settings, show, self._plan(batch[0])
        )
        with contextlib.suppress(CancelledError), contextlib.closing(stream):
            for entry, judgement in zip(batch, stream, strict=False):
                yield EntryAnswer(entry, judgement)
                if stop.is_set():
                    return

    @contextlib.contextmanager
    def _claims_renewed(self, stop: threading.Event) -> Iterator[None]:
        def renew() -> None:
            while not stop.wait(_RENEW_S):
                try:
                    self.store.renew(self.owner)
                except AssayError as error:  # who records next finds out; the next renewal may work
                    logging.getLogger(__name__).warning("claims are not renewed: %s", error)

        thread = threading.Thread(target=renew, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def _exam_of(entry: Entry) -> tuple[str, str, int]:
    """Entries that are the same here are asked the same exam. Directions share a content."""
    return entry.task.id, entry.task.content_id, entry.submission


def begun(store: RunStore, run: Run, like: str | None = None) -> Run:
    """The run as it is stored: begun, or found and gone on with."""
    stored = store.begin(run, like)
    kind = "started" if stored.id == run.id else "resumed"
    store.tell(stored, RunEvent(at=time.time(), kind=kind, data={"pid": os.getpid()}))
    return stored
