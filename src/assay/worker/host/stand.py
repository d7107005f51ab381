"""Stand: the baselines of one exam, built once and raced against every candidate.

The rule: a baseline keeps its process and its inputs from one candidate to the next; only the
weights follow the candidate's. One whose process ended is built again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.data.settings import Settings
from assay.worker.host.baseline import baseline, null_candidate
from assay.worker.host.build import Builder
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import SEEDED, Exam, Question
from assay.worker.host.planned_call import Place, PlannedCall
from assay.worker.host.process import Lost
from assay.worker.host.race import Runner
from assay.worker.host.reading import output_bytes, update_positions
from assay.worker.host.session import Session
from assay.worker.host.wall import Wall

NULL = "null"
_MOST_CALLS = 64
_LEAST_CALLS = 4
_MEMORY_BYTES = 6 << 30  # of one side's inputs, answers and slots together


class BaselineLost(Exception):
    """A baseline did not build, or did not survive."""


@dataclass
class _Standing:
    runner: Runner
    version: int | None = None  # of its weights


class Stand:
    """Enters candidates and baselines into races of one exam."""

    def __init__(self, wall: Wall, exam: Exam, settings: Settings) -> None:
        self._wall = wall
        self._exam = exam
        self._settings = settings
        self._rng: random.Random = exam.secret.random("rings")
        self._standing: dict[str, _Standing] = {}

    def enter(self, name: str, session: Session) -> Runner:
        """A session that is built, with inputs of its own on the device."""
        expected = self._exam.expectation(Question(0), 0)
        sizes, updates = output_bytes(expected), update_positions(expected)
        bases = [self._exam.content(Question(0, 200 + i)) for i in range(2)]
        calls = [
            PlannedCall(0, Place(0, f"t{i}"), bases[i % 2], sizes, updates=updates)
            for i in range(self.most_calls)
        ]
        return Runner.enter(name, session, calls, self._rng)

    def baselines(self, version: int) -> list[Runner]:
        """The chosen one, eager where that is another, and the null candidate, which is last."""
        chosen = self._settings.baseline
        names = [chosen] if chosen == "eager" else [chosen, "eager"]
        return [self._stood(name, version).runner for name in (*names, NULL)]

    def dismiss(self) -> None:
        """End them all: something went wrong, and nobody knows with whom."""
        for one in self._standing.values():
            one.runner.session.close()
        self._standing.clear()

    @property
    def most_calls(self) -> int:
        """As many as memory holds, within reason."""
        outputs = sum(output_bytes(self._exam.expectation(Question(0), 0)))
        room = _MEMORY_BYTES // max(1, self.call_bytes + outputs)
        return max(_LEAST_CALLS, min(_MOST_CALLS, room))

    @property
    def call_bytes(self) -> int:
        """Inputs and outputs of one call."""
        content = self._exam.content(Question(0))
        outputs = sum(output_bytes(self._exam.expectation(Question(0), 0)))
        return sum(t.nbytes for t in content.tensors) + outputs

    def _stood(self, name: str, version: int) -> _Standing:
        if name not in self._standing:
            self._standing[name] = _Standing(self.enter(name, self._open(name)))
        one = self._standing[name]
        if name != NULL and version not in (SEEDED, one.version):
            deadline = Deadline.after(self._settings.timeout_s)
            one.runner.session.load_state(0, self._exam.state(0, version), deadline)
            one.version = version
        return one

    def _open(self, name: str) -> Session:
        session = Session(self._wall)
        try:
            built = Builder(self._exam, None).build(session, self._candidate(name), self._settings)
        except Lost as lost:
            session.close()
            raise BaselineLost(str(lost)) from lost
        if not built.seen.ok:
            session.close()
            raise BaselineLost(built.seen.log[-300:])
        return session

    def _candidate(self, name: str) -> Candidate:
        if name == NULL:
            expected = self._exam.expectation(Question(0), 0)
            return null_candidate(expected, self._settings.device)
        return baseline(name, self._exam.reference.task)
