"""`assay synthesise`: new tasks from the suite's operators, each audited before it is written.

The rule: only what is sound is written. The same seed into the same folder writes the same files;
another seed adds none that computes what a file there computes already.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from assay import __version__
from assay.app.record_folder import RecordFolder
from assay.app.suite.suite_flags import SynthesiseFlags
from assay.data.audit import AuditStatus
from assay.data.progress import Progress
from assay.data.settings import Level
from assay.data.synthesis import SynthesisRecord
from assay.errors import AssayError
from assay.report.console import progress_console, result_console
from assay.report.progress_display import ProgressLine
from assay.tasks.readers.kernelbench import task_of_text
from assay.tasks.synthesis.composed_file import chain_in, composed_text
from assay.tasks.synthesis.composer import compositions
from assay.tasks.synthesis.composition import Composition

LEVEL = Level.QUICK
_FEWER = 1
_TRIED_FOR_EACH = 4  # compositions tried at most for each task that was asked for


def run(flags: SynthesiseFlags) -> int:
    """Compose, audit and write until there are enough; 1 where too many were dropped."""
    folder = RecordFolder.at(flags.out).path
    dropped: Counter[str] = Counter()
    written = 0
    with ProgressLine(progress_console(), str(flags.out), "task", "Audited") as line:
        for made in islice(compositions(flags.seed), flags.count * _TRIED_FOR_EACH):
            share = written / flags.count
            line.show(Progress(made.name, written, flags.count, "auditing", share))
            record = _settled(made, folder)
            written += record.path is not None
            if record.path is None:
                dropped[record.status or "there already"] += 1
            with line.hidden():
                _print(record, flags.json)
            if written == flags.count:
                break
    if not flags.json:
        result_console().print(_tally(written, dropped))
    return 0 if written == flags.count else _FEWER


def _settled(made: Composition, folder: Path) -> SynthesisRecord:
    """Audit one composition, and write it where it is sound."""
    text = composed_text(made)
    path = folder / f"{made.name}.py"
    twin = next((name for name, chain in _chains(folder) if chain == made.chain), None)
    if twin is not None and twin != path.name:
        return _record(made, None, f"{twin} computes the same", None)
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return _record(made, AuditStatus.SOUND, "It was written and audited before.", path)
    from assay.audit.auditor import audit

    found = audit(task_of_text(text).model_copy(update={"id": made.name}), LEVEL)
    if found.status is AuditStatus.NOT_RUN:
        raise AssayError(f"{made.name}: {found.reason}")
    if found.status is not AuditStatus.SOUND:
        return _record(made, found.status, found.reason, None)
    path.write_text(text, encoding="utf-8")
    return _record(made, found.status, found.reason, path)


def _chains(folder: Path) -> Iterator[tuple[str, str]]:
    """What the files of the folder compute that were made by this command."""
    for path in sorted(folder.glob("*.py")):
        chain = chain_in(path.read_text(encoding="utf-8", errors="replace"))
        if chain is not None:
            yield path.name, chain


def _record(
    made: Composition, status: AuditStatus | None, reason: str, path: Path | None
) -> SynthesisRecord:
    return SynthesisRecord(
        assay=__version__,
        seed=made.seed,
        number=made.number,
        task=made.name,
        content_id=task_of_text(composed_text(made)).content_id,
        dtype=made.dtype,
        operators=made.natives,
        chain=made.chain,
        status=status,
        reason=reason,
        path=str(path) if path else None,
    )


def _print(record: SynthesisRecord, json: bool) -> None:
    if json:
        sys.stdout.write(record.model_dump_json() + "\n")
    elif record.path is not None:
        sys.stdout.write(f"{record.path}  {record.dtype}\n")
    else:
        sys.stderr.write(f"dropped {record.task}: {record.reason}\n")
    sys.stdout.flush()


def _tally(written: int, dropped: Counter[str]) -> str:
    counts = ", ".join(f"{count} {why}" for why, count in sorted(dropped.items()))
    return f"{written} written, {dropped.total()} dropped" + (f": {counts}" if counts else "")
