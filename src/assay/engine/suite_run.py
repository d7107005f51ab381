"""SuiteRun: every open entry of a run, judged several at a time and stored at once.

The rule: one Judge serves the whole run, so that a task's exam is drawn for many candidates. What
two runs would both judge, one of them claims. A failure of ours is tried once more.
"""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from assay.data.progress import Progress
from assay.data.run import Entry, Judgement, Run, RunEvent
from assay.data.verdict import Status
from assay.engine.judge import Judge
from assay.store.run_store import RunStore

_BATCH = 32  # candidates of one task that are in memory together
_ATTEMPTS = 2  # of an evaluation in which Assay itself fails
_RENEW_S = 30.0
_POLL_S = 0.2

Shown = Callable[[Entry, str], None]


@dataclass(frozen=True)
class EntryAnswer:
    """An entry, and what came of it."""

    entry: Entry
    judgement: Judgement


def this_owner() -> str:
    """Host, process and a word of its own: a process id may be given out again."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


@dataclass
class SuiteRun:
    """One run of a store, carried on until nothing is open."""

    store: RunStore
    run: Run
    jobs: int = 1
    show: Shown | None = None
    owner: str = field(default_factory=this_owner)
    _taken: set[str] = field(default_factory=set)  # keys that were judged here, or are being

    def answers(self) -> Generator[EntryAnswer, None, None]:
        """Judge what is open, and give each answer once it is stored."""
        found: queue.Queue[EntryAnswer] = queue.Queue()
        stop = threading.Event()
        self._release_dead()
        with (
            Judge(self.run.settings.device, self.jobs) as judge,
            ThreadPoolExecutor(self.jobs) as pool,
            self._claims_renewed(stop),
        ):
            judging = partial(self._judge, judge, found=found, stop=stop)
            try:
                yield from self._answers(partial(pool.submit, judging), found)
            finally:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                self.store.release(self.owner)

    def _answers(
        self, begin: Callable[[list[Entry]], Future[None]], found: queue.Queue[EntryAnswer]
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
                running.add(begin(batch))
            if not running and found.empty():
                if not self._others_at_work():
                    return
                batches = self._batches()  # another process may have given one up
            with contextlib.suppress(queue.Empty):
                yield found.get(timeout=_POLL_S)
            for done in [one for one in running if one.done()]:
                running.remove(done)
                done.result()

    def _batches(self) -> Iterator[list[Entry]]:
        """Neighbours of one task that nobody else has claimed."""
        batch: list[Entry] = []
        for entry in self.store.entries(self.run, open_only=True):
            key = self._key(entry)
            if key in self._taken or not self.store.claim(key, self.owner):
                continue
            self._taken.add(key)
            if batch and (len(batch) == _BATCH or batch[0].task != entry.task):
                yield batch
                batch = []
            batch.append(entry)
        if batch:
            yield batch

    def _others_at_work(self) -> bool:
        """Whether something is open that was not judged here."""
        left = (self._key(entry) for entry in self.store.entries(self.run, open_only=True))
        return any(key not in self._taken for key in left)

    def _release_dead(self) -> None:
        """Claims of processes of this machine that are gone: killed, they gave nothing up."""
        for owner in self.store.owners():
            host, pid, _ = (owner + "::").split(":")[:3]
            if host == socket.gethostname() and not os.path.exists(f"/proc/{pid}"):
                self.store.release(owner)

    def _key(self, entry: Entry) -> str:
        return entry.key(self.run.settings, self.run.assay)

    def _judge(
        self,
        judge: Judge,
        batch: list[Entry],
        found: queue.Queue[EntryAnswer],
        stop: threading.Event,
    ) -> None:
        left = batch
        for attempt in range(1, _ATTEMPTS + 1):
            failed = []
            for answer in self._judged(judge, left, stop):
                again = answer.judgement.verdict.status is Status.NOT_RUN and attempt < _ATTEMPTS
                self.store.record(self._key(answer.entry), answer.judgement)
                if again:
                    failed.append(answer.entry)
                else:
                    found.put(answer)
            left = failed
            if not left or stop.is_set():
                return

    def _judged(
        self, judge: Judge, batch: list[Entry], stop: threading.Event
    ) -> Iterator[EntryAnswer]:
        candidates = [entry.candidate for entry in batch]
        settings = self.run.settings

        def show(progress: Progress) -> None:
            if self.show is not None:
                self.show(batch[progress.index], progress.stage)

        stream = judge.evaluate_many(batch[0].task, candidates, settings, show)
        with contextlib.closing(stream):
            for entry, judgement in zip(batch, stream, strict=False):
                yield EntryAnswer(entry, judgement)
                if stop.is_set():
                    return

    @contextlib.contextmanager
    def _claims_renewed(self, stop: threading.Event) -> Iterator[None]:
        def renew() -> None:
            while not stop.wait(_RENEW_S):
                self.store.renew(self.owner)

        thread = threading.Thread(target=renew, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def begun(store: RunStore, run: Run) -> None:
    """Note that a run began, or goes on."""
    store.begin(run)
    store.tell(run, RunEvent(at=time.time(), kind="started", data={"pid": os.getpid()}))
