"""The native suite, read from the folder `assay/tasks/native`.

The rule: `AXES` and `TAGS` are plain literals, so that listing the suite runs nothing. A file holds
one task with a `Model`, or a family of functions that are tasks (`assay.tasks.families`).
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.data.axis import Axis, AxisRole
from assay.data.task import Task
from assay.errors import UsageError
from assay.python_tree import module_tree
from assay.tasks.families.family_file import tasks_of_family
from assay.tasks.reader import Reader
from assay.tasks.readers.kernelbench import contract_of, literals_of, read_source, title_of
from assay.tasks.references.backward import DECLARATION, SUFFIX, backward_of

FOLDER = Path(__file__).resolve().parent.parent / "native"
LICENCE = "Apache-2.0"
_FAMILY_MARK = "\n@task("


class NativeReader(Reader):
    """Native tasks by id; `place` is the suite's folder."""

    name = "native"
    default_place = FOLDER
    flat_tolerance = False  # they have no check but Assay's own

    def load(self, place: Path, task_id: str | None) -> Task:
        """The native task of that id; an unknown one names its nearest neighbours."""
        name = (task_id or "").removesuffix(SUFFIX)
        own_file = place / f"{name}.py"
        searched = [own_file] if name in native_ids(place) else native_files(place)
        for path in searched:
            for task in read_native_file(path):
                if task.id == task_id:
                    return task
        raise UsageError(_unknown(task_id or "", [task.id for task in self.list(place)]))

    def list(self, place: Path) -> tuple[Task, ...]:
        """The whole suite, each differentiable task followed by that of its gradients."""
        found = [task for path in native_files(place) for task in read_native_file(path)]
        return tuple(sorted(found, key=lambda task: task.id))


_SHARED: dict[str, Any] = {
    "format": NativeReader.name,
    "origin": "assay native suite",
    "licence": LICENCE,
}


def native_ids(folder: Path = FOLDER) -> list[str]:
    """The files of the suite, by name."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")


def native_files(folder: Path = FOLDER) -> list[Path]:
    """Files of one task, then those of families, which lie in folders of their own."""
    below = sorted(p for p in folder.glob("*/*.py") if p.stem != "__init__")
    return [*(folder / f"{name}.py" for name in native_ids(folder)), *below]


def read_native_file(path: Path) -> list[Task]:
    """Its tasks: a family's, or the one of a file with a `Model`."""
    text = read_source(path)
    if _FAMILY_MARK in text:
        return list(tasks_of_family(text, path.name, _SHARED))
    return read_directions(path)


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    listed = f"`assay tasks` lists all {len(known)}; a .py file is a task too"
    return f"unknown task '{name}': {hint}{listed}"


def read_directions(path: Path) -> list[Task]:
    """The task of one native file, and that of its gradients where the file declares it."""
    task = read_native(path)
    if DECLARATION not in task.source:
        return [task]
    declared = literals_of(module_tree(task.source)).get(DECLARATION) is True
    return [task, backward_of(task)] if declared else [task]


def read_native(path: Path) -> Task:
    """One native file as a task, with its declared axes and tags."""
    source = read_source(path)
    tree = module_tree(source)
    literals = literals_of(tree)
    axes = tuple(_axis(name, literals[name], spec) for name, spec in literals["AXES"].items())
    return Task(
        id=path.stem,
        title=title_of(tree),
        source=source,
        axes=axes,
        tags=_with_dtype(literals["TAGS"]),
        contract=contract_of(tree, path),
        **_SHARED,
    )


def _with_dtype(tags: Sequence[str]) -> tuple[str, ...]:
    """The declared tags; a task that names no dtype draws its floats in float32."""
    named = any(tag.startswith("dtype:") for tag in tags)
    return (*tags,) if named else (*tags, "dtype:float32")


def _axis(name: str, own: int, spec: dict[str, Any]) -> Axis:
    return Axis(
        name=name,
        own=own,
        low=spec.get("low", 1),
        high=spec["high"],
        role=AxisRole(spec.get("role", "size")),
        multiple_of=spec.get("multiple_of", 1),
    )
