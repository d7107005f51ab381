"""The auditor: one task in, one record out.

The rule: what a task's own benchmark accepts and what Assay accepts are told apart, and the sweep
is drawn only where some null answer needs refusing.
"""

from __future__ import annotations

import logging
import random
import time
from dataclasses import dataclass

import assay
from assay.audit.contract_check import ContractCheck
from assay.audit.flat_check import FlatResult, flat_check
from assay.data.audit import AuditRecord, AuditStatus, NullFinding
from assay.data.settings import Level
from assay.data.task import Task
from assay.data.workload import Workload
from assay.errors import TaskError
from assay.exam.workloads.shape_points import HEAVY_STATE, SMALL_ELEMENTS, Points
from assay.numerics.null_answers import Null
from assay.tasks.catalog import reader
from assay.tasks.references.reference import Reference

SMALL_BATCH = 4
_SMALL_SEED = 0


@dataclass
class _Seen:
    """What the checks of one task found, as far as they came."""

    flat: FlatResult | None = None
    contract: tuple[Null, ...] = ()
    small: Workload | None = None
    refusals: dict[Null, Workload] | None = None
    untried: int = 0
    problem: str = ""
    our_failure: bool = False


def audit(task: Task, level: Level) -> AuditRecord:
    """Ask every null answer of one task."""
    began_s = time.monotonic()
    seen = _Seen()
    try:
        _ask(task, level, seen)
    except TaskError as error:
        seen.problem = str(error)
    except Exception as error:  # a fault of ours costs this task, not the whole suite
        logging.getLogger(__name__).exception("auditing %s", task.id)
        seen.problem, seen.our_failure = f"{type(error).__name__}: {error}", True
    findings = _findings(seen)
    status = _status(seen, findings)
    return AuditRecord(
        assay=assay.__version__,
        task=task.id,
        content_id=task.content_id,
        origin=task.origin,
        level=level,
        status=status,
        reason=_reason(status, findings, seen.problem),
        findings=findings,
        flat_axes=seen.flat.axes if seen.flat else None,
        contract_axes=seen.small.axes if seen.small else None,
        untried=seen.untried,
        elapsed_s=time.monotonic() - began_s,
    )


def _ask(task: Task, level: Level, seen: _Seen) -> None:
    reference = Reference(task)
    if reader(task.format).flat_tolerance:
        seen.flat = flat_check(reference)
        seen.untried += seen.flat.untried if seen.flat else 0
    seen.small = Workload(axes=_small_axes(reference), dtype=reference.dtype)
    check = ContractCheck(reference, seen.small, level)
    seen.contract = tuple(check.accepted())
    seen.untried += check.untried
    if seen.contract:
        seen.refusals = check.refusals(seen.contract)


def _small_axes(reference: Reference) -> dict[str, int]:
    """The own point with a small batch; the constructor shrinks only where it is heavy.

    A few samples at least: an answer of one number is guessed now and then.
    """
    points = Points(reference, random.Random(_SMALL_SEED))
    own = reference.footprint(reference.own_axes)
    if own is not None and own.state_elements > HEAVY_STATE:
        return points.light()
    axes = reference.own_axes
    batch = {name: min(axes[name], SMALL_BATCH) for name in points.batch}
    return points.fit({**axes, **batch}, SMALL_ELEMENTS, [*points.configs, *points.batch])


def _findings(seen: _Seen) -> tuple[NullFinding, ...]:
    """Every null that some check accepted; one that Assay refuses at once is mended at once."""
    flat = seen.flat.tolerances if seen.flat else {}
    nulls = dict.fromkeys([*flat, *seen.contract])
    return tuple(
        NullFinding(
            null=null.kind,
            text=null.text,
            flat_tolerance=flat.get(null),
            passes_contract=null in seen.contract,
            mended_by=_mend(null, seen),
        )
        for null in nulls
    )


def _mend(null: Null, seen: _Seen) -> Workload | None:
    if seen.problem:
        return None
    if null not in seen.contract:
        return seen.small
    return (seen.refusals or {}).get(null)


def _status(seen: _Seen, findings: tuple[NullFinding, ...]) -> AuditStatus:
    if seen.problem:
        return AuditStatus.NOT_RUN if seen.our_failure else AuditStatus.UNUSABLE
    if any(finding.mended_by is None for finding in findings):
        return AuditStatus.DEGENERATE
    return AuditStatus.MENDED if findings else AuditStatus.SOUND


def _reason(status: AuditStatus, findings: tuple[NullFinding, ...], problem: str) -> str:
    """One sentence."""
    if status is AuditStatus.SOUND:
        return "No null answer passes."
    if status is AuditStatus.NOT_RUN:
        return f"Assay itself failed: {problem}."
    if status is AuditStatus.UNUSABLE:
        also = f"; {_accepts(findings[0])} {findings[0].text}" if findings else ""
        return f"It cannot be judged: {problem}{also}."
    if status is AuditStatus.DEGENERATE:
        worst = next(f for f in findings if f.mended_by is None)
        return f"Every workload tried accepts {worst.text}."
    tightest = min(findings, key=lambda f: f.flat_tolerance or 1.0)
    return f"{_accepts(tightest).capitalize()} {tightest.text}; Assay's workloads refuse it."


def _accepts(finding: NullFinding) -> str:
    if finding.flat_tolerance is None:
        return "its own generator lets through"
    return f"a flat tolerance of {finding.flat_tolerance:g} accepts"
