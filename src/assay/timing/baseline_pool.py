"""BaselinePool: the baselines of one exam, built once and timed beside every candidate.

The rule: a baseline keeps its process and its inputs from one candidate to the next; only the
weights follow the candidate's. One whose process ended is built again for the next candidate; one
that did not build is not tried twice.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from assay.data.settings import Settings
from assay.exam.exam import ContentKey, Exam
from assay.exam.weight_scales import SEEDED, Weights
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import output_bytes, timed_calls, update_positions
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.timing.baseline import NULL, BaselineLost
from assay.timing.baseline_session import named, open_baseline
from assay.timing.device_rounds import DeviceSide

_MOST_CALLS = 64  # of one ring
_LEAST_CALLS = 4  # of one ring, whatever memory they take
_MEMORY_BYTES = 6 << 30  # of one side's inputs, answers and slots together


@dataclass
class _PooledBaseline:
    device_side: DeviceSide
    version: Weights | None = None  # of its weights


class BaselinePool:
    """Prepares candidates and baselines for the timing rounds of one exam."""

    def __init__(self, wall: Wall, exam: Exam, settings: Settings) -> None:
        self._wall = wall
        self._exam = exam
        self._settings = settings
        self._rng: random.Random = exam.secret.random("rings")
        self._pooled: dict[tuple[str, int], _PooledBaseline] = {}  # by name and number
        self._opened: dict[tuple[str, int], Session] = {}  # built, without inputs yet
        self._unbuilt: dict[str, BaselineLost] = {}
        self._turn = threading.RLock()  # of several candidates that need them built
        # Of the last candidate, which is timed in several processes then; None before the first.
        self.calls_are_short: bool | None = None

    def enter(self, name: str, session: Session) -> DeviceSide:
        """A session that is built, with inputs of its own on the device."""
        expected = self._exam.expectation(ContentKey(0))
        sizes, updates = output_bytes(expected), update_positions(expected)
        calls = timed_calls(self._exam.timed_contents, self.most_calls, sizes, updates)
        return DeviceSide.enter(name, session, calls, self._rng)

    def baselines(
        self, version: Weights, without: Collection[str] = (), processes: int = 1
    ) -> list[DeviceSide]:
        """The chosen ones in their order, in so many processes each, and the null candidate last.

        A BaselineLost names the first that cannot be had.
        """
        names = [name for name in self._settings.baselines if name not in without]
        wanted = [(name, number) for name in names for number in range(processes)]
        return [
            self._pooled_baseline(name, number, version).device_side
            for name, number in (*wanted, (NULL, 0))
        ]

    def build(self) -> None:
        """Have one process of each there; who is timed meanwhile must not need them."""
        with self._turn:
            self.open()
            for name in (*self._settings.baselines, NULL):
                with contextlib.suppress(BaselineLost):  # it is told to every candidate
                    if (name, 0) not in self._pooled:
                        self._pooled[name, 0] = self._built(name)

    def open(self, processes: int = 1) -> None:
        """Raise those that are not there, side by side: each takes most of a second for itself.

        Their inputs are laid one after the other, in a fixed order: they come from one generator.
        """
        with self._turn:
            wanted = [*itertools.product(self._settings.baselines, range(processes)), (NULL, 0)]
            missing = [key for key in wanted if not (key in self._pooled or key in self._opened)]
            with ThreadPoolExecutor(max(1, len(missing))) as pool:
                for raised in [pool.submit(self._open, *key) for key in missing]:
                    with contextlib.suppress(BaselineLost):  # told by who asks for it
                        raised.result()

    def drop(self, name: str) -> None:
        """End one of them, in all its processes."""
        for key in [key for key in self._pooled if key[0] == name]:
            self._pooled.pop(key).device_side.session.close()
        for key in [key for key in self._opened if key[0] == name]:
            self._opened.pop(key).close()

    def dismiss(self) -> None:
        """End them all: something went wrong, and nobody knows with whom."""
        for one in self._pooled.values():
            one.device_side.session.close()
        self._pooled.clear()
        while self._opened:
            self._opened.popitem()[1].close()

    @property
    def most_calls(self) -> int:
        """As many as memory holds, within reason."""
        outputs = sum(output_bytes(self._exam.expectation(ContentKey(0))))
        room = _MEMORY_BYTES // max(1, self.call_bytes + outputs)
        most = max(_LEAST_CALLS, min(_MOST_CALLS, room))
        return min(most, self._exam.most_timed)

    @property
    def call_bytes(self) -> int:
        """Inputs and outputs of one call."""
        content = self._exam.timed_contents[0]
        outputs = sum(output_bytes(self._exam.expectation(ContentKey(0))))
        return sum(t.nbytes for t in content.tensors) + outputs

    @property
    def timed_bytes(self) -> int:
        """Of the ring of one process."""
        return self.most_calls * self.call_bytes

    def _pooled_baseline(self, name: str, number: int, version: Weights) -> _PooledBaseline:
        if (name, number) not in self._pooled:
            self._pooled[name, number] = self._built(name, number)
        one = self._pooled[name, number]
        if name != NULL and version not in (SEEDED, one.version):
            deadline = Deadline.after(self._settings.timeout_s)
            with named(name):
                one.device_side.session.load_state(0, self._exam.state(0, version), deadline)
            one.version = version
        return one

    def _open(self, name: str, number: int) -> None:
        if name in self._unbuilt:
            raise self._unbuilt[name]
        try:
            opened = open_baseline(self._wall, self._exam, self._settings, name)
        except BaselineLost as lost:
            self._unbuilt[name] = lost
            raise
        self._opened[name, number] = opened

    def _built(self, name: str, number: int = 0) -> _PooledBaseline:
        if (name, number) not in self._opened:
            self._open(name, number)
        session = self._opened.pop((name, number))
        try:
            with named(name):
                return _PooledBaseline(self.enter(name, session))
        except BaselineLost:
            session.close()
            raise
