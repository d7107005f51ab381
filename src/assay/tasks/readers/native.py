"""The native suite, read from the folder `assay/tasks/native`.

The rule: `AXES` and `TAGS` are plain literals, so that listing the suite runs nothing.
"""

from __future__ import annotations

import ast
import difflib
from pathlib import Path
from typing import Any

from assay.data.axis import Axis, AxisRole
from assay.data.task import Task, TaskFormat
from assay.errors import UsageError
from assay.tasks.readers.kernelbench import read_source, title_of

FOLDER = Path(__file__).resolve().parent.parent / "native"
LICENCE = "Apache-2.0"


class NativeReader:
    """Native tasks by id; `place` is the suite's folder."""

    def find(self, place: Path, task_id: str | None) -> Task:
        """The native task of that id; an unknown one names its nearest neighbours."""
        known = native_ids(place)
        if task_id not in known:
            raise UsageError(_unknown(task_id or "", known))
        return read_native(place / f"{task_id}.py")

    def all(self, place: Path) -> list[Task]:
        """The whole suite."""
        return [read_native(place / f"{name}.py") for name in native_ids(place)]


def native_ids(folder: Path = FOLDER) -> list[str]:
    """The ids of the suite."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"unknown task '{name}': {hint}native tasks are {', '.join(known)}; or give a .py file"


def read_native(path: Path) -> Task:
    """One native file as a task, with its declared axes and tags."""
    source = read_source(path)
    tree = ast.parse(source)
    literals = _literals(tree)
    axes = tuple(_axis(name, literals[name], spec) for name, spec in literals["AXES"].items())
    return Task(
        id=path.stem,
        title=title_of(tree),
        format=TaskFormat.NATIVE,
        source=source,
        axes=axes,
        tags=tuple(literals["TAGS"]),
        origin="assay native suite",
        licence=LICENCE,
    )


def _literals(tree: ast.Module) -> dict[str, Any]:
    """Every top-level `NAME = literal` of the module."""
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue  # a computed value: not a declaration
    return found


def _axis(name: str, own: int, spec: dict[str, Any]) -> Axis:
    return Axis(
        name=name,
        own=own,
        low=spec.get("low", 1),
        high=spec["high"],
        role=AxisRole(spec.get("role", "size")),
        multiple_of=spec.get("multiple_of", 1),
    )
