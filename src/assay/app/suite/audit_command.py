"""`assay audit`: find the tasks of a suite that a kernel which computes nothing would pass.

The rule: each record is written as soon as it is found and printed in the order of the suite; with
`--out` a task that was audited before, at this level, by this version, is read and not asked again.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from assay import __version__
from assay.app.flags import AuditFlags
from assay.app.record_folder import RecordFolder
from assay.app.suite.asked_tasks import asked_tasks
from assay.data.audit import AuditRecord, AuditStatus
from assay.data.progress import Progress
from assay.data.settings import Level
from assay.data.task import Task
from assay.errors import HostError, UsageError
from assay.report.audit_text import audit_block, audit_tally
from assay.report.console import progress_console, result_console
from assay.report.progress_display import ProgressLine

_FOUND, _OUR_FAILURE = 1, 3


def run(flags: AuditFlags) -> int:
    """Audit every chosen task; 0 where all are sound, else 1."""
    tasks = chosen(flags)
    level = Level(flags.level)
    folder = RecordFolder.at(flags.out) if flags.out else None
    records: list[AuditRecord] = []
    known = {task.id: found for task in tasks if (found := _known(task, level, folder))}
    open_ = [task for task in tasks if task.id not in known]
    ask = partial(_asked, level=level, folder=folder)
    with (
        ProgressLine(progress_console(), flags.suite, "task") as line,
        _each(ask, open_, flags.jobs) as asked,
    ):
        for index, task in enumerate(tasks):
            line.show(Progress(task.id, index, len(tasks), "auditing", index / len(tasks)))
            records.append(known.get(task.id) or next(asked))
            with line.hidden():
                _print(records[-1], flags.json)
    if known:
        progress_console().print(f"{len(known)} of {len(tasks)} were read from {flags.out}")
    if not flags.json:
        result_console().print(audit_tally(records))
    return _exit_code({record.status for record in records})


@contextmanager
def _each(
    ask: Callable[[Task], AuditRecord], tasks: Sequence[Task], jobs: int
) -> Iterator[Iterator[AuditRecord]]:
    """Records in the order of the tasks; several processes share the processors."""
    if jobs == 1 or len(tasks) < 2:
        yield map(ask, tasks)
        return
    cores = len(os.sched_getaffinity(0))
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, cores // jobs)))
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), multiprocessing.get_context("spawn"))
    try:
        yield pool.map(ask, tasks)
    except BrokenProcessPool as error:
        raise HostError("a process that audits ended: the system may lack memory") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _exit_code(statuses: set[AuditStatus]) -> int:
    if AuditStatus.NOT_RUN in statuses:
        return _OUR_FAILURE
    return 0 if statuses <= {AuditStatus.SOUND} else _FOUND


def chosen(flags: AuditFlags) -> Sequence[Task]:
    """The tasks of the suite, or the one task; of those only the ones asked for."""
    tasks = asked_tasks(flags.suite)
    if not flags.only:
        return tasks
    known = {task.id for task in tasks}
    for name in flags.only:
        if name not in known:
            raise UsageError(
                f"no task '{name}' in {flags.suite}; it has {', '.join(sorted(known))}"
            )
    return [task for task in tasks if task.id in flags.only]


def _file(task: Task) -> str:
    return f"{task.id}.{task.content_id}.audit.json"


def _known(task: Task, level: Level, folder: RecordFolder | None) -> AuditRecord | None:
    """What an earlier audit of the same source, by this version, at this level found."""
    known = _read(folder.path / _file(task)) if folder is not None else None
    if known is None or (known.level, known.assay) != (level, __version__):
        return None
    return known


def _asked(task: Task, level: Level, folder: RecordFolder | None) -> AuditRecord:
    from assay.audit.auditor import audit

    record = audit(task, level)
    if folder is not None and record.status is not AuditStatus.NOT_RUN:
        folder.put(_file(task), record)
    return record


def _read(path: Path) -> AuditRecord | None:
    """An earlier record; None where there is none that can be used."""
    try:
        return AuditRecord.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        return None


def _print(record: AuditRecord, json: bool) -> None:
    if json:
        sys.stdout.write(record.model_dump_json() + "\n")
    elif record.status is not AuditStatus.SOUND:
        result_console().print(audit_block(record))
    sys.stdout.flush()
