"""The run a user named: RUN, or RUN#ID where a store holds several; and the claims it rechecks."""

from __future__ import annotations

from assay.data.published.recheck import RECHECK_EVENT, Recheck
from assay.data.run import Run
from assay.errors import UsageError
from assay.store.run_store import RunStore


def stored_run(name: str) -> tuple[RunStore, Run]:
    """The store, open, and the run; of several the last one, unless an id is given."""
    place, _, run_id = name.partition("#")
    store = RunStore(place)
    try:
        if run_id:
            return store, store.run(run_id)
        runs = store.runs()
        if not runs:
            raise UsageError(f"{place} holds no run yet")
        return store, ([one for one in runs if _stands_alone(one)] or runs)[-1]
    except BaseException:
        store.close()
        raise


def _stands_alone(run: Run) -> bool:
    """Whether it is no part of another: winners judged again, or judged with checks left out."""
    return not run.settings.confirms and not run.settings.without_checks


def stored_claims(store: RunStore, run: Run) -> tuple[Recheck, ...]:
    """The claims that a run rechecks, as they were last found; none where it is no recheck."""
    told = store.events(run, RECHECK_EVENT)
    rows = told[-1].data["rows"] if told else ()
    return tuple(Recheck.model_validate(row, strict=False) for row in rows)
