"""KernelBench's run folder: samples with the results that its evaluator wrote beside them.

Source: `runs/NAME/` of KernelBench: `level_1_problem_2_sample_0_kernel.py`, and `eval_results.json`
with a list of samples for each problem: whether one compiled, was right, and its mean time in ms.

The rule: a sample without a result and a result without a sample are both left out, and counted.
The folder names problems by number, so a task here has a name and no source.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate, ClaimedResult, Provenance
from assay.data.run import Entry
from assay.data.task import Task
from assay.errors import UsageError, reason_of
from assay.languages.candidate_file import load_candidate
from assay.store.imports.foreign_lines import ForeignRecord, finite, parsed
from assay.store.imports.import_reader import Imported, ImportReader

_RESULTS = "eval_results.json"
_SAMPLE = re.compile(r"level_(\d+)_problem_(\d+)_sample_(\d+)_kernel\.py")


class SampleResult(ForeignRecord):
    """What the evaluator found of one sample."""

    sample_id: int = 0
    compiled: bool | None = None
    correctness: bool | None = None
    runtime: object = None
    metadata: object = None


class KernelBenchSamples(ImportReader):
    """A folder of samples with `eval_results.json`, or that file."""

    name = "kernelbench"

    def read(self, path: Path) -> Imported:
        """One entry for each sample that has a result."""
        folder = path if path.is_dir() else path.parent
        file = folder / _RESULTS if path.is_dir() else path
        if not file.is_file():
            raise UsageError(f"{path} holds no {_RESULTS}: give that file or its folder")
        results = dict(_results(file))
        left_out: Counter[str] = Counter()
        entries: list[Entry] = []
        samples = {name: one for one in sorted(folder.iterdir()) if (name := _place(one))}
        for (level, problem, sample), source in samples.items():
            result = results.pop((problem, sample), None)
            if result is None:
                left_out["the sample has no result"] += 1
                continue
            made = Provenance(sample=sample, claimed=self._claim(result))
            candidate = load_candidate(source).model_copy(update={"provenance": made})
            entries.append(self._entry(len(entries), level, problem, candidate))
        if results:
            left_out["the result has no sample"] += len(results)
        return Imported(len(entries) + sum(left_out.values()), tuple(entries), left_out)

    def _entry(self, number: int, level: int, problem: int, candidate: Candidate) -> Entry:
        task = Task(
            id=f"level{level}/{problem}",
            title=f"KernelBench, level {level}, problem {problem}",
            format=self.name,
            source="",
            tags=(f"level:{level}",),
            origin="KernelBench",
        )
        return Entry(number=number, task=task, candidate=candidate)

    def _claim(self, result: SampleResult) -> ClaimedResult:
        runtime = finite(result.runtime)
        told = result.metadata if isinstance(result.metadata, dict) else {}
        errors = [f"{key}: {told[key]}" for key in sorted(told) if "error" in key]
        return ClaimedResult(
            source=self.name,
            ran=result.compiled,
            correct=result.correctness,
            latency_us=1e3 * runtime if runtime is not None and runtime > 0 else None,
            error="; ".join(errors)[:2000],
        )


def _place(path: Path) -> tuple[int, int, int] | None:
    """Level, problem and sample of a file's name."""
    found = _SAMPLE.fullmatch(path.name)
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


def _results(file: Path) -> Iterator[tuple[tuple[int, int], SampleResult]]:
    """By problem and sample; older files have one result in the place of a list."""
    try:
        told: Any = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(told, dict):
            raise ValueError("an object by problem is expected")
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {file} as JSON: {reason_of(error)}") from error
    for problem, found in told.items():
        for one in found if isinstance(found, list) else [found]:
            result = parsed(one, SampleResult, f"{file}: problem {problem}")
            if str(problem).isdecimal():
                yield (int(problem), result.sample_id), result
