"""Export: a run's summary and measurements as Parquet, for whoever analyses with other tools."""

from __future__ import annotations

import json
from pathlib import Path

from assay.data.run import Run
from assay.errors import UsageError
from assay.store.run_store import RunStore

_NESTED = ("provenance", "stages")  # as JSON: their fields differ from row to row


def export(store: RunStore, run: Run, path: Path) -> int:
    """Write one row an entry; how many."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        text = "Parquet needs pyarrow: pip install 'kernel-assay[parquet]'"
        raise UsageError(text) from error
    rows = [
        row | {"run": run.id, "suite": run.suite} | {n: json.dumps(row[n]) for n in _NESTED}
        for row in store.summary(run)
    ]
    try:
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    return len(rows)
