"""OpenEvolve's traces: each a parent and a child program of a search, with their metrics.

Source: `evolution_trace.jsonl` (also `.jsonl.gz`, and `.json` with a list `traces`) of OpenEvolve.
Its metrics are whatever the user's evaluator returned: `error` among them means that the program
failed, `combined_score` is the objective of the search, and a `speedup` is taken as one.

The rule: a program is one entry, whatever number of records name it; the record in which it is the
child tells most about it. Traces are written without sources unless `include_code` is set; a
record without them is left out, and counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from assay.data.candidate import Candidate, ClaimedResult, Provenance, SourceFile
from assay.data.generator import Generator
from assay.data.run import Entry
from assay.data.task import Task
from assay.errors import UsageError
from assay.languages.language_registry import detect_language
from assay.store.imports.foreign_lines import (
    ForeignRecord,
    finite,
    json_lines,
    opened_text,
    parsed,
)
from assay.store.imports.import_reader import Imported, ImportReader

NO_CODE = "no source: OpenEvolve writes it where evolution_trace.include_code is set"
_ERROR, _SCORE, _SPEEDUP = "error", "combined_score", "speedup"
_SAID = ("stderr", "traceback", "error", "failure_stage")  # artifacts that tell of a failure


class TraceRecord(ForeignRecord):
    """One step of the search."""

    parent_id: str
    child_id: str
    iteration: int = 0
    generation: int | None = None
    parent_metrics: dict[str, Any] = Field(default_factory=dict)
    child_metrics: dict[str, Any] = Field(default_factory=dict)
    parent_code: str | None = None
    child_code: str | None = None
    artifacts: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True)
class _TracedProgram:
    """One program of the search."""

    name: str
    text: str
    generation: int
    claimed: ClaimedResult
    model: str = ""
    parent: str = ""  # its name in the trace

    def candidate(self) -> Candidate:
        sources = (SourceFile(path="kernel.py", text=self.text),)
        generator = Generator(name="OpenEvolve", model=self.model)
        made = Provenance(generator=generator, round=self.generation, claimed=self.claimed)
        return Candidate(
            name=f"{self.name}.py",
            language=detect_language(sources),
            sources=sources,
            provenance=made,
        )


class OpenEvolveTrace(ImportReader):
    """One trace file: one search on one task."""

    name = "openevolve"

    def read(self, path: Path) -> Imported:
        """Every program that has a source."""
        programs: dict[str, _TracedProgram] = {}
        left_out: Counter[str] = Counter()
        records = 0
        for record in _records(path):
            records += 1
            if not record.parent_code or not record.child_code:
                left_out[NO_CODE] += 1
                continue
            for program in self._programs(record):
                if program.name not in programs or program.parent:
                    programs[program.name] = program
        task = Task(id=path.name.partition(".")[0], format=self.name, source="")
        entries = tuple(
            Entry(number=number, task=task, candidate=_linked(one, programs))
            for number, one in enumerate(programs.values())
        )
        return Imported(records, entries, left_out)

    def _programs(self, record: TraceRecord) -> Iterator[_TracedProgram]:
        depth = 1 if record.generation is None else max(record.generation, 1)
        parent = _TracedProgram(
            name=record.parent_id,
            text=record.parent_code or "",
            generation=depth - 1,
            claimed=self._claim(record.parent_metrics, {}),
        )
        yield parent
        yield replace(
            parent,
            name=record.child_id,
            text=record.child_code or "",
            generation=depth,
            claimed=self._claim(record.child_metrics, record.artifacts or {}),
            model=str((record.metadata or {}).get("model") or ""),
            parent=record.parent_id,
        )

    def _claim(self, metrics: dict[str, Any], artifacts: dict[str, Any]) -> ClaimedResult:
        failed = _ERROR in metrics
        said = [str(artifacts[name]) for name in _SAID if artifacts.get(name)]
        known = {name: value for name, v in metrics.items() if (value := finite(v)) is not None}
        return ClaimedResult(
            source=self.name,
            ran=not failed,
            speedup=known.pop(_SPEEDUP, None),
            score=known.pop(_SCORE, None),
            error="\n".join(said) if failed else "",
            metrics=known,
        )


def _linked(program: _TracedProgram, programs: dict[str, _TracedProgram]) -> Candidate:
    """The candidate, with its parent by the id of its content."""
    made = program.candidate()
    parent = programs.get(program.parent)
    if parent is None:
        return made
    provenance = made.provenance.model_copy(update={"parents": (parent.candidate().id,)})
    return made.model_copy(update={"provenance": provenance})


def _records(path: Path) -> Iterator[TraceRecord]:
    if not path.is_file():
        raise UsageError(f"{path} is no file: give the trace that OpenEvolve wrote")
    if path.suffix in (".h5", ".hdf5"):
        raise UsageError(f"{path} is HDF5: set evolution_trace.format to jsonl or json")
    if path.suffix != ".json":
        yield from json_lines(path, TraceRecord)
        return
    with opened_text(path) as file:
        try:
            whole = json.load(file)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}: no JSON: {error}") from error
    traces = whole.get("traces") if isinstance(whole, dict) else None
    if not isinstance(traces, list):
        raise UsageError(f"{path} has no list 'traces': it is no trace of OpenEvolve")
    for number, one in enumerate(traces):
        yield parsed(one, TraceRecord, f"{path}: trace {number}")
