"""`assay import`: what another system published about candidates, as a run of its claims.

The rule: nothing is run and nothing judged. Every entry stays without a verdict; what the source
says of it stands in its provenance. The same file imported again adds nothing.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path

import assay
from assay.app.stored.import_flags import ImportFlags
from assay.data.run import Run, RunEvent
from assay.data.settings import Settings
from assay.errors import UsageError
from assay.report.console import result_console
from assay.store.run_store import RunStore


def run(flags: ImportFlags) -> int:
    """One run for each file."""
    from assay.store.imports.import_registry import FORMATS

    found = FORMATS.get(flags.format).read(flags.path)
    if not found.entries:
        why = "; ".join(f"{count} records: {text}" for text, count in found.left_out.items())
        raise UsageError(f"{flags.path} holds no candidate" + (f" ({why})" if why else ""))
    settings = Settings(timing=False)
    key = hashlib.sha256("".join(e.model_dump_json() for e in found.entries).encode()).hexdigest()
    one = Run(
        id=f"claimed-{flags.format}-{key[:16]}",
        suite=f"claimed/{flags.format}:{Path(flags.path).name}",
        settings=settings,
        assay=assay.__version__,
        started_at=time.time(),
    )
    with RunStore(flags.out, create=True) as store:
        one = store.begin(one)
        added = store.add(one, found.entries)
        said = {
            "format": flags.format,
            "records": found.records,
            "entries": len(found.entries),
            "added": added,
            "tasks": len({entry.task.id for entry in found.entries}),
            "left_out": dict(found.left_out),
        }
        store.tell(one, RunEvent(at=time.time(), kind="imported", data=said))
    if flags.json:
        sys.stdout.write(json.dumps({"run": one.id, **said}) + "\n")
    else:
        result_console().print(_words(said, one.id), soft_wrap=True)
    return 0


def _words(said: dict[str, object], run: str) -> str:
    words = f"{said['records']} records of {said['format']}: {said['entries']} candidates of "
    words += f"{said['tasks']} tasks, {said['added']} of them new, in the run {run}. "
    words += "What their source says of them is its claim: none of them is judged."
    left = said["left_out"]
    for why, count in left.items() if isinstance(left, dict) else ():
        words += f"\nleft out: {count} records ({why})"
    return words
