"""DefinitionReader: definitions, workloads and solutions of a folder, whatever its layout.

The rule: a JSON file is what its fields say. A workload is of the definition that it names, else of
the one in its folder; the first is the task, every other one a task of its own, `ID@N`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import UsageError
from assay.tasks.reader import Reader
from assay.tasks.readers.definitions.definition import (
    Definition,
    definition_of,
    is_definition,
    json_at,
)
from assay.tasks.readers.definitions.definition_module import module_source
from assay.tasks.readers.definitions.definition_workload import DefinitionWorkload, workloads_in
from assay.tasks.readers.definitions.solution import adapted_to, is_solution, load_solution
from assay.tasks.unread import Unread

_CASE = "@"
_BLOBS = "FLASHINFER_TRACE_DIR"  # the formats' own name of the folder of stored inputs


class DefinitionReader(Reader):
    """A folder with definitions, at any depth; a file is one definition."""

    candidate_suffixes = (".json",)

    def list(self, place: Path) -> tuple[Task, ...]:
        """Every workload of every definition."""
        found = tuple(one for one in self._read_all(place) if isinstance(one, Task))
        if not found:
            raise UsageError(f"{place} holds no definition with a workload that can be read")
        return found

    def unread(self, place: Path) -> tuple[Unread, ...]:
        """Definitions, workloads and tables that give no task."""
        return tuple(one for one in self._read_all(place) if isinstance(one, Unread))

    def load(self, place: Path, task_id: str | None) -> Task:
        """By id; a place with one definition needs none."""
        found = self.list(place)
        origins = {task.origin for task in found}
        for task in found:
            if task.id == task_id or (task_id is None and len(origins) == 1):
                return task
        known = ", ".join(task.id for task in found[:8]) + (", ..." if len(found) > 8 else "")
        raise UsageError(f"no task '{task_id}' in {place}; it has {known}")

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """Solutions below the place that name the task's definition; of equal names the nearer."""
        origin = Path(self.load(place, task_id).origin)
        name = str(json_at(origin).get("name") or origin.stem)
        found = [
            path
            for path, told in _json_files(_folder(place))
            if is_solution(told) and str(told["definition"]) == name
        ]
        beside = [path for path in found if path.resolve().parent == origin.parent]
        return tuple(beside or found)

    def load_candidate(self, path: Path) -> Candidate:
        """A solution in JSON, a folder with one, or a file or folder of sources."""
        if path.suffix == ".json":
            return load_solution(path)
        told = (
            [one for one, text in _json_files(path) if is_solution(text)] if path.is_dir() else []
        )
        return load_solution(told[0]) if len(told) == 1 else super().load_candidate(path)

    def adapt(self, candidate: Candidate, task: Task) -> Candidate:
        """Behind a `ModelNew` that calls the function of the solution."""
        return adapted_to(candidate, task)

    def _read_all(self, place: Path) -> Iterator[Task | Unread]:
        folder = _folder(place)
        only = None if place.is_dir() else place
        told = {path: one for path, one in _json_files(folder) if is_definition(one)}
        names = Counter(str(one.get("name") or path.stem) for path, one in told.items())
        lines = [w for path in sorted(folder.rglob("*.jsonl")) for w in _lines(path)]
        for path, one in told.items():
            if only is None or path == only:
                yield from self._tasks(path, one, names, lines, folder)
        if only is None:
            yield from (one for one in lines if isinstance(one, Unread))
            folders = {path.parent for path in told}
            yield from (_orphan(one) for one in lines if _is_orphan(one, names, folders))
            for table in sorted(folder.rglob("*.parquet")):
                yield Unread(str(table), "a table: export definitions and workloads as JSON first")

    def _tasks(
        self,
        path: Path,
        told: dict[str, Any],
        names: Counter[str],
        lines: Sequence[DefinitionWorkload | Unread],
        folder: Path,
    ) -> Iterator[Task | Unread]:
        try:
            definition = definition_of(told, path)
        except UsageError as error:
            yield Unread(str(path), str(error))
            return
        unique = names[definition.name] == 1
        own = _own(definition, lines, unique)
        if not own:
            yield Unread(str(path), "no workload gives values of its axes")
        blobs = (path.parent, folder, *map(Path, filter(None, [os.environ.get(_BLOBS)])))
        name = definition.name if unique else path.parent.relative_to(folder).as_posix()
        for number, workload in enumerate(own):
            case = name + (f"{_CASE}{number}" if number else "")
            try:
                source = module_source(definition, workload, blobs)
                made = self._task(case, definition, source)
                uuid = (f"workload:{workload.uuid}",) if workload.uuid else ()
                yield made.model_copy(update={"tags": (*made.tags, *uuid)})
            except UsageError as error:
                yield Unread(f"{path}{_CASE}{number}", str(error))

    def _task(self, case: str, definition: Definition, source: str) -> Task:
        return Task(
            id=case,
            title=definition.description.split("\n")[0][:200],
            format=self.name,
            source=source,
            tags=(*([definition.op_type] if definition.op_type else []), *definition.tags),
            origin=str(definition.path.resolve()),
        )


def _folder(place: Path) -> Path:
    if place.is_dir():
        return place
    if place.is_file():
        return place.parent
    raise UsageError(f"no such file or folder: {place}")


def _json_files(folder: Path) -> Iterator[tuple[Path, Any]]:
    """Every JSON file that can be parsed; others are no definition."""
    for path in sorted(folder.rglob("*.json")):
        if path.is_file():
            try:
                yield path, json_at(path)
            except UsageError:
                continue


def _lines(path: Path) -> Iterator[DefinitionWorkload | Unread]:
    try:
        for one in workloads_in(path):
            yield Unread(str(path), one) if isinstance(one, str) else one
    except UsageError as error:
        yield Unread(str(path), str(error))


def _is_orphan(
    line: DefinitionWorkload | Unread, names: Counter[str], folders: set[Path]
) -> TypeGuard[DefinitionWorkload]:
    """Whether it is a workload of no definition that is there."""
    if isinstance(line, Unread):
        return False
    return line.definition not in names if line.definition else line.path.parent not in folders


def _orphan(line: DefinitionWorkload) -> Unread:
    return Unread(f"{line.path} {line.uuid}", f"no definition '{line.definition}' is there")


def _own(
    definition: Definition, lines: Sequence[DefinitionWorkload | Unread], unique: bool
) -> list[DefinitionWorkload]:
    """The workloads of a definition; one without variable axes and numbers needs none."""
    known = [one for one in lines if isinstance(one, DefinitionWorkload)]
    named = [one for one in known if one.definition == definition.name]
    beside = [one for one in known if one.path.parent == definition.path.parent]
    own = (
        named if named and unique else [one for one in beside if not one.definition or one in named]
    )
    if not own and not definition.variables:
        drawn = {spec.name: {"type": "random"} for spec in definition.inputs}
        own = [DefinitionWorkload(definition.name, "", {}, drawn, definition.path)]
    return own
