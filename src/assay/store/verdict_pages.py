"""Pages of verdicts: entries with their verdicts alone, the observations left unread."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from assay.data.candidate import Candidate, Provenance
from assay.data.run import Entry, Run
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.store import blobs
from assay.store.schema import candidates, entries, judgements
from assay.store.schema import tasks as task_table
from assay.store.stored_rows import verdict_in

_PAGE = 64  # entries at a time


def verdict_page(
    connection: Connection, run: Run, last: int, tasks: dict[str, Task]
) -> Iterator[tuple[Entry, Verdict | None]]:
    """One query for the rows of a page and one for their blobs; each task is read once."""
    asked = (
        select(entries, task_table.c.blob, candidates.c.blob, judgements.c.blob)
        .join(task_table, task_table.c.id == entries.c.task)
        .join(candidates, candidates.c.id == entries.c.candidate)
        .outerjoin(judgements, judgements.c.key == entries.c.key)
        .where(entries.c.run == run.id, entries.c.number > last)
        .order_by(entries.c.number)
        .limit(_PAGE)
    )
    rows = connection.execute(asked).all()
    wanted = {str(row[-3]) for row in rows if row.task not in tasks}
    wanted |= {str(blob) for row in rows for blob in row[-2:] if blob is not None}
    texts = blobs.get_many(connection, wanted)
    for row in rows:
        if row.task not in tasks:
            tasks[row.task] = Task.model_validate_json(texts[row[-3]])
        made = Candidate.model_validate_json(texts[row[-2]])
        provenance = Provenance.model_validate(row.provenance, strict=False)
        made = made.model_copy(update={"name": row.name, "provenance": provenance})
        entry = Entry(
            number=row.number,
            task=tasks[row.task],
            candidate=made,
            submission=row.submission,
        )
        yield entry, None if row[-1] is None else verdict_in(texts[row[-1]])
