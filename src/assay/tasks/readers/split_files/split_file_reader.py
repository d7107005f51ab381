"""SplitFileReader: what the readers of split files share.

The rule: a file of the benchmark's own folder that gives no task is told with the reason. A
candidate defines the task's function; what follows the line of 146 `#` in its file is a test and is
cut, as the benchmarks cut it.
"""

from __future__ import annotations

import functools
import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import UsageError, reason_of
from assay.languages.candidate_file import load_candidate
from assay.python_tree import module_tree
from assay.tasks.reader import Prediction, Reader
from assay.tasks.readers.entry_file import with_call
from assay.tasks.readers.function_call import recorded_call
from assay.tasks.readers.kernelbench import contract_of, read_source
from assay.tasks.readers.split_files.golden_timings import (
    GoldenTimings,
    golden_timings,
    measured_on,
)
from assay.tasks.readers.split_files.split_file import SEPARATOR, is_split, source_of
from assay.tasks.unread import Unread

_FENCE, _END = "```python", "```"
_MARKS = ("<|im_end|>", "<|EOT|>")
_NEAR = 6  # parents of a file in which its benchmark's other folders are looked for


class SplitFileReader(Reader):
    """Folders of split files; `place` is the benchmark's folder, one inside it, or one file."""

    home: str  # name of the folder that holds the tasks
    scripts: str  # folder of performance scripts, from the benchmark's own
    metadata: str  # list of what is known of each task, from the benchmark's own
    licence = ""

    def list(self, place: Path) -> tuple[Task, ...]:
        """Every file that gives a task."""
        found = tuple(one for one in self._read_all(place) if isinstance(one, Task))
        if not found:
            raise UsageError(f"{place} holds no task: no .py file there has a line of 146 '#'")
        return found

    def unread(self, place: Path) -> tuple[Unread, ...]:
        """Files of the tasks' folder that give none."""
        return tuple(one for one in self._read_all(place) if isinstance(one, Unread))

    def load(self, place: Path, task_id: str | None) -> Task:
        """One file, by its stem."""
        files = self._files(place)
        if task_id is None and place.is_file():
            return self._read(place)
        for path in files:
            if path.stem == task_id:
                return self._read(path)
        known = ", ".join(path.stem for path in files[:8])
        raise UsageError(f"no task '{task_id}' in {place}; it has {known}, ... ({len(files)})")

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """Files named `ID__NAME.py` beside the task, or `ID.py` elsewhere below the place."""
        task = place if place.is_file() else self._path(place, task_id)
        folder = task.parent if place.is_file() else place
        tasks = set(self._files(place))
        named = folder.rglob(f"{task.stem}__*.py"), folder.rglob(task.name)
        return tuple(sorted({p for paths in named for p in paths if p not in tasks}))

    def load_candidate(self, path: Path) -> Candidate:
        """The file without the test that may follow."""
        candidate = load_candidate(path)
        changed = tuple(
            file.model_copy(update={"text": without_test(file.text)}) for file in candidate.sources
        )
        return candidate.model_copy(update={"sources": changed})

    def adapt(self, candidate: Candidate, task: Task) -> Candidate:
        """Behind a `ModelNew` that calls the candidate's function as the task's is called."""
        call = recorded_call(task.source)
        return candidate if call is None else with_call(candidate, call)

    def prediction(self, fields: Mapping[str, Any], tasks: Sequence[Task]) -> Prediction | None:
        """A line with `predict`, whose task is told by `file` or by what was asked for."""
        text = fields.get("predict")
        if not isinstance(text, str):
            return None
        return Prediction(self._predicted_task(fields, tasks), unfenced(without_test(text)))

    def timings(self, path: Path) -> tuple[GoldenTimings, ...]:
        """What the benchmark measured of the task in that file."""
        return golden_timings(self._golden_files(path))

    @abstractmethod
    def _golden_files(self, path: Path) -> dict[str, Path]:
        """The timings of a task by device."""

    def _predicted_task(self, fields: Mapping[str, Any], tasks: Sequence[Task]) -> str:
        """The id of the task that a prediction is for; empty where none is found."""
        name = fields.get("file")
        return Path(name).stem if isinstance(name, str) else ""

    def _files(self, place: Path) -> tuple[Path, ...]:
        """The tasks' files: those below a folder of their name, if there is one."""
        if place.is_file():
            return (place,)
        if not place.is_dir():
            raise UsageError(f"no such file or folder: {place}")
        every = sorted(p for p in place.rglob("*.py") if p.is_file() and "__" not in p.stem)
        own = tuple(path for path in every if self.home in path.parts)
        return own or tuple(path for path in every if _has_line(path))

    def _path(self, place: Path, task_id: str | None) -> Path:
        found = [path for path in self._files(place) if path.stem == task_id]
        if not found:
            raise UsageError(f"no task '{task_id}' in {place}")
        return found[0]

    def _read_all(self, place: Path) -> Iterator[Task | Unread]:
        for path in self._files(place):
            try:
                yield self._read(path)
            except UsageError as error:
                yield Unread(str(path), str(error).removeprefix(f"{path}: "))

    def _read(self, path: Path) -> Task:
        script = self._near(path, f"{self.scripts}/{path.stem}_perf.py")
        source, _ = source_of(path, script)
        known = self._known(path)
        return Task(
            id=path.stem,
            title=_first_sentence(str(known.get("description", ""))),
            format=self.name,
            source=self._runnable(source),
            tags=(*self._tags(path, known), *self._timed(path)),
            origin=str(path.resolve()),
            licence=self.licence,
            contract=contract_of(module_tree(source), path),
        )

    def _runnable(self, source: str) -> str:
        """The source as the judge can run it."""
        return source

    def _tags(self, path: Path, known: Mapping[str, Any]) -> tuple[str, ...]:
        difficulty = known.get("difficulty")
        return () if difficulty is None else (f"difficulty {difficulty}",)

    def _timed(self, path: Path) -> tuple[str, ...]:
        devices = measured_on(self.timings(path))
        return (f"timed on {' '.join(devices)}",) if devices else ()

    def _near(self, path: Path, wanted: str) -> Path | None:
        """A file of the benchmark, looked for from the task's file upwards."""
        parents = path.resolve().parents[:_NEAR]
        return next((p / wanted for p in parents if (p / wanted).exists()), None)

    def _known(self, path: Path) -> Mapping[str, Any]:
        """What the benchmark's list says of the task; nothing where there is no list."""
        place = self._near(path, self.metadata)
        if place is None:
            return {}
        return _rows(place, place.stat().st_mtime_ns).get(path.name, {})


@functools.lru_cache(maxsize=4)
def _rows(place: Path, changed_ns: int) -> dict[str, dict[str, Any]]:
    """What the list says, by the name of a task's file; read again where it has changed."""
    try:
        rows = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {place}: {reason_of(error)}") from error
    named = [row for row in rows if isinstance(row, dict) and isinstance(row.get("file"), str)]
    return {Path(row["file"]).name: row for row in named}


def _has_line(path: Path) -> bool:
    try:
        return is_split(read_source(path))
    except UsageError:
        return False


def _first_sentence(text: str) -> str:
    sentence = " ".join(text.split()).split(". ")[0]
    return sentence if len(sentence) <= 120 else f"{sentence[:117]}..."


def without_test(text: str) -> str:
    """A candidate's text up to the line of 146 `#`."""
    return text.split(SEPARATOR)[0] if is_split(text) else text


def unfenced(text: str) -> str:
    """The code of an answer: what the first fence holds, or all of it."""
    if _FENCE in text:
        text = text.split(_FENCE, 1)[1].split(_END, 1)[0]
    for mark in _MARKS:
        text = text.replace(mark, "")
    return text
