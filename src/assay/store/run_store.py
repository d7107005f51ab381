"""RunStore: runs, their entries, and one judgement for each.

The rule: a judgement is stored once. A second one of the same key is dropped, except that a
failure of ours (`not_run`) gives way to an answer, and stays as an event. An entry that was added
keeps its number: what is added later comes after it. Entries are read in pages, so that a long
queue costs no memory.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, or_, select

from assay.data.run import Entry, Judgement, Run, RunEvent
from assay.data.task import Task
from assay.data.verdict import Status, Verdict
from assay.errors import UsageError
from assay.store import blobs
from assay.store.database import Database, opened
from assay.store.entry_rows import add_entry, entry_of, identity, stored_copies
from assay.store.schema import (
    COSTS,
    claims,
    entries,
    events,
    evidence,
    judgements,
    measurements,
    runs,
)
from assay.store.schema import tasks as task_table
from assay.store.stored_rows import evidence_rows, judgement_row, measurement_rows
from assay.store.verdict_pages import verdict_page

_PAGE = 64  # entries at a time
_SUBMISSION = 256  # entries that are added at a time
_CLAIM_S = 120.0  # renewed while its owner lives
_ANSWERED = judgements.c.status != Status.NOT_RUN.value


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

    def begin(self, run: Run, like: str | None = None) -> Run:
        """The stored run of that id, or the last whose id ends like that; made where none is.

        Its secret is drawn here, once: two processes that begin together get the same run.
        """
        with self._database.writing(alone=True) as connection:
            same = runs.c.id == run.id if like is None else runs.c.id.endswith(like)
            asked = select(runs).where(same).order_by(runs.c.started_at.desc())
            row = connection.execute(asked).mappings().first()
            if row is not None:
                found = _run_of(dict(row))
                if not found.secret:  # of a store that kept none
                    found = found.model_copy(update={"secret": secrets.token_hex(32)})
                    same = runs.c.id == found.id
                    changed = runs.update().where(same).values(secret=found.secret)
                    connection.execute(changed)
                return found
            made = run if run.secret else run.model_copy(update={"secret": secrets.token_hex(32)})
            values = made.model_dump(mode="json") | {"secret": made.secret}
            connection.execute(runs.insert().values(values))
            return made

    def runs(self) -> list[Run]:
        """Every run, the oldest first."""
        with self._database.reading() as connection:
            found = connection.execute(select(runs).order_by(runs.c.started_at)).mappings()
            return [_run_of(dict(row)) for row in found]

    def run(self, name: str) -> Run:
        """The run of that id, or of the only id that begins so."""
        found = [run for run in self.runs() if run.id.startswith(name)]
        if len(found) != 1:
            known = ", ".join(run.id for run in found or self.runs()) or "none"
            what = "several runs are called" if found else "no run is called"
            raise UsageError(f"{what} '{name}' in {self._database.where}; there are: {known}")
        return found[0]

    def add(self, run: Run, given: Iterable[Entry]) -> int:
        """Store entries in pages, each whole or not at all; how many are new.

        One that is there already - the same name, content and provenance - is left as it is. New
        ones are numbered after those; a page is one submission. Nothing is read while the store is
        locked: others may be recording.
        """
        new, source, seen = 0, iter(given), Counter[bytes]()
        while page := list(islice(source, _SUBMISSION)):
            new += self._submit(run, page, seen)
        return new

    def add_told(self, run: Run, entry: Entry, event: Callable[[int], RunEvent]) -> int:
        """Store an entry as a submission of its own with the event that tells of its number.

        Both are stored or neither: a process that is killed leaves no entry that nobody told of.
        """
        with self._database.writing(alone=True) as connection:
            last = func.max(entries.c.number), func.max(entries.c.submission)
            asked = connection.execute(select(*last).where(entries.c.run == run.id)).one()
            number, submission = (0 if one is None else one + 1 for one in asked)
            placed = entry.model_copy(update={"number": number, "submission": submission})
            add_entry(connection, self._database.insert, run, placed)
            connection.execute(events.insert().values(_event_row(run, event(number))))
        return int(number)

    def add_placed(self, run: Run, given: Iterable[Entry]) -> None:
        """Store entries under the numbers and submissions that they have; those there stay.

        Of a run with the same secret they are asked the same exams.
        """
        with self._database.writing(alone=True) as connection:
            asked = select(entries.c.number).where(entries.c.run == run.id)
            there = set(connection.execute(asked).scalars())
            for entry in given:
                if entry.number not in there:
                    add_entry(connection, self._database.insert, run, entry)

    def _submit(self, run: Run, page: list[Entry], seen: Counter[bytes]) -> int:
        """`seen` counts what this call was given: the same may be meant twice."""
        new = 0
        with self._database.writing(alone=True) as connection:
            stored = stored_copies(connection, run, page)
            last = func.max(entries.c.number), func.max(entries.c.submission)
            asked = connection.execute(select(*last).where(entries.c.run == run.id)).one()
            number, submission = (-1 if one is None else one for one in asked)
            for entry in page:
                same = identity(entry.key(run.settings, run.assay), entry.candidate)
                seen[same] += 1
                if seen[same] <= stored[same]:
                    continue
                stored[same] += 1
                new += 1
                place = {"number": number + new, "submission": submission + 1}
                add_entry(connection, self._database.insert, run, entry.model_copy(update=place))
        return new

    def entries(
        self, run: Run, open_only: bool = False, free_for: str | None = None
    ) -> Iterator[Entry]:
        """In the order given, in pages; with `open_only` those that have no answer yet.

        With `free_for` those that nobody but this owner has claimed.
        """
        last = -1
        while True:
            asked = select(entries).where(entries.c.run == run.id, entries.c.number > last)
            if open_only or free_for is not None:
                asked = asked.where(_is_open())
            if free_for is not None:
                asked = asked.where(~_is_claimed(free_for))
            with self._database.reading() as connection:
                page = self._entries(connection, asked.limit(_PAGE))
            if not page:
                return
            yield from page
            last = page[-1].number

    def open_keys(self, run: Run) -> set[str]:
        """The keys that have no answer yet."""
        asked = select(entries.c.key).where(entries.c.run == run.id, _is_open())
        with self._database.reading() as connection:
            return set(connection.execute(asked).scalars())

    def _entries(self, connection: Connection, asked: Select[Any]) -> list[Entry]:
        rows = connection.execute(asked.order_by(entries.c.number)).mappings().all()
        return [entry_of(connection, dict(row)) for row in rows]

    def sharing(self, run: Run, key: str) -> list[Entry]:
        """The entries of a run that one judgement answers: the same content, given twice."""
        asked = select(entries).where(entries.c.run == run.id, entries.c.key == key)
        with self._database.reading() as connection:
            return self._entries(connection, asked)

    def record(self, key: str, judgement: Judgement, again: bool = False) -> bool:
        """Store a judgement; False where an answer was there before.

        With `again` it is a failure of ours that its owner tries once more: the claim stays.
        """
        with self._database.writing() as connection:
            stored = not self._is_answered(connection, key) and self._put(
                connection, key, judgement
            )
            if not again:
                connection.execute(claims.delete().where(claims.c.key == key))
            return stored

    def _is_answered(self, connection: Connection, key: str) -> bool:
        asked = select(judgements.c.key).where(judgements.c.key == key, _ANSWERED)
        return connection.execute(asked).first() is not None

    def _put(self, connection: Connection, key: str, judgement: Judgement) -> bool:
        """Whether it is in: on a server another transaction may have been first after all."""
        blob = blobs.put(connection, self._database.insert, judgement.model_dump_json())
        row = judgement_row(key, judgement, blob) | {"attempts": 1, "judged_at": time.time()}
        others = {name: value for name, value in row.items() if name != "key"}
        others["attempts"] = judgements.c.attempts + 1
        made = self._database.insert(judgements).values(row)
        made = made.on_conflict_do_update(index_elements=["key"], set_=others, where=~_ANSWERED)
        if connection.execute(made.returning(judgements.c.key)).first() is None:
            return False
        for table, found in (
            (measurements, measurement_rows(key, judgement)),
            (evidence, evidence_rows(key, judgement)),
        ):
            connection.execute(table.delete().where(table.c.key == key))
            if rows := list(found):
                connection.execute(table.insert(), rows)
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
        for key, entry in zip(self.keys(run), self.entries(run), strict=False):
            yield entry, self.judgement(key)

    def verdicts(self, run: Run, first: int = 0) -> Iterator[tuple[Entry, Verdict | None]]:
        """Every entry from that number on with its verdict alone: no observation is parsed."""
        last, tasks = first - 1, dict[str, Task]()
        while True:
            with self._database.reading() as connection:
                page = list(verdict_page(connection, run, last, tasks))
            if not page:
                return
            yield from page
            last = page[-1][0].number

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
                entries.c.generator,
                *(entries.c[name] for name in COSTS),
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

    def evidence(self, run: Run) -> list[dict[str, Any]]:
        """Every piece of evidence of the run, by entry."""
        asked = (
            select(entries.c.number.label("entry"), entries.c.name, evidence)
            .join(evidence, evidence.c.key == entries.c.key)
            .where(entries.c.run == run.id)
            .order_by(entries.c.number, evidence.c.number)
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
        with self._database.writing() as connection:
            connection.execute(events.insert().values(_event_row(run, event)))

    def events(self, run: Run, kind: str = "") -> list[RunEvent]:
        """In the order told; of one kind, or of all."""
        asked = select(events.c.at, events.c.kind, events.c.data).where(events.c.run == run.id)
        if kind:
            asked = asked.where(events.c.kind == kind)
        with self._database.reading() as connection:
            found = connection.execute(asked.order_by(events.c.id)).mappings()
            return [RunEvent.model_validate(dict(row)) for row in found]


def _is_open() -> ColumnElement[bool]:
    """Of an entry: it has no answer."""
    return ~select(judgements.c.key).where(judgements.c.key == entries.c.key, _ANSWERED).exists()


def _is_claimed(owner: str) -> ColumnElement[bool]:
    """Of an entry: another owner is judging it."""
    others = claims.c.owner != owner, claims.c.until >= time.time()
    return select(claims.c.key).where(claims.c.key == entries.c.key, *others).exists()


def _event_row(run: Run, event: RunEvent) -> dict[str, Any]:
    return {"run": run.id, "at": event.at, "kind": event.kind, "data": event.data}


def _run_of(row: dict[str, Any]) -> Run:
    return Run.model_validate(row, strict=False)
