"""Claim list: every row of a table with the task and the candidate it is about.

The rule: tasks come from the suite that the user names, never from the table: a task's own code is
run by the judge. A candidate outside the table's folder is not read, because a report shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.data.candidate import Candidate
from assay.data.published.recheck import Claim
from assay.data.run import Entry
from assay.data.task import Task
from assay.engine.candidate_list import candidates_at
from assay.engine.claims.claim_columns import RowFields
from assay.engine.claims.claim_table import TableRow, beside, table_at
from assay.errors import UsageError
from assay.languages.candidate_file import candidate_of_text, load_candidate
from assay.tasks.unread import Unread


@dataclass(frozen=True)
class ReadClaim:
    """A claim, and what it is about as far as that is known."""

    claim: Claim
    task: Task | None = None
    candidate: Candidate | None = None
    unjudged: str = ""  # why it cannot be judged

    def entry(self) -> Entry | None:
        """What a run is given; None where it cannot be judged."""
        if self.task is None or self.candidate is None:
            return None
        return Entry(number=self.claim.number, task=self.task, candidate=self.candidate)


@dataclass(frozen=True)
class ClaimList:
    """Every claim, and the headings that said nothing."""

    claims: tuple[ReadClaim, ...]
    titles: tuple[str, ...] = ()


def claims_at(place: Path, tasks: Sequence[Task], device: str = "") -> ClaimList:
    """The claims of a table or folder; `device` is that of rows that name none."""
    table = table_at(place)
    if table is None:
        found = tuple(_beside_kernels(place, tasks, device))
        if not found:
            raise UsageError(f"{place} holds no table of claims and no kernel of a task")
        return ClaimList(found)
    by_name = {name: task for task in tasks for name in (task.id.lower(), task.id)}
    rows = enumerate(table.rows, start=1)
    found = tuple(_of_row(n, row, ClaimedKernels(table.folder, by_name, device)) for n, row in rows)
    return ClaimList(found, table.titles)


@dataclass(frozen=True)
class ClaimedKernels:
    """Where the kernels lie, which tasks there are, and the device of rows that name none."""

    folder: Path
    tasks: Mapping[str, Task]
    device: str

    def task(self, named: str, candidate: str) -> Task | None:
        """By its id, as the name of its file or not; else by the folder the kernel lies in."""
        stem = Path(named).stem if named.endswith(".py") else named
        wanted = [named, stem, stem.lower(), stem.rpartition("/")[2].lower()]
        if not named and candidate:
            wanted = [Path(candidate).parent.name]
        return next((self.tasks[name] for name in wanted if name in self.tasks), None)

    def candidate(self, fields: RowFields) -> Candidate:
        """The kernel; a UsageError says why it cannot be read."""
        if "source" in fields.texts:
            return candidate_of_text(fields.texts["source"])
        named = fields.texts.get("candidate", "")
        if not named:
            raise UsageError("the row names no candidate")
        path = self.folder / named
        inside = [path, *(path.rglob("*") if path.is_dir() else ())]
        if not all(one.resolve().is_relative_to(self.folder.resolve()) for one in inside):
            raise UsageError(f"{named} lies outside the folder of the table")
        return load_candidate(path)


def _of_row(number: int, row: TableRow, place: ClaimedKernels) -> ReadClaim:
    fields = RowFields.of(row.values)
    named = fields.texts.get("candidate", "")
    task = place.task(fields.texts.get("task", ""), named)
    claim = _claim(number, row, fields, place.device)
    if task is None:
        what = f"called '{claim.task}'" if claim.task else "that the row names"
        return ReadClaim(claim, unjudged=row.unread or f"the suite has no task {what}")
    claim = claim.model_copy(update={"task": task.id})
    try:
        candidate = place.candidate(fields)
        name = named or f"{row.where} ({task.id})"
        candidate = candidate.model_copy(update={"name": name})
        candidate.model_dump_json()
    except UsageError as error:
        return ReadClaim(claim, task, unjudged=str(error).replace(f"{place.folder}/", ""))
    except ValueError:
        return ReadClaim(claim, task, unjudged="its name or its text is not Unicode")
    claim = claim.model_copy(update={"candidate": name, "candidate_id": candidate.id})
    return ReadClaim(claim, task, candidate)


def _claim(number: int, row: TableRow, fields: RowFields, device: str) -> Claim:
    texts = fields.texts
    return Claim(
        number=number,
        where=row.where,
        task=texts.get("task", ""),
        candidate=texts.get("candidate", ""),
        device=texts.get("device", device),
        correct=fields.correct,
        baseline=texts.get("baseline", ""),
        sizes=fields.sizes,
        unread=tuple([row.unread] if row.unread else fields.unread),
        speedup=fields.figures.get("speedup"),
        time_us=fields.figures.get("time_us"),
        baseline_us=fields.figures.get("baseline_us"),
        bytes_per_s=fields.figures.get("bytes_per_s"),
        flops_per_s=fields.figures.get("flops_per_s"),
    )


def _beside_kernels(folder: Path, tasks: Sequence[Task], device: str) -> Iterator[ReadClaim]:
    """Kernels in the layout of `assay run`, each with its claim in a file beside it."""
    for number, found in enumerate(candidates_at(folder, tasks), start=1):
        if isinstance(found, Unread):
            claim = Claim(number=number, where=found.where, candidate=found.where)
            yield ReadClaim(claim, unjudged=found.why)
            continue
        path = Path(found.candidate.name)
        row = beside(path)
        name = str(path.relative_to(folder))
        claim = _claim(number, row, RowFields.of(row.values), device)
        told = {"task": found.task.id, "candidate": name, "candidate_id": found.candidate.id}
        candidate = found.candidate.model_copy(update={"name": name})
        yield ReadClaim(claim.model_copy(update=told), found.task, candidate)
