"""Coverage: which share of the workloads a candidate answered, and which axes and sizes that is.

The rule: computed from outcomes alone. A size, layout, dtype or mode explains a refusal where no
workload that has it was answered; what explains most refusals is said first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.verdict import Coverage, Outcome, WorkloadOutcome
from assay.data.workload import Workload
from assay.judge.judge_input import JudgeInput

_ANSWERED = (Outcome.OK, Outcome.WRONG)
_LISTED = 6  # sizes of one axis; the rest are counted
_MODES = {None: "as constructed", True: "train()", False: "eval()"}
_REASONS = {
    Outcome.TIMED_OUT: "did not fit the time",
    Outcome.OUT_OF_MEMORY: "ran out of memory",
    Outcome.CRASHED: "ended its process",
    Outcome.NOT_RUN: "were not asked",
    Outcome.UNKNOWN: "could not be judged",
}

Attributes = Mapping[str, int | str]


@dataclass(frozen=True)
class _Cause:
    """One attribute, and the refused workloads that have a value of it which is never answered."""

    name: str
    rows: frozenset[int]


def coverage(case: JudgeInput, rows: tuple[WorkloadOutcome, ...]) -> Coverage | None:
    """How many of the workloads got an answer; None where nothing was planned."""
    if case.plan is None or not rows:
        return None
    answered = sum(row.outcome in _ANSWERED for row in rows)
    refused = sum(row.outcome is Outcome.REFUSED for row in rows)
    return Coverage(
        asked=len(rows),
        answered=answered,
        refused=refused,
        share=answered / len(rows),
        words=_words(case.workloads, rows),
    )


def lack(found: Coverage | None, least: float) -> list[Evidence]:
    """The finding that less was answered than the user asks for; nothing where enough was."""
    if found is None or found.share >= least:
        return []
    share = f"{found.answered} of {found.asked} workloads ({100 * found.share:.0f} %)"
    text = f"only {share} answered, where at least {100 * least:g} % are asked for: {found.words}"
    kind, severity = EvidenceKind.UNSUPPORTED, Severity.CONVICTS
    return [Evidence(kind=kind, severity=severity, text=text)]


def _words(planned: tuple[Workload, ...], rows: tuple[WorkloadOutcome, ...]) -> str:
    """For instance "answers dim 16, 32, 64; refuses dim 65, 127; 2 were not asked"."""
    described = [_attributes(workload) for workload in planned]
    answered = [d for d, row in zip(described, rows, strict=True) if row.outcome in _ANSWERED]
    open_ = {n for n, row in enumerate(rows) if row.outcome is Outcome.REFUSED}
    parts = []
    while open_:
        cause = _largest_cause(described, answered, open_)
        if not cause.rows:
            break
        refused = [described[n] for n in sorted(cause.rows)]
        parts.append(_said(cause.name, answered, refused))
        open_ -= cause.rows
    if open_:
        example = ", ".join(f"{k}={v}" for k, v in described[min(open_)].items())
        parts.append(f"refuses {len(open_)} other workloads, for instance {example}")
    rest = Counter(row.outcome for row in rows if row.outcome in _REASONS)
    parts += [_counted(count, _REASONS[outcome]) for outcome, count in rest.items()]
    return "; ".join(parts) or "answers every workload asked"


def _counted(count: int, what: str) -> str:
    return f"{count} {what.replace('were', 'was') if count == 1 else what}"


def _attributes(workload: Workload) -> Attributes:
    """What a refusal may follow."""
    return {
        **workload.axes,
        "layout": workload.layout.value,
        "dtype": workload.dtype,
        "direction": workload.direction.value,
        "mode": _MODES[workload.training],
    }


def _largest_cause(
    described: list[Attributes], answered: list[Attributes], open_: set[int]
) -> _Cause:
    """The attribute that explains most of the open refusals; of equals the fewest sizes."""
    found = []
    for name in described[0]:
        known = {row[name] for row in answered}
        rows = frozenset(n for n in open_ if described[n][name] not in known)
        sizes = len({described[n][name] for n in rows})
        found.append((len(rows), -sizes, _Cause(name, rows)))
    return max(found, key=lambda one: one[:2])[2]


def _said(name: str, answered: list[Attributes], refused: list[Attributes]) -> str:
    known = {row[name] for row in answered}
    lost = _listed(row[name] for row in refused if row[name] not in known)
    return f"answers {name} {_listed(known) or 'none'}; refuses {name} {lost}"


def _listed(values: Iterable[int | str]) -> str:
    ordered = sorted(set(values), key=lambda value: (isinstance(value, str), value))
    more = len(ordered) - _LISTED
    text = ", ".join(map(str, ordered[:_LISTED]))
    return f"{text} and {more} more" if more > 0 else text
