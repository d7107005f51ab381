"""`assay runs`: what is stored at a place."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from assay.app.stored.run_flags import RunsFlags
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.run_table import runs_table
from assay.store.database import FILE_NAME
from assay.store.run_store import RunStore


def run(flags: RunsFlags) -> int:
    """One row a run."""
    rows = []
    for place in _places(flags.place):
        with RunStore(place) as store:
            for one in store.runs():
                rows.append((place, one, store.counts(one)))
    if not rows:
        raise UsageError(f"no run is stored in {flags.place}")
    if flags.json:
        for place, one, counts in rows:
            said = one.model_dump(mode="json") | {"place": place, "counts": counts}
            sys.stdout.write(json.dumps(said) + "\n")
    else:
        result_console().print(runs_table(rows))
    return 0


def _places(given: str) -> list[str]:
    """A URL or a folder of a run as it is; of any other folder the runs just below it."""
    if "://" in given or (Path(given) / FILE_NAME).exists():
        return [given]
    return [str(path.parent) for path in sorted(Path(given).glob(f"*/{FILE_NAME}"))]
