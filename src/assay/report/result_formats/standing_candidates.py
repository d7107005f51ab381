"""Standing candidates: the one candidate of each task that formats with one row a task can hold.

The rule: it is the one that scores take as a generator's answer, the first sample in its last
round; the others are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.data.run import Run
from assay.report.result_formats.result_format import ExportRow, folders
from assay.scores.graded import Graded, graded, graded_task
from assay.scores.grouped import groups

ANOTHER = "another candidate of the generator stands for the task"


@dataclass(frozen=True)
class StandingCandidates:
    """The answers of one generator, with the folder that its files go to."""

    generator: str
    folder: str
    rows: tuple[tuple[Graded, ExportRow], ...]


def standing_candidates(run: Run, rows: Sequence[ExportRow]) -> tuple[StandingCandidates, ...]:
    """By generator and device; degenerate tasks are kept, since these formats list every task."""
    seen = {row.entry.number: row for row in rows}
    entries = [graded(run.id, row.entry, row.verdict) for row in rows]
    tasks = [graded_task(row.entry.task) for row in rows]
    found = groups(tasks, entries, keep_all=True)
    names = [f"{group.generator} {group.device}" for group in found]
    if len({group.device for group in found}) < 2:
        names = [group.generator for group in found]
    places = folders(names)
    return tuple(
        StandingCandidates(
            generator=group.generator,
            folder=places[name],
            rows=tuple((one, seen[one.number]) for _, one in group.answers if one is not None),
        )
        for name, group in zip(names, found, strict=True)
    )


def whole_source(row: ExportRow) -> str:
    """The candidate's text; of several files each with its name in front."""
    files = row.entry.candidate.sources
    if len(files) == 1:
        return files[0].text
    return "\n".join(f"# file: {file.path}\n{file.text}" for file in files)
