"""Is it right? Findings about values, shapes, memory and what the candidate refuses."""

from __future__ import annotations

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.call import CallOutcome, CallSeen, Mix, OutputSeen
from assay.data.observations.observation import EndSeen, RecurrenceSeen, RelationSeen, StateSeen
from assay.data.verdict import Outcome, RelationOutcome, WorkloadOutcome
from assay.data.workload import Workload
from assay.judge import refused_workloads
from assay.judge.judge_input import JudgeInput

# Problems that say the candidate computes the wrong thing, whatever its intentions.
WRONG = frozenset(
    {
        EvidenceKind.WRONG_VALUE,
        EvidenceKind.WRONG_SHAPE,
        EvidenceKind.WRONG_DTYPE,
        EvidenceKind.WRONG_TYPE,
        EvidenceKind.WRONG_COUNT,
        EvidenceKind.WRONG_BUFFER,
        EvidenceKind.NON_FINITE,
        EvidenceKind.RESULT_OVERWRITTEN,
        EvidenceKind.STALE_WEIGHTS,
        EvidenceKind.INPUT_CHANGED,
        EvidenceKind.OUT_OF_BOUNDS,
        EvidenceKind.UNSUPPORTED,
        EvidenceKind.RAISED,
        EvidenceKind.RELATION_BROKEN,
    }
)
# Problems of a value that may be explained as the right value of something else.
_ANSWERS = frozenset(
    {EvidenceKind.WRONG_VALUE, EvidenceKind.NON_FINITE, EvidenceKind.RESULT_OVERWRITTEN}
)
# What was done to the weights, where it was not all of them that changed.
_CHANGES = {
    "row": "one row of one of them was updated in place",
    "entry": "one entry of one of them was updated in place",
    "swapped": "two rows of one of them changed places",
}
_TURNS = " (two instances with other weights were called in turns)"
_PARAMETERS = "parameters."  # as the runner names what it finds of them
_SEVERAL = 3  # findings of one kind that are spelled out; the rest are counted


def findings(case: JudgeInput) -> list[Evidence]:
    """Everything wrong, the first few of each kind in full."""
    found: list[Evidence] = []
    for call in case.calls:
        found += _of_call(case, call)
    for tied in case.seen(RelationSeen):
        if not tied.holds:
            text = f"{tied.name}: {tied.text}"
            found.append(_convicts(EvidenceKind.RELATION_BROKEN, case.place(tied.workload), text))
    found += [_unsteady(case, seen) for seen in case.seen(RecurrenceSeen) if seen.different]
    found += [e for e in case.checked if concerns_values(e)]
    found += [_changed_parameter(seen) for seen in case.seen(StateSeen) if is_parameter(seen)]
    for end in case.seen(EndSeen):
        if end.guard_page:
            text = (
                "it reads or writes past the edge of an input: the process dies where the input "
                "ends at an inaccessible page and survives where it does not"
            )
            found.append(_convicts(EvidenceKind.OUT_OF_BOUNDS, case.place(end.workload), text))
    return _brief(found)


def concerns_values(evidence: Evidence) -> bool:
    """Whether a finding says what is computed, not how it was come by."""
    return evidence.kind in WRONG or evidence.kind is EvidenceKind.NOT_REPEATABLE


def is_parameter(seen: StateSeen) -> bool:
    """Whether a change of the process's state is one of a parameter of the module."""
    return seen.name.startswith(_PARAMETERS)


def _changed_parameter(seen: StateSeen) -> Evidence:
    name = seen.name.removeprefix(_PARAMETERS)
    text = f"calls change the parameter {name} of the module: what is saved of it is spoiled"
    return _convicts(EvidenceKind.INPUT_CHANGED, seen.when, text)


def _unsteady(case: JudgeInput, seen: RecurrenceSeen) -> Evidence:
    text = (
        f"not bitwise repeatable: {seen.different} of {seen.calls} answers to the same questions "
        "differ in their bits from all before"
    )
    kind, where = EvidenceKind.NOT_REPEATABLE, case.place(seen.workload)
    return Evidence(kind=kind, severity=Severity.NOTE, where=where, text=text)


def _of_call(case: JudgeInput, call: CallSeen) -> list[Evidence]:
    where = case.place(call.workload)
    found = []
    if call.outcome is CallOutcome.RAISED:
        found = refused_workloads.findings(case, call, where)
    for output in call.outputs:
        if output.problem is not None:
            kind = cause(output)
            if kind in WRONG:
                found.append(_convicts(kind, where, _say(output, kind, call)))
    for name in call.inputs_changed:
        found.append(_convicts(EvidenceKind.INPUT_CHANGED, where, f"{name} was overwritten"))
    for name in call.bands_broken:
        text = f"memory beside {name} was written"
        found.append(_convicts(EvidenceKind.OUT_OF_BOUNDS, where, text))
    return found


def cause(output: OutputSeen) -> EvidenceKind:
    """The kind behind a problem: a wrong value that is another call's right one says more."""
    problem = output.problem or EvidenceKind.WRONG_VALUE
    if output.right_later:
        return EvidenceKind.UNFINISHED_WORK
    if problem not in _ANSWERS or (output.error is not None and output.error.ok):
        return problem
    if output.matches_old_weights:
        return EvidenceKind.STALE_WEIGHTS
    if output.matches_later_call is not None:
        return EvidenceKind.RESULT_OVERWRITTEN
    if output.matches_earlier_call is not None:
        return EvidenceKind.MEMO
    return problem


def _say(output: OutputSeen, kind: EvidenceKind, call: CallSeen) -> str:
    if kind is EvidenceKind.STALE_WEIGHTS:
        if call.mix is Mix.OTHER_INSTANCE:
            return f"{output.name} follows the weights of another instance of the module"
        change = _CHANGES.get(call.weights.partition(" ")[0], "they were updated in place")
        return f"{output.name} follows weights the module had before {change}"
    if kind is EvidenceKind.RESULT_OVERWRITTEN:
        if output.matches_later_call is None:
            return f"{output.name}: {output.detail}"
        return f"{output.name} of an earlier call was overwritten by a later one"
    error = output.error
    if error is None:
        return f"{output.name}: {output.detail}"
    share = "is not finite" if error.budget_used is None else f"{error.budget_used:.3g}"
    turns = _TURNS if call.mix is Mix.OTHER_INSTANCE else ""
    return (
        f"{output.name}: {error.wrong} of {error.total} elements beyond the error budget "
        f"(largest share {share}) at {error.where}: {error.text}{turns}"
    )


def relation_outcomes(case: JudgeInput) -> tuple[RelationOutcome, ...]:
    """One row for each relation that was tried."""
    return tuple(
        RelationOutcome(name=seen.name, holds=seen.holds, error_budget_used=seen.budget_used)
        for seen in case.seen(RelationSeen)
    )


def workload_outcomes(case: JudgeInput) -> tuple[WorkloadOutcome, ...]:
    """One row for each workload that was to be asked."""
    return tuple(_row(case, number, workload) for number, workload in enumerate(case.workloads))


def _row(case: JudgeInput, number: int, workload: Workload) -> WorkloadOutcome:
    calls = [c for c in case.calls if c.workload == number]
    shares = [o.error.budget_used for c in calls for o in c.outputs if o.error is not None]
    known = [share for share in shares if share is not None]
    return WorkloadOutcome(
        axes=workload.axes,
        dtype=workload.dtype,
        layout=workload.layout,
        distribution=workload.distribution,
        direction=workload.direction,
        outcome=_outcome(case, number, calls),
        error_budget_used=max(known) if known and len(known) == len(shares) else None,
    )


def _outcome(case: JudgeInput, number: int, calls: list[CallSeen]) -> Outcome:
    ends = [end for end in case.seen(EndSeen) if end.workload == number]
    if ends:
        if ends[0].guard_page:
            return Outcome.WRONG
        names = {"timed_out": Outcome.TIMED_OUT, "out_of_memory": Outcome.OUT_OF_MEMORY}
        return names.get(ends[0].cause.value, Outcome.CRASHED)
    if not calls:
        return Outcome.NOT_RUN
    if any(o.problem is EvidenceKind.OUT_OF_MEMORY for c in calls for o in c.outputs):
        return Outcome.OUT_OF_MEMORY
    raised = [c for c in calls if c.outcome is CallOutcome.RAISED and not c.other_shape]
    if raised:
        return refused_workloads.outcome(raised)
    bad = any(o.problem for c in calls for o in c.outputs)
    touched = any(c.inputs_changed or c.bands_broken for c in calls)
    return Outcome.WRONG if bad or touched else Outcome.OK


def _convicts(kind: EvidenceKind, where: str, text: str) -> Evidence:
    return Evidence(kind=kind, severity=Severity.CONVICTS, where=where, text=text)


def _brief(found: list[Evidence]) -> list[Evidence]:
    """The first few of each kind; those that convict come before notes, so none is only counted."""
    kept: list[Evidence] = []
    order = list(Severity)
    for kind in dict.fromkeys(e.kind for e in found):
        same = sorted((e for e in found if e.kind is kind), key=lambda e: order.index(e.severity))
        distinct = list({(e.where, e.severity): e for e in same}.values())
        kept += distinct[:_SEVERAL]
        if len(distinct) > _SEVERAL:
            more = len(distinct) - _SEVERAL
            text = f"{more} more findings of this kind"
            kept.append(Evidence(kind=kind, severity=Severity.NOTE, text=text))
    return kept
