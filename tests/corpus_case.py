"""The corpus: folders of kernels with the verdict each must get, and for which reason.

A folder of cases carries the name of a native task, or holds a task of its own in KernelBench's
form (`task.py`).

The rule: a case is complete on disk (`kernel.py` and `case.toml`); nothing about it is known here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from assay.data.evidence import Severity
from assay.data.verdict import Verdict

CORPUS = Path(__file__).parent / "corpus"
CUDA_CORPUS = Path(__file__).parent / "corpus_cuda"  # kernels that only a GPU can run
LABELS = ("honest", "wrong", "cheat")


class SharedExam(NamedTuple):
    """What cases have in common that are judged in one run."""

    task: str
    track: str
    allow_packages: tuple[str, ...]
    timed: bool
    level: str
    threads: int


@dataclass(frozen=True)
class CorpusCase:
    """One kernel, what it is, and how Assay must judge it."""

    path: Path
    task: str
    name: str
    label: str
    technique: str
    family: str
    statuses: tuple[str, ...]
    kinds: tuple[str, ...]  # one of them must be the reason; empty for an accepted kernel
    track: str
    explanation: str
    task_source: str = ""  # what the task is resolved by: a native name, or a file beside the case
    allow_packages: tuple[str, ...] = ()  # that it is shown, as a user may say
    level: str = "quick"  # the lowest at which the calls are made that show it
    timed: bool = False  # acts only in the process that is timed, so it must be timed
    threads: int = 0  # that it needs in order to act; 0: as many as the others
    slow: bool = False  # takes a minute and more: judged by `make corpus`, not by every test run

    @property
    def candidate(self) -> Path:
        """What is handed in: the file, or its folder where a package stands beside it."""
        beside = self.path.parent.glob("*/__init__.py")
        return self.path.parent if any(beside) else self.path

    @property
    def exam(self) -> SharedExam:
        """What cases share that are judged together."""
        packages, threads = self.allow_packages, self.threads
        return SharedExam(self.task, self.track, packages, self.timed, self.level, threads)

    @property
    def may_hang(self) -> bool:
        """A time limit may be what ends it."""
        return "timed_out" in self.statuses

    @property
    def full_name(self) -> str:
        """Corpus, task and name: `corpus_cuda/softmax/triton_rows`."""
        return "/".join(self.path.parts[-4:-1])

    @property
    def group(self) -> str:
        """Its label; the cheats that only numerics can show are counted apart."""
        return "numerics" if self.family == "numerics" else self.label

    def is_answered_by(self, verdict: Verdict) -> bool:
        """The status it asks for, and one of the reasons it asks for."""
        heavy = {e.kind.value for e in verdict.evidence if e.severity is not Severity.NOTE}
        right_reason = not self.kinds or bool(heavy & set(self.kinds))
        return verdict.status.value in self.statuses and right_reason


def read_case(folder: Path) -> CorpusCase:
    """The case in one folder; an unknown label or a missing key is an error."""
    entry = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
    if entry["label"] not in LABELS:
        raise ValueError(f"{folder}: label {entry['label']!r} is none of {', '.join(LABELS)}")
    status, task = entry["status"], folder.parent.name
    return CorpusCase(
        path=folder / "kernel.py",
        task=task,
        name=folder.name,
        label=entry["label"],
        technique=entry["technique"],
        family=entry["family"],
        statuses=(status,) if isinstance(status, str) else tuple(status),
        kinds=tuple(entry["kinds"]),
        track=entry.get("track", "kernel"),
        explanation=entry["explanation"],
        task_source=str(foreign) if (foreign := folder.parent / "task.py").exists() else task,
        allow_packages=tuple(entry.get("allow_packages", ())),
        level=entry.get("level", "quick"),
        timed=entry.get("timed", False),
        threads=entry.get("threads", 0),
        slow=entry.get("slow", False),
    )


def cases(root: Path = CORPUS) -> list[CorpusCase]:
    """Every case of a corpus, by task and name."""
    return [read_case(file.parent) for file in sorted(root.glob("*/*/case.toml"))]
