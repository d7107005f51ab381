"""`assay show`: a stored run as a table, or one of its verdicts in full."""

from __future__ import annotations

import json
import sys

from assay.app.stored.run_flags import ShowFlags
from assay.app.stored.stored_run import stored_run
from assay.data.run import Run
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.run_table import run_table
from assay.report.terminal import print_verdict
from assay.store.parquet_export import export
from assay.store.run_store import RunStore


def run(flags: ShowFlags) -> int:
    """The table, or one verdict."""
    store, one = stored_run(flags.run)
    with store:
        if flags.parquet is not None:
            count = export(store, one, flags.parquet)
            sys.stderr.write(f"assay: wrote {count} rows to {flags.parquet}\n")
        if flags.id is not None:
            return _verdict(store, one, flags)
        rows = store.summary(one)
    if flags.json:
        for row in rows:
            sys.stdout.write(json.dumps(row) + "\n")
    elif flags.parquet is None:
        result_console().print(run_table(rows))
    return 0


def _verdict(store: RunStore, run: Run, flags: ShowFlags) -> int:
    name = str(flags.id)
    rows = [row for row in store.summary(run) if _is_called(row, name)]
    if len({row["key"] for row in rows}) != 1:
        several = ", ".join(f"{row['number']} {row['name']}" for row in rows[:8])
        what = f"several candidates are called '{name}': {several}" if rows else ""
        raise UsageError(what or f"no candidate of the run is called '{name}'")
    judgement = store.judgement(rows[0]["key"])
    if judgement is None:
        raise UsageError(f"'{name}' has not been judged yet: assay run goes on with the run")
    if flags.json:
        sys.stdout.write(judgement.model_dump_json() + "\n")
    else:
        print_verdict(result_console(), judgement.verdict)
    return 0


def _is_called(row: dict[str, object], name: str) -> bool:
    return (
        name == str(row["number"])
        or str(row["name"]).endswith(name)
        or (len(name) >= 6 and str(row["candidate"]).startswith(name))
    )
