"""The run a user named: RUN, or RUN#ID where a store holds several."""

from __future__ import annotations

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
        return store, runs[-1]
    except BaseException:
        store.close()
        raise
