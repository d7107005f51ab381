"""The verdicts of a stored run, as records.

The rule: what was not judged is left out.
"""

from __future__ import annotations

from assay.app.stored.stored_run import stored_run
from assay.data.run import Entry
from assay.data.verdict import Verdict


def stored_verdicts(place: str) -> list[tuple[Entry, Verdict]]:
    """Every candidate of the last run there that has a verdict, in the order it was given."""
    store, run = stored_run(place)
    with store:
        found = [(entry, verdict) for entry, verdict in store.verdicts(run) if verdict is not None]
    return sorted(found, key=lambda one: one[0].number)
