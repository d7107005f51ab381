"""Entries as rows: a candidate of a run, with its task and its content kept once.

The rule: a candidate's content is stored without its name and provenance, so that the same code
from two generators is one blob; both stand in the entry's own row.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, select

from assay.data.candidate import Candidate, Provenance
from assay.data.run import Entry, Run
from assay.data.task import Task
from assay.store import blobs
from assay.store.schema import candidates, cost_columns, entries
from assay.store.schema import tasks as task_table
from assay.store.stored_rows import column_text


def add_entry(connection: Connection, insert: Callable[..., Any], run: Run, entry: Entry) -> None:
    """Write an entry, its task and its candidate; `insert` is that of the database."""
    task, candidate = entry.task, entry.candidate
    task_blob = blobs.put(connection, insert, task.model_dump_json())
    made = insert(task_table).values(id=task_blob, name=task.id, blob=task_blob)
    connection.execute(made.on_conflict_do_nothing())
    anonymous = candidate.model_copy(update={"name": "", "provenance": Provenance()})
    blob = blobs.put(connection, insert, anonymous.model_dump_json())
    made = insert(candidates).values(id=candidate.id, language=candidate.language, blob=blob)
    connection.execute(made.on_conflict_do_nothing())
    provenance = candidate.provenance.model_dump(mode="json")
    row = {
        "run": run.id,
        "number": entry.number,
        "submission": entry.submission,
        "name": column_text(candidate.name),
        "task": task_blob,
        "candidate": candidate.id,
        "provenance": provenance,
        "key": entry.key(run.settings, run.assay),
    }
    connection.execute(entries.insert().values(row | cost_columns(provenance)))


def entry_of(connection: Connection, row: dict[str, Any]) -> Entry:
    """The entry that a row describes, whole."""
    task = _content(connection, task_table, row["task"])
    candidate = _content(connection, candidates, row["candidate"])
    provenance = Provenance.model_validate(row["provenance"], strict=False)
    made = Candidate.model_validate_json(candidate)
    made = made.model_copy(update={"name": row["name"], "provenance": provenance})
    return Entry(
        number=row["number"],
        task=Task.model_validate_json(task),
        candidate=made,
        submission=row["submission"],
    )


def _content(connection: Connection, table: Any, name: str) -> str:
    blob = connection.execute(select(table.c.blob).where(table.c.id == name)).scalar()
    return blobs.get(connection, str(blob))


def stored_copies(connection: Connection, run: Run, page: list[Entry]) -> Counter[bytes]:
    """How often each identity of a page is in the run already."""
    keys = {entry.key(run.settings, run.assay) for entry in page}
    asked = select(entries.c.key, entries.c.name, entries.c.provenance)
    asked = asked.where(entries.c.run == run.id, entries.c.key.in_(keys))
    return Counter(
        _digest(key, name, Provenance.model_validate(told, strict=False).model_dump_json())
        for key, name, told in connection.execute(asked)
    )


def identity(key: str, candidate: Candidate) -> bytes:
    """The same for entries of the same name, content and provenance."""
    return _digest(key, column_text(candidate.name), candidate.provenance.model_dump_json())


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).digest()
