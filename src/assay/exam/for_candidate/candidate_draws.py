"""CandidateDraws: the workloads that are added to the exam for one candidate, and their calls.

The rule: the shared workloads stay as they are, so that candidates of one call can be compared.
What is added is on record in the candidate's plan; a replay of that plan with the same candidate
asks the same again, with another candidate it draws for that one.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.workload import Workload
from assay.exam.exam import Exam
from assay.exam.script import ScriptedBatch, with_workloads
from assay.exam.workloads.literal_workloads import (
    LITERAL_AMOUNTS,
    LiteralAmounts,
    LiteralWorkloads,
)
from assay.sandbox.host import scratch
from assay.source_analysis.literals.candidate_literals import candidate_literals
from assay.source_analysis.literals.object_literals import object_literals
from assay.source_analysis.literals.source_literal import LiteralUse, SourceLiteral, ranked

_MAGIC = b"\x7fELF"
_MOST_OBJECTS = 4
_MOST_BYTES = 4 << 20  # of one object

_LIKELY = (LiteralUse.COMPARED, LiteralUse.MODULUS, LiteralUse.TABLE)  # of an immediate

Script = list[ScriptedBatch]


@dataclass(frozen=True)
class CandidateDraws:
    """Adds to a candidate's view of the exam; nothing where its plan is replayed."""

    exam: Exam  # the candidate's own view
    replayed: bool = False

    @classmethod
    def of(cls, shared: Exam, candidate: Candidate, replay: Plan | None) -> CandidateDraws:
        """A view of the shared exam, with the literals of the candidate's source."""
        view = shared.for_candidate(candidate.id, source_literals(candidate))
        return cls(view, replay is not None and replay.drawn_for == candidate.id)

    def from_source(self, script: Script, replay: Plan | None) -> Script:
        """The script with calls of what the source's literals ask for."""
        if self.replayed and replay is not None:
            return self._added(script, replay.for_one, "replayed")
        amounts = LITERAL_AMOUNTS[self.exam.plan.level]
        return self._drawn(script, self.exam.literals, amounts)

    def from_objects(self, script: Script, root: int) -> Script:
        """The same for the objects in a scratch folder whose owner stands still."""
        amounts = LITERAL_AMOUNTS[self.exam.plan.level].of_objects
        if amounts.none:
            return script
        known = {float(one.value) for one in self.exam.literals}
        found = ranked(one for one in _of_objects(root) if float(one.value) not in known)
        self.exam.literals = (*self.exam.literals, *found)
        likely = tuple(one for one in found if one.use in _LIKELY or not one.is_integer)
        return script if self.replayed else self._drawn(script, likely, amounts)

    def _drawn(
        self, script: Script, literals: Sequence[SourceLiteral], amounts: LiteralAmounts
    ) -> Script:
        exam, label = self.exam, f"literals after {len(self.exam.plan.workloads)}"
        if not literals or amounts.none:
            return script
        with exam.turn:
            rng = exam.secret.random(label, exam.plan.drawn_for)
            drawing = LiteralWorkloads(exam.reference, amounts, rng)
            drawn = list(drawing.draw(literals, exam.plan.workloads))
            return self._added(script, drawn, label)

    def _added(self, script: Script, workloads: Iterable[Workload], label: str) -> Script:
        exam = self.exam
        with exam.turn:
            first = len(exam.plan.workloads)
            for workload in workloads:
                exam.admit(workload)
            added = range(first, len(exam.plan.workloads))
            rng = exam.secret.random(label, exam.plan.drawn_for, "places")
            return with_workloads(exam, script, added, rng)


def source_literals(candidate: Candidate) -> tuple[SourceLiteral, ...]:
    """Those of its source; none where reading it fails, as other layers look at it too."""
    try:
        return candidate_literals(candidate)
    except Exception:
        logging.getLogger(__name__).exception("reading the literals of %s", candidate.name)
        return ()


def _of_objects(root: int) -> Iterable[SourceLiteral]:
    """Of the first few objects of a kernel's size."""
    found: list[SourceLiteral] = []
    with contextlib.suppress(scratch.Unkeepable, OSError):  # the check of linked objects says so
        for number, (path, size, data) in enumerate(
            scratch.files_beginning(root, _MAGIC, _MOST_BYTES)
        ):
            if number == _MOST_OBJECTS:
                break
            if size <= _MOST_BYTES:
                found += object_literals(data, path)
    return found
