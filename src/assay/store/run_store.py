"""RunStore: runs, their entries, and one judgement for each.

The rule: a judgement is stored once. A second one of the same key is dropped, except that a
failure of ours (`not_run`) gives way to an answer. Entries are read in pages, so that a long queue
costs no memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, and_, func, or_, select

from assay.data.candidate import Candidate, Provenance
from assay.data.run import Entry, Judgement, Run, RunEvent
from assay.data.task import Task
from assay.data.verdict import Status, Verdict
from assay.errors import UsageError
from assay.store import blobs
from assay.store.database import Database, opened
from assay.store.schema import candidates, claims, entries, events, judgements, measurements, runs
from assay.store.schema import tasks as task_table
from assay.store.stored_rows import judgement_row, measurement_rows, verdict_in

_PAGE = 64  # entries at a time
_CLAIM_S = 120.0  # renewed while its owner lives


class RunStore:
    """What is stored, asked and told in records."""

    def __init__(self, where: str | Path, create: bool = False) -> None:
        self._database: Database = opened(where, create)

    def close(self) -> None:
        """Nothing is lost by not calling it."""
        self._database.close()

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, run: Run) -> None:
        """Store a run; one that is there already is left as it is."""
        row = self._database.insert(runs).values(
            id=run.id,
            started_at=run.started_at,
            suite=run.suite,
            settings=run.settings.model_dump(mode="json"),
            assay=run.assay,
        )
        with self._database.writing() as connection:
            connection.execute(row.on_conflict_do_nothing())

    def runs(self) -> list[Run]:
        """Every run, the oldest first."""
        with self._database.reading() as connection:
            found = connection.execute(select(runs).order_by(runs.c.started_at)).mappings()
            return [Run.model_validate(dict(row), strict=False) for row in found]

    def run(self, name: str) -> Run:
        """The run of that id, or of the only id that begins so."""
        found = [run for run in self.runs() if run.id.startswith(name)]
        if len(found) != 1:
            known = ", ".join(run.id for run in found or self.runs()) or "none"
            what = "several runs are called" if found else "no run is called"
            raise UsageError(f"{what} '{name}' in {self._database.where}; there are: {known}")
        return found[0]

    def add(self, run: Run, given: Iterable[Entry]) -> int:
        """Store entries; those that are there already are left as they are. How many were given."""
        count = 0
        with self._database.writing() as connection:
            for entry in given:
                self._add(connection, run, entry)
                count += 1
        return count

    def _add(self, connection: Connection, run: Run, entry: Entry) -> None:
        insert = self._database.insert
        task, candidate = entry.task, entry.candidate
        task_blob = blobs.put(connection, insert, task.model_dump_json())
        made = insert(task_table).values(id=task.content_id, name=task.id, blob=task_blob)
        connection.execute(made.on_conflict_do_nothing())
        anonymous = candidate.model_copy(update={"name": "", "provenance": Provenance()})
        blob = blobs.put(connection, insert, anonymous.model_dump_json())
        made = insert(candidates).values(id=candidate.id, language=candidate.language, blob=blob)
        connection.execute(made.on_conflict_do_nothing())
        made = insert(entries).values(
            run=run.id,
            number=entry.number,
            name=candidate.name,
            task=task.content_id,
            candidate=candidate.id,
            provenance=candidate.provenance.model_dump(mode="json"),
            key=entry.key(run.settings, run.assay),
        )
        connection.execute(made.on_conflict_do_nothing())

    def entries(self, run: Run, open_only: bool = False) -> Iterator[Entry]:
        """In the order given, in pages; with `open_only` those that have no answer yet."""
        last = -1
        while True:
            with self._database.reading() as connection:
                page = self._page(connection, run, last, open_only)
            if not page:
                return
            yield from page
            last = page[-1].number

    def _page(self, connection: Connection, run: Run, last: int, open_only: bool) -> list[Entry]:
        asked = select(entries).where(entries.c.run == run.id, entries.c.number > last)
        if open_only:
            answered = and_(
                judgements.c.key == entries.c.key, judgements.c.status != Status.NOT_RUN.value
            )
            asked = asked.where(~select(judgements.c.key).where(answered).exists())
        asked = asked.order_by(entries.c.number).limit(_PAGE)
        rows = connection.execute(asked).mappings().all()
        return [self._entry(connection, dict(row)) for row in rows]

    def _entry(self, connection: Connection, row: dict[str, Any]) -> Entry:
        task = self._content(connection, task_table, row["task"])
        candidate = self._content(connection, candidates, row["candidate"])
        provenance = Provenance.model_validate(row["provenance"], strict=False)
        made = Candidate.model_validate_json(candidate)
        made = made.model_copy(update={"name": row["name"], "provenance": provenance})
        return Entry(number=row["number"], task=Task.model_validate_json(task), candidate=made)

    def _content(self, connection: Connection, table: Any, name: str) -> str:
        blob = connection.execute(select(table.c.blob).where(table.c.id == name)).scalar()
        return blobs.get(connection, str(blob))

    def record(self, key: str, judgement: Judgement) -> bool:
        """Store a judgement; False where an answer was there before."""
        with self._database.writing() as connection:
            asked = select(judgements.c.status, judgements.c.attempts)
            before = connection.execute(asked.where(judgements.c.key == key)).first()
            if before is not None and before.status != Status.NOT_RUN.value:
                return False
            attempts = 1 + (before.attempts if before else 0)
            connection.execute(measurements.delete().where(measurements.c.key == key))
            blob = blobs.put(connection, self._database.insert, judgement.model_dump_json())
            row = judgement_row(key, judgement, blob) | {"attempts": attempts}
            row["judged_at"] = time.time()
            made = self._database.insert(judgements).values(row)
            others = {name: value for name, value in row.items() if name != "key"}
            connection.execute(made.on_conflict_do_update(index_elements=["key"], set_=others))
            for timing in measurement_rows(key, judgement):
                connection.execute(measurements.insert().values(timing))
            connection.execute(claims.delete().where(claims.c.key == key))
            return True

    def judgement(self, key: str) -> Judgement | None:
        """The judgement of that key, whole."""
        with self._database.reading() as connection:
            asked = select(judgements.c.blob).where(judgements.c.key == key)
            blob = connection.execute(asked).scalar()
            return (
                None if blob is None else Judgement.model_validate_json(blobs.get(connection, blob))
            )

    def keys(self, run: Run) -> list[str]:
        """The key of every entry, in the order given."""
        with self._database.reading() as connection:
            asked = select(entries.c.key).where(entries.c.run == run.id)
            return list(connection.execute(asked.order_by(entries.c.number)).scalars())

    def judgements(self, run: Run) -> Iterator[tuple[Entry, Judgement | None]]:
        """Every entry with what is known of it; one judgement in memory at a time."""
        for entry in self.entries(run):
            yield entry, self.judgement(entry.key(run.settings, run.assay))

    def verdicts(self, run: Run) -> Iterator[tuple[Entry, Verdict | None]]:
        """Every entry with its verdict alone: the observations are neither parsed nor kept."""
        last, tasks = -1, dict[str, Task]()
        while True:
            with self._database.reading() as connection:
                page = list(self._verdict_page(connection, run, last, tasks))
            if not page:
                return
            yield from page
            last = page[-1][0].number

    def _verdict_page(
        self, connection: Connection, run: Run, last: int, tasks: dict[str, Task]
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
            entry = Entry(number=row.number, task=tasks[row.task], candidate=made)
            yield entry, None if row[-1] is None else verdict_in(texts[row[-1]])

    def summary(self, run: Run) -> list[dict[str, Any]]:
        """One row an entry: name, task, status and the columns of its judgement, no blob read."""
        columns = [c for c in judgements.c if c.name not in ("key", "task", "candidate", "blob")]
        asked = (
            select(
                entries.c.number,
                entries.c.name,
                task_table.c.name.label("task"),
                entries.c.candidate,
                entries.c.key,
                entries.c.provenance,
                *columns,
            )
            .join(task_table, task_table.c.id == entries.c.task)
            .outerjoin(judgements, judgements.c.key == entries.c.key)
            .where(entries.c.run == run.id)
            .order_by(entries.c.number)
        )
        with self._database.reading() as connection:
            return [dict(row) for row in connection.execute(asked).mappings()]

    def measurements(self, run: Run) -> list[dict[str, Any]]:
        """Every timing of the run, by entry."""
        asked = (
            select(entries.c.number.label("entry"), entries.c.name, measurements)
            .join(measurements, measurements.c.key == entries.c.key)
            .where(entries.c.run == run.id)
            .order_by(entries.c.number, measurements.c.number)
        )
        with self._database.reading() as connection:
            return [dict(row) for row in connection.execute(asked).mappings()]

    def counts(self, run: Run) -> dict[str, int]:
        """Entries by status; `open` has no judgement yet."""
        asked = (
            select(func.coalesce(judgements.c.status, "open"), func.count())
            .select_from(entries)
            .outerjoin(judgements, judgements.c.key == entries.c.key)
            .where(entries.c.run == run.id)
            .group_by(judgements.c.status)
        )
        with self._database.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(asked)}

    def claim(self, key: str, owner: str) -> bool:
        """Whether this owner may judge it now. A claim lapses where its owner does not renew it."""
        now = time.time()
        until = {"owner": owner, "until": now + _CLAIM_S}
        free = or_(claims.c.owner == owner, claims.c.until < now)
        made = self._database.insert(claims).values(key=key, **until)
        made = made.on_conflict_do_update(index_elements=["key"], set_=until, where=free)
        with self._database.writing() as connection:
            return connection.execute(made.returning(claims.c.key)).first() is not None

    def owners(self) -> list[str]:
        """Everyone who has a claim."""
        with self._database.reading() as connection:
            return list(connection.execute(select(claims.c.owner).distinct()).scalars())

    def renew(self, owner: str) -> None:
        """Keep every claim of an owner."""
        with self._database.writing() as connection:
            kept = claims.update().where(claims.c.owner == owner)
            connection.execute(kept.values(until=time.time() + _CLAIM_S))

    def release(self, owner: str) -> None:
        """Give up every claim of an owner."""
        with self._database.writing() as connection:
            connection.execute(claims.delete().where(claims.c.owner == owner))

    def tell(self, run: Run, event: RunEvent) -> None:
        """Append an event."""
        row = {"run": run.id, "at": event.at, "kind": event.kind, "data": event.data}
        with self._database.writing() as connection:
            connection.execute(events.insert().values(row))

    def events(self, run: Run, kind: str = "") -> list[RunEvent]:
        """In the order told; of one kind, or of all."""
        asked = select(events.c.at, events.c.kind, events.c.data).where(events.c.run == run.id)
        if kind:
            asked = asked.where(events.c.kind == kind)
        with self._database.reading() as connection:
            found = connection.execute(asked.order_by(events.c.id)).mappings()
            return [RunEvent.model_validate(dict(row)) for row in found]
