"""Candidates of many tasks: a folder of TASK/NAME files, KernelBench's samples, or JSON lines.

The word `reference` stands for each task's own reference, to see whether the tasks are sound.

The rule: nothing is dropped silently. What cannot be read or has no task is an `Unread` with the
reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assay.data.candidate import Candidate, Provenance
from assay.data.generator import Generator
from assay.data.run import Entry
from assay.data.task import Task
from assay.errors import UsageError, reason_of
from assay.languages.candidate_file import ENTRY, candidate_of_text
from assay.languages.language_registry import source_suffixes
from assay.tasks.catalog import adapted, candidate_at, candidate_suffixes, prediction_of
from assay.tasks.unread import Unread

REFERENCE = "reference"  # instead of a place: each task's own reference is its candidate
_SAMPLE = re.compile(r"level_(\d+)_problem_(\d+)_sample_(\d+)_kernel\.\w+")
_WORDS = {"dollars": "cost_usd"}  # other names of a field of Provenance
_GENERATOR = ("generator", "model")


def candidates_at(place: Path, tasks: Sequence[Task]) -> Iterator[Entry | Unread]:
    """Every candidate there, numbered in a fixed order."""
    found: Iterator[Found | Unread]
    if str(place) == REFERENCE:
        found = ((task, reference_candidate(task)) for task in tasks)
    elif place.is_dir():
        found = _in_folder(place, tasks)
    elif place.is_file():
        found = _in_lines(place, {task.id: task for task in tasks})
    else:
        raise UsageError(f"no such file or folder: {place}")
    number = 0
    for one in found:
        if isinstance(one, Unread):
            yield one
        elif not _is_text(one[1]):
            yield Unread(ascii(one[1].name), "its name, or one of its files', is not UTF-8")
        else:
            yield Entry(number=number, task=one[0], candidate=one[1])
            number += 1


def reference_candidate(task: Task) -> Candidate:
    """The task's own reference: right on the open track, or the task is not sound."""
    entry = "" if task.entry == ENTRY else f"\n\n{ENTRY} = {task.entry}\n"
    made = candidate_of_text(task.source.rstrip() + entry)
    by = Provenance(generator=Generator(name=REFERENCE))
    return made.model_copy(update={"name": f"{REFERENCE} of {task.id}", "provenance": by})


def _is_text(candidate: Candidate) -> bool:
    """Whether it can be written down: names of files may be any bytes."""
    try:
        candidate.model_dump_json()
    except ValueError:
        return False
    return True


Found = tuple[Task, Candidate]


def _in_folder(folder: Path, tasks: Sequence[Task]) -> Iterator[Found | Unread]:
    by_name = {task.id: task for task in tasks}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == "__pycache__":
            continue
        if path.is_dir() and path.name in by_name:
            yield from _of_task(path, by_name[path.name])
        elif path.is_dir():
            yield Unread(str(path), "no task of the suite has this name")
        elif sample := _SAMPLE.fullmatch(path.name):
            yield _sample(path, sample, tasks)
        elif path.suffix in source_suffixes():
            yield Unread(str(path), "it lies in no folder that is named after a task")


def _of_task(folder: Path, task: Task) -> Iterator[Found | Unread]:
    suffixes = (*source_suffixes(), *candidate_suffixes(task))
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "__pycache__")):
            continue
        if path.is_dir() or path.suffix in suffixes:
            yield _read(path, task, Provenance())


def _sample(path: Path, name: re.Match[str], tasks: Sequence[Task]) -> Found | Unread:
    """KernelBench's own layout: level, problem and sample stand in the name."""
    level, problem, sample = map(int, name.groups())
    for task in tasks:
        if task.id.partition("_")[0] == str(problem) and _is_of_level(task, level):
            return _read(path, task, Provenance(sample=sample))
    return Unread(str(path), f"the suite has no problem {problem} of level {level}")


def _is_of_level(task: Task, level: int) -> bool:
    """By the folder it was read from; a suite of one level need not say which."""
    levels = re.findall(r"level(\d+)", task.origin)
    return not levels or int(levels[-1]) == level


def _read(path: Path, task: Task, provenance: Provenance) -> Found | Unread:
    try:
        candidate = candidate_at(path, task)
    except UsageError as error:
        return Unread(str(path), str(error))
    return task, candidate.model_copy(update={"provenance": provenance})


def _in_lines(path: Path, tasks: Mapping[str, Task]) -> Iterator[Found | Unread]:
    """One JSON object a line: `task`, `source` or `path`, and what is known of its making."""
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _of_line(line, f"{path}:{number}", path.parent, tasks)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {reason_of(error)}") from error


def _of_line(line: str, where: str, folder: Path, tasks: Mapping[str, Task]) -> Found | Unread:
    try:
        told = json.loads(line)
        if not isinstance(told, dict):
            return Unread(where, "it is no JSON object with a task and a source")
        fields = _in_our_words(told, tasks)
        task = tasks.get(fields["task"])
        if task is None:
            return Unread(where, f"no task of the suite is called '{fields['task']}'")
        if "source" in fields:
            candidate = adapted(candidate_of_text(fields["source"]), task)
        else:
            candidate = candidate_at(folder / fields["path"], task)
        name = fields.get("name") or (where if "source" in fields else candidate.name)
        changes = {"name": name, "provenance": _provenance(fields)}
        return task, candidate.model_copy(update=changes)
    except UsageError as error:
        return Unread(where, str(error))
    except ValidationError as error:
        first = error.errors()[0]
        return Unread(where, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    except KeyError as error:
        lacks = "'source' or 'path'" if error.args == ("path",) else error
        return Unread(where, f"it lacks {lacks}")
    except (ValueError, TypeError, AttributeError) as error:
        return Unread(where, f"it is no JSON object with a task and a source: {error}")


def _in_our_words(fields: dict[str, Any], tasks: Mapping[str, Task]) -> dict[str, Any]:
    """A line in the form of the tasks' own format, with what it says by our names."""
    found = None if "task" in fields else prediction_of(fields, list(tasks.values()))
    return fields if found is None else {**fields, "task": found.task, "source": found.source}


def _provenance(fields: Mapping[str, Any]) -> Provenance:
    """What the line says of the candidate's making; names that nobody knows are left alone."""
    told = {_WORDS.get(name, name): value for name, value in fields.items()}
    known = {n: v for n, v in told.items() if n in Provenance.model_fields and n != "generator"}
    names = {n: told[n] for n in _GENERATOR if isinstance(told.get(n), str)}
    if names:
        known["generator"] = Generator(
            name=names.get("generator", names.get("model", "")), model=names.get("model", "")
        )
    return Provenance.model_validate(known, strict=False)
