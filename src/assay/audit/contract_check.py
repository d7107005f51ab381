"""Contract check: which null answers Assay's own error budget accepts, workload by workload.

The rule: expectations are made by the same exam that candidates sit, from a secret that follows
from the task, so that an audit repeats itself. A null counts as accepted after two draws.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import torch

from assay.audit.null_trials import OTHER_DRAWS, AuditDeadline, in_stages, tried
from assay.data.plan import Plan
from assay.data.settings import Level, Settings
from assay.data.workload import Workload
from assay.errors import TaskError
from assay.exam.exam import ContentKey, Draw, Exam
from assay.exam.null_check import material as material_of
from assay.exam.reference_check import check_reference
from assay.exam.secret import Secret
from assay.exam.workloads.shape_points import HEAVY_STATE
from assay.exam.workloads.workload_sweep import sweep
from assay.exam.workloads.workload_trials import PLANTED
from assay.numerics.null_answers import Null, passes
from assay.tasks.references.reference import Reference

DRAWS = 2
SECONDS = 4.0
SWEEP_SECONDS = 10.0
_PLANTED = frozenset(PLANTED)


class ContractCheck:
    """Asks null answers at one workload of the own generator, then at those of a sweep."""

    def __init__(self, reference: Reference, small: Workload, level: Level) -> None:
        self.small = small
        self._reference = reference
        self._level = level
        content = reference.task.content_id
        self._secret = Secret(hashlib.sha256(f"audit {content}".encode()).hexdigest())
        self._deadline = AuditDeadline(SECONDS)

    @property
    def untried(self) -> int:
        """Null answers left out for want of time."""
        return self._deadline.untried

    def accepted(self) -> list[Null]:
        """Nulls that pass on the own generator. TaskError where the reference cannot judge."""
        exam = self._exam((self.small,))
        check_reference(exam)
        for nulls in in_stages(exam.content(ContentKey(0)).inputs):
            for number in range(DRAWS):
                content_key = ContentKey(0, Draw(number=number * (1 + OTHER_DRAWS)))
                nulls = _accepted(exam, content_key, nulls, self._deadline)
            if nulls:
                return nulls
        return []

    def refusals(self, nulls: Iterable[Null]) -> dict[Null, Workload]:
        """For each null a workload that refuses it, if any does: of the quick sweep if possible."""
        open_ = list(nulls)
        refused: dict[Null, Workload] = {}
        for level in dict.fromkeys((Level.QUICK, self._level)):
            refused |= self._refusals_at(level, open_)
            open_ = [null for null in open_ if null not in refused]
            if not open_:
                break
        return refused

    def _refusals_at(self, level: Level, nulls: list[Null]) -> dict[Null, Workload]:
        swept = sweep(self._reference, level, self._secret.random("sweep", level))
        exam = self._exam(tuple(w for w in swept if self._asks(w)))
        deadline = AuditDeadline(SWEEP_SECONDS)
        refused: dict[Null, Workload] = {}
        for index, workload in enumerate(exam.plan.workloads):
            open_ = [null for null in nulls if null not in refused]
            if not open_ or deadline.passed():
                break
            refused |= dict.fromkeys(_refused(exam, index, open_), workload)
        return refused

    def _asks(self, workload: Workload) -> bool:
        """Not the own shape, which may be huge, nor a planted value, which moves no constant."""
        return not workload.own and workload.distribution not in _PLANTED and self._light(workload)

    def _light(self, workload: Workload) -> bool:
        """Whether its constructor is cheap: a heavy one in float64 takes seconds a call."""
        found = self._reference.footprint(workload.axes)
        return found is not None and found.state_elements <= HEAVY_STATE

    def _exam(self, workloads: tuple[Workload, ...]) -> Exam:
        settings = Settings(level=self._level, timing=False)
        return Exam(self._reference, Plan.of(settings, self._secret.hex, workloads))


def _accepted(
    exam: Exam, content_key: ContentKey, nulls: list[Null], deadline: AuditDeadline
) -> list[Null]:
    material = material_of(exam, content_key, OTHER_DRAWS)
    expectations = exam.expectation(content_key)
    pairs = tried(nulls, material, deadline)
    return [null for null, answer in pairs if passes(expectations, answer)]


def _refused(exam: Exam, index: int, nulls: list[Null]) -> list[Null]:
    """Those that answer here and are wrong. An empty workload refuses nothing."""
    content_key = ContentKey(index)
    try:
        expectations = exam.expectation(content_key)
        material = material_of(exam, content_key, OTHER_DRAWS)
    except TaskError:
        return []
    if not any(torch.Size(e.shape).numel() for e in expectations):
        return []
    pairs = list(tried(nulls, material, AuditDeadline(SECONDS)))
    return [null for null, answer in pairs if not passes(expectations, answer)]
