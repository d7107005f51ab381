"""CheckAblation: a stored run judged again with checks left out, to see what each is worth.

The rule: the same exams are asked, and every verdict says what was left out. Only what the checks
can have decided is judged again: refused candidates with evidence of a kind that they declare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import assay
from assay.checks.check_registry import all_checks
from assay.data.generation.ablation_result import ChangedVerdict, CheckAblation
from assay.data.record import content_id
from assay.data.run import Entry, Run
from assay.data.verdict import Status, Verdict
from assay.errors import UsageError
from assay.store.run_store import RunStore

JudgeRun = Callable[[Run], None]  # judges what is open in a run


def known_checks(names: Sequence[str]) -> tuple[str, ...]:
    """Names of checks, each once and known; `_` may stand for a space."""
    known = [one.declared.name for one in all_checks()]
    wanted = [name if name in known else name.replace("_", " ") for name in names]
    for name in wanted:
        if name not in known:
            raise UsageError(f"unknown check '{name}'; known: {', '.join(known)}")
    return tuple(dict.fromkeys(wanted))


def check_ablation(
    store: RunStore, run: Run, left_out: tuple[str, ...], judge: JudgeRun
) -> CheckAblation:
    """Judge what these checks can have decided once more without them."""
    before = list(store.verdicts(run))
    kinds = _kinds(left_out)
    asked = [(e, v) for e, v in before if v is not None and _may_change(v, kinds)]
    again = store.begin(_without(run, left_out))
    store.add_placed(again, [entry for entry, _ in asked])
    judge(again)
    after = {entry.number: verdict for entry, verdict in store.verdicts(again)}
    changed = [
        _changed(entry, was, now)
        for entry, was in asked
        if (now := after.get(entry.number)) is not None and now.status is not was.status
    ]
    accepted = Status.ACCEPTED.value
    return CheckAblation(
        left_out=left_out,
        verdicts=len(before),
        judged=len(asked),
        changed=tuple(changed),
        let_through=sum(one.after == accepted for one in changed),
    )


def _without(run: Run, left_out: tuple[str, ...]) -> Run:
    """The same run with the same secret, and checks left out."""
    return Run(
        id="without-" + content_id(run.id, *left_out),
        suite=run.suite,
        settings=run.settings.model_copy(update={"without_checks": left_out}),
        assay=assay.__version__,
        started_at=run.started_at,
        secret=run.secret,
    )


def _kinds(left_out: tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        kind.value
        for one in all_checks()
        if one.declared.name in left_out
        for kind in one.declared.kinds
    )


def _may_change(verdict: Verdict, kinds: frozenset[str]) -> bool:
    refused = verdict.status not in (Status.ACCEPTED, Status.NOT_RUN, Status.INVALID_TASK)
    return refused and any(one.kind.value in kinds for one in verdict.evidence)


def _changed(entry: Entry, was: Verdict, now: Verdict) -> ChangedVerdict:
    return ChangedVerdict(
        number=entry.number,
        task=entry.task.id,
        candidate=entry.candidate.name,
        before=was.status.value,
        after=now.status.value,
    )
