"""KernelBench-X's corpus of transitions: pairs of kernels of one task in consecutive rounds.

Source: `data/kbx_corpus/*.jsonl` of KernelBench-X. A record holds the kernel before and after a
round of GEAK, each with what that benchmark found: whether it ran (`call_ok`), was right
(`exe_ok`), how long it took and its speedup over stored reference times, without an interval.

The rule: a kernel is one entry for each task and round. The part of a source below the rule of
146 `#` is the benchmark's test of the task, not the kernel: it becomes the source of the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.data.candidate import Candidate, ClaimedResult, Provenance, SourceFile
from assay.data.generator import Generator
from assay.data.run import Entry
from assay.data.task import Task
from assay.errors import UsageError
from assay.store.imports.foreign_lines import ForeignRecord, finite, json_lines
from assay.store.imports.import_reader import Imported, ImportReader

_RULE = re.compile(r"^#{146}\s*$", re.MULTILINE)
_WHOLE = "all_records.jsonl"  # of the corpus: its other files repeat parts of this one
_GENERATOR = Generator(name="GEAK")


class CorpusSide(ForeignRecord):
    """What the benchmark found of one kernel."""

    call_ok: bool | None = None
    exe_ok: bool | None = None
    runtime_ms: object = None
    gbs: object = None
    tflops: object = None
    speedup: object = None
    maintainability: object = None
    error: str | None = None


class CorpusRecord(ForeignRecord):
    """One transition."""

    task_id: str
    from_round: str
    to_round: str
    kind: str
    before: CorpusSide
    after: CorpusSide
    before_code: str
    after_code: str


@dataclass(frozen=True)
class _Kernel:
    """One kernel of one round."""

    task: Task
    round: int
    text: str
    claimed: ClaimedResult
    parent: str = ""

    def entry(self, number: int) -> Entry:
        made = Provenance(
            generator=_GENERATOR,
            parents=(self.parent,) if self.parent else (),
            round=self.round,
            claimed=self.claimed,
        )
        name = f"{self.task.id.removesuffix('.py')}/round_{self.round}.py"
        return Entry(number=number, task=self.task, candidate=self.candidate(name, made))

    def candidate(self, name: str = "", made: Provenance | None = None) -> Candidate:
        return Candidate(
            name=name,
            language="triton",
            sources=(SourceFile(path="kernel.py", text=self.text),),
            entry=self.task.entry,
            provenance=made or Provenance(),
        )


class KernelBenchXCorpus(ImportReader):
    """A `.jsonl` of the corpus, or its folder."""

    name = "kernelbench_x"

    def read(self, path: Path) -> Imported:
        """Two kernels a record; one that two records share is one entry."""
        file = path / _WHOLE if path.is_dir() else path
        if not file.is_file():
            raise UsageError(f"{path} holds no {_WHOLE}: give the file or the folder of the corpus")
        tasks: dict[str, Task] = {}
        found: dict[tuple[str, int, str], _Kernel] = {}
        records = 0
        for record in json_lines(file, CorpusRecord):
            records += 1
            for kernel in self._kernels(record, tasks):
                key = kernel.task.id, kernel.round, kernel.text
                known = found.get(key)
                if known is None or kernel.parent:  # the record that leads to it says how
                    found[key] = kernel
        entries = tuple(one.entry(number) for number, one in enumerate(found.values()))
        return Imported(records, entries)

    def _kernels(self, record: CorpusRecord, tasks: dict[str, Task]) -> Iterator[_Kernel]:
        before, test = _divided(record.before_code)
        after, _ = _divided(record.after_code)
        if record.task_id not in tasks:
            tasks[record.task_id] = self._task(record.task_id, test)
        task = tasks[record.task_id]
        first = _Kernel(task, _round(record.from_round), before, self._claim(record.before))
        yield first
        claimed = self._claim(record.after, tuple(record.kind.split(",")))
        yield _Kernel(task, _round(record.to_round), after, claimed, parent=first.candidate().id)

    def _task(self, name: str, test: str) -> Task:
        category, _, stem = name.removesuffix(".py").rpartition("/")
        return Task(
            id=name,
            title=f"KernelBench-X {stem}, as its published test asks for it",
            format=self.name,
            source=test,
            entry=stem or name,
            tags=(f"category:{category}",) if category else (),
            origin="KernelBench-X",
        )

    def _claim(self, side: CorpusSide, labels: tuple[str, ...] = ()) -> ClaimedResult:
        runtime = finite(side.runtime_ms)
        others = {"gbs": side.gbs, "tflops": side.tflops, "maintainability": side.maintainability}
        return ClaimedResult(
            source=self.name,
            ran=side.call_ok,
            correct=side.exe_ok,
            latency_us=None if runtime is None else 1e3 * runtime,
            speedup=finite(side.speedup),
            error=side.error or "",
            labels=labels,
            metrics={k: found for k, v in others.items() if (found := finite(v)) is not None},
        )


def _divided(code: str) -> tuple[str, str]:
    """The kernel and the benchmark's test below it."""
    kernel, *rest = _RULE.split(code, maxsplit=1)
    return kernel.rstrip() + "\n", (rest[0].strip() + "\n") if rest else ""


def _round(name: str) -> int:
    number = name.rpartition("_")[2]
    if not number.isdecimal():
        raise UsageError(f"'{name}' is no round: expected round_0, round_1, ...")
    return int(number)
