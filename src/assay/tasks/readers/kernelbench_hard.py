"""KernelBench-Hard: a folder a problem, a module as reference, shapes and a problem.yaml beside it.

The rule: the first shape of the problem is the task, every other one is a task of its own, `ID@N`.
What problem.yaml says of tolerance is not taken over; what it forbids is told.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import UsageError
from assay.languages.candidate_file import ENTRY
from assay.python_tree import module_tree
from assay.tasks.readers.entry_file import SUBMISSION, has_entry, with_entry
from assay.tasks.readers.folder_reader import FolderReader
from assay.tasks.readers.kernelbench import (
    literals_of,
    missing_names,
    read_source,
    title_of,
)
from assay.tasks.unread import Unread

_PROBLEM, _REFERENCE, _SHAPES = "problem.yaml", "reference.py", "shapes.py"
_CASE = "@"
_ENTRY_TEXT = f"from {SUBMISSION} import Model\n\n\nclass {ENTRY}(Model):\n    pass\n"


class KernelBenchHardReader(FolderReader):
    """`kernelbench_hard:FOLDER`: one problem's folder, or any folder above some."""

    name = "kernelbench_hard"
    lacks = f"no {_PROBLEM} with a {_REFERENCE} beside it"

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """`solution.py` and `solution_NAME.py` beside the problem, or in a run of that name."""
        folder = Path(self.load(place, task_id).origin).parent
        found = [*folder.glob("solution*.py"), *place.rglob(f"*{folder.name}*/solution*.py")]
        return tuple(sorted(set(found)))

    def adapt(self, candidate: Candidate, task: Task) -> Candidate:
        """Behind a `ModelNew` that is the candidate's `Model`."""
        return candidate if has_entry(candidate) else with_entry(candidate, _ENTRY_TEXT)

    def walk(self, place: Path) -> Iterator[Task | Unread]:
        """Every case of every problem."""
        if not place.is_dir():
            raise UsageError(f"no such folder: {place}")
        for folder in _problems(place):
            try:
                yield from self._cases(folder)
            except UsageError as error:
                yield Unread(str(folder), str(error))

    def _cases(self, folder: Path) -> Iterator[Task]:
        told = _problem(folder / _PROBLEM)
        if not (folder / _REFERENCE).is_file():
            raise UsageError(f"it has no {_REFERENCE}")
        source = read_source(folder / _REFERENCE)
        tree = _tree(source, folder / _REFERENCE)
        missing = missing_names(tree)
        if missing:
            raise UsageError(f"{_REFERENCE} has no {', '.join(missing)}")
        for number, shape in enumerate(_shapes(folder / _SHAPES)):
            lines = "".join(f"{name} = {value!r}\n" for name, value in shape.items())
            yield Task(
                id=folder.name + (f"{_CASE}{number}" if number else ""),
                title=title_of(tree),
                format=self.name,
                source=f"{source.rstrip()}\n\n\n# Added by the reader: the shape.\n{lines}",
                tags=_tags(told),
                origin=str((folder / _REFERENCE).resolve()),
                licence="MIT",
            )


def _problems(place: Path) -> list[Path]:
    return sorted(path.parent for path in place.rglob(_PROBLEM) if path.is_file())


def _tree(source: str, path: Path) -> ast.Module:
    try:
        return module_tree(source)
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{path.name} is not Python: {error}") from error


def _problem(path: Path) -> dict[str, Any]:
    try:
        told = yaml.safe_load(read_source(path))
    except yaml.YAMLError as error:
        raise UsageError(f"{path.name} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(told, dict):
        raise UsageError(f"{path.name} holds no mapping")
    return told


def _shapes(path: Path) -> list[dict[str, Any]]:
    """The literal `SHAPES`; without a file of them the sizes in the reference are the only case."""
    if not path.is_file():
        return [{}]
    shapes = literals_of(_tree(read_source(path), path)).get("SHAPES")
    if not isinstance(shapes, list) or not all(isinstance(shape, dict) for shape in shapes):
        raise UsageError(f"{path.name} has no literal list SHAPES")
    return shapes or [{}]


def _tags(told: dict[str, Any]) -> tuple[str, ...]:
    """Precision, regime, device, and what a solution may not call."""
    words = [str(told[name]) for name in ("precision", "regime") if name in told]
    hardware = told.get("hardware")
    words += [str(one) for one in hardware] if isinstance(hardware, list) else []
    forbidden = told.get("forbidden")
    if isinstance(forbidden, list) and forbidden:
        words.append(f"forbids {' '.join(map(str, forbidden))}")
    return tuple(words)
