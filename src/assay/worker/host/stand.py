"""Stand: the baselines of one exam, built once and raced against every candidate.

The rule: a baseline keeps its process and its inputs from one candidate to the next; only the
weights follow the candidate's. One whose process ended is built again for the next candidate; one
that did not build is not tried twice.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass

from assay.data.settings import Settings
from assay.worker.host.baseline import NULL, BaselineLost
from assay.worker.host.baseline_session import named, open_baseline
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import Exam, Question
from assay.worker.host.planned_call import timed_calls
from assay.worker.host.race import Runner
from assay.worker.host.reading import output_bytes, update_positions
from assay.worker.host.session import Session
from assay.worker.host.tones import SEEDED, Weights
from assay.worker.host.wall import Wall

_MOST_CALLS = 64  # of one ring
_LEAST_CALLS = 4  # of one ring, whatever memory they take
_MEMORY_BYTES = 6 << 30  # of one side's inputs, answers and slots together


@dataclass
class _Standing:
    runner: Runner
    version: Weights | None = None  # of its weights


class Stand:
    """Enters candidates and baselines into races of one exam."""

    def __init__(self, wall: Wall, exam: Exam, settings: Settings) -> None:
        self._wall = wall
        self._exam = exam
        self._settings = settings
        self._rng: random.Random = exam.secret.random("rings")
        self._standing: dict[tuple[str, int], _Standing] = {}  # by name and number
        self._unbuilt: dict[str, BaselineLost] = {}

    def enter(self, name: str, session: Session) -> Runner:
        """A session that is built, with inputs of its own on the device."""
        expected = self._exam.expectation(Question(0))
        sizes, updates = output_bytes(expected), update_positions(expected)
        calls = timed_calls(self._exam.timed_contents, self.most_calls, sizes, updates)
        return Runner.enter(name, session, calls, self._rng)

    def baselines(
        self, version: Weights, without: Collection[str] = (), processes: int = 1
    ) -> list[Runner]:
        """The chosen ones in their order, in so many processes each, and the null candidate last.

        A BaselineLost names the first that cannot be had.
        """
        names = [name for name in self._settings.baselines if name not in without]
        wanted = [(name, number) for name in names for number in range(processes)]
        return [self._stood(name, number, version).runner for name, number in (*wanted, (NULL, 0))]

    def drop(self, name: str) -> None:
        """End one of them, in all its processes."""
        for key in [key for key in self._standing if key[0] == name]:
            self._standing.pop(key).runner.session.close()

    def dismiss(self) -> None:
        """End them all: something went wrong, and nobody knows with whom."""
        for one in self._standing.values():
            one.runner.session.close()
        self._standing.clear()

    @property
    def most_calls(self) -> int:
        """As many as memory holds, within reason."""
        outputs = sum(output_bytes(self._exam.expectation(Question(0))))
        room = _MEMORY_BYTES // max(1, self.call_bytes + outputs)
        return max(_LEAST_CALLS, min(_MOST_CALLS, room))

    @property
    def call_bytes(self) -> int:
        """Inputs and outputs of one call."""
        content = self._exam.content(Question(0))
        outputs = sum(output_bytes(self._exam.expectation(Question(0))))
        return sum(t.nbytes for t in content.tensors) + outputs

    def _stood(self, name: str, number: int, version: Weights) -> _Standing:
        if (name, number) not in self._standing:
            self._standing[name, number] = self._built(name)
        one = self._standing[name, number]
        if name != NULL and version not in (SEEDED, one.version):
            deadline = Deadline.after(self._settings.timeout_s)
            with named(name):
                one.runner.session.load_state(0, self._exam.state(0, version), deadline)
            one.version = version
        return one

    def _built(self, name: str) -> _Standing:
        if name in self._unbuilt:
            raise self._unbuilt[name]
        try:
            session = open_baseline(self._wall, self._exam, self._settings, name)
        except BaselineLost as lost:
            self._unbuilt[name] = lost
            raise
        try:
            with named(name):
                return _Standing(self.enter(name, session))
        except BaselineLost:
            session.close()
            raise
