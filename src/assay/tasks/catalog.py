"""The catalogue: from what the user typed to a Task, and from a suite's name to its tasks.

The rule: resolving and listing parse sources and import no torch; an unknown name lists known ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import UsageError
from assay.languages.candidate_file import load_candidate
from assay.plugins import Registry
from assay.tasks.reader import Prediction, Reader
from assay.tasks.unread import Unread

READERS: Registry[Reader] = Registry(
    Reader,
    "assay.readers",
    {
        "native": "assay.tasks.readers.native_suite:NativeReader",
        "kernelbench": "assay.tasks.readers.kernelbench:KernelBenchReader",
        "backendbench": "assay.tasks.readers.backendbench:BackendBenchReader",
        "plain": "assay.tasks.readers.plain:PlainReader",
        "gpu_mode": "assay.tasks.readers.gpu_mode:GpuModeReader",
        "kernelbench_hard": "assay.tasks.readers.kernelbench_hard:KernelBenchHardReader",
        "kernelbench_x": "assay.tasks.readers.kernelbench_x:KernelBenchXReader",
        "kernelgenbench": "assay.tasks.readers.kernelgenbench:KernelGenBenchReader",
        "robust_kbench": "assay.tasks.readers.robust_kbench:RobustKBenchReader",
        "sol_execbench": "assay.tasks.readers.sol_execbench:SolExecBenchReader",
        "flashinfer_trace": "assay.tasks.readers.flashinfer_trace:FlashInferTraceReader",
        "tritonbench_g": "assay.tasks.readers.tritonbench:TritonBenchGReader",
        "tritonbench_t": "assay.tasks.readers.tritonbench:TritonBenchTReader",
    },
)
_OF_IDS, _OF_PATHS = "native", "kernelbench"  # of a name that names no reader


def reader(name: str) -> Reader:
    """The reader of that name, imported when first asked for."""
    return READERS.get(name)


def resolve(name: str) -> Task:
    """A native id, a path to a KernelBench-format file, or READER:PATH#ID.

    A folder that happens to have the name of a native task hides it only where it holds tasks.
    """
    prefix, colon, _ = name.partition(":")
    if _names_reader(name):
        found, place, task_id = _at(name)
        return found.load(place, task_id)
    if colon and not _is_there(name) and prefix.isidentifier():
        return reader(prefix).load(Path(name), None)  # unknown: the known ones are listed
    if name.endswith(".py") or "/" in name:
        return reader(_OF_PATHS).load(Path(name), None)
    if not _is_there(name):
        return reader(_OF_IDS).load(_place(_OF_IDS, ""), name)
    if _holds_no_task(Path(name)):
        with contextlib.suppress(UsageError):
            return reader(_OF_IDS).load(_place(_OF_IDS, ""), name)
    return reader(_OF_PATHS).load(Path(name), None)


def _holds_no_task(folder: Path) -> bool:
    if not folder.is_dir():
        return False
    try:
        return not reader(_OF_PATHS).list(folder)
    except UsageError:
        return True


def candidates_of(name: str) -> tuple[Path, ...]:
    """Candidates that lie beside the task READER:PATH#ID; any other name is a path itself."""
    if not _names_reader(name):
        return (Path(name),)
    reading, place, task_id = _at(name)
    found = reading.candidates(place, task_id)
    if not found:
        raise UsageError(f"no candidate lies beside the task {name}")
    return found


def _names_reader(name: str) -> bool:
    prefix, colon, _ = name.partition(":")
    return bool(colon) and prefix in READERS.names()


def _at(name: str) -> tuple[Reader, Path, str | None]:
    """Reader, place and id of READER:PATH#ID."""
    prefix, _, rest = name.partition(":")
    place, _, task_id = rest.partition("#")
    return reader(prefix), _place(prefix, place), task_id or None


def _place(prefix: str, given: str) -> Path:
    place = Path(given) if given else reader(prefix).default_place
    if place is None:
        raise UsageError(f"'{prefix}' needs a folder: {prefix}:FOLDER")
    return place


def _is_there(name: str) -> bool:
    """Whether the name, which is not empty, is that of a file or folder."""
    try:
        return bool(name) and Path(name).exists()
    except OSError:  # longer than any path may be
        return False


def suites() -> tuple[str, ...]:
    """What `tasks_of` accepts; words in capitals stand for the user's own value."""
    known = READERS.working()
    return tuple(one.name if one.default_place else f"{one.name}:FOLDER" for one in known)


def names_suite(prefix: str) -> bool:
    """Whether a reader has this name; no reader is imported for that."""
    return prefix in READERS.names()


def tasks_of(suite: str) -> tuple[Task, ...]:
    """Every task of a suite: `native`, or `kernelbench:FOLDER`."""
    prefix, _, place = suite.partition(":")
    if prefix not in READERS.names():
        raise UsageError(f"unknown suite '{suite}': known suites are {', '.join(suites())}")
    return reader(prefix).list(_place(prefix, place))


def unread_of(suite: str) -> tuple[Unread, ...]:
    """What could not be read of a suite."""
    prefix, _, place = suite.partition(":")
    return reader(prefix).unread(_place(prefix, place))


def candidate_at(path: Path, task: Task) -> Candidate:
    """The file or folder as a candidate of that task, in the task's format or as `ModelNew`."""
    reading = _reader_of(task)
    return adapted(reading.load_candidate(path) if reading else load_candidate(path), task)


def candidate_suffixes(task: Task) -> tuple[str, ...]:
    """Of files that are candidates in the task's format, beside those of sources."""
    reading = _reader_of(task)
    return reading.candidate_suffixes if reading else ()


def adapted(candidate: Candidate, task: Task) -> Candidate:
    """The candidate with the entry that is called as the task's reference is."""
    reading = _reader_of(task)
    return reading.adapt(candidate, task) if reading else candidate


def prediction_of(fields: Mapping[str, Any], tasks: Sequence[Task]) -> Prediction | None:
    """A JSON line in the form of one of the tasks' formats; None where it is in none."""
    for name in dict.fromkeys(task.format for task in tasks if task.format in READERS.names()):
        found = reader(name).prediction(fields, tasks)
        if found is not None:
            return found
    return None


def _reader_of(task: Task) -> Reader | None:
    """None for a task that was made by hand, in no reader's format."""
    return reader(task.format) if task.format in READERS.names() else None
