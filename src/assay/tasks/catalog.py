"""The catalogue: from what the user typed to a Task, and from a suite's name to its tasks.

The rule: resolving and listing parse sources and import no torch; an unknown name lists known ones.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import cast

from assay.data.task import Task
from assay.errors import UsageError
from assay.tasks.reader import Reader
from assay.tasks.readers.native import FOLDER, NativeReader

READERS = {
    "kernelbench": "assay.tasks.readers.kernelbench:KernelBenchReader",
    "native": "assay.tasks.readers.native:NativeReader",
}


def reader(name: str) -> Reader:
    """The reader of that name, imported when first asked for."""
    if name not in READERS:
        raise UsageError(f"unknown reader '{name}': known readers are {', '.join(READERS)}")
    module, _, attribute = READERS[name].partition(":")
    return cast(Reader, getattr(importlib.import_module(module), attribute)())


def resolve(name: str) -> Task:
    """A native id, a path to a KernelBench-format file, or READER:PATH#ID."""
    prefix, colon, rest = name.partition(":")
    if colon and prefix in READERS:
        place, _, task_id = rest.partition("#")
        where = Path(place) if place else FOLDER
        return reader(prefix).find(where, task_id or None)
    if colon and not _is_there(name) and prefix.isidentifier():
        raise UsageError(f"unknown reader '{prefix}': known readers are {', '.join(READERS)}")
    if name.endswith(".py") or "/" in name or _is_there(name):
        return reader("kernelbench").find(Path(name), None)
    return NativeReader().find(FOLDER, name)


def _is_there(name: str) -> bool:
    """Whether the name, which is not empty, is that of a file or folder."""
    try:
        return bool(name) and Path(name).exists()
    except OSError:  # longer than any path may be
        return False


def suites() -> tuple[str, ...]:
    """What `tasks_of` accepts; words in capitals stand for the user's own value."""
    return ("native", "kernelbench:FOLDER")


def tasks_of(suite: str) -> list[Task]:
    """Every task of a suite: `native`, or `kernelbench:FOLDER`."""
    prefix, _, place = suite.partition(":")
    if prefix not in READERS:
        raise UsageError(f"unknown suite '{suite}': known suites are {', '.join(suites())}")
    if prefix == "native":
        return NativeReader().all(FOLDER)
    if not place:
        raise UsageError(f"suite '{prefix}' needs a folder: {prefix}:FOLDER")
    return reader(prefix).all(Path(place))
