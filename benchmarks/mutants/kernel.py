"""Kernel: an honest kernel of the tree that mutants are made of.

The rule: only a single Python file that Assay must accept in the track `kernel` is taken. None that
builds for minutes, and none that chooses among variants by the clock: a fault in a variant that is
not chosen is not there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from assay.data.candidate import Candidate, SourceFile
from assay.languages.candidate_file import detect_language
from corpus_case import cases

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
_LEFT_OUT = re.compile(r"load_inline|perf_counter|autotune")


@dataclass(frozen=True)
class Kernel:
    """One honest text and the task it solves."""

    path: str  # inside the repository
    task: str  # what the task is resolved by: a native name, or a file
    text: str

    def candidate(self, name: str, text: str) -> Candidate:
        """A candidate of this kernel's form with another text."""
        source = SourceFile(path="kernel.py", text=text)
        return Candidate(name=name, language=detect_language((source,)), sources=(source,))


def kernels() -> list[Kernel]:
    """Every honest kernel of examples and corpus, by path."""
    found = [(path, path.parent.name) for path in EXAMPLES.glob("*/honest__*.py")]
    for case in cases():
        if case.label == "honest" and case.track == "kernel" and not case.slow:
            found.append((case.path, case.task_source))
    read = [_read(path, task) for path, task in found]
    return sorted((k for k in read if not _LEFT_OUT.search(k.text)), key=lambda k: k.path)


def _read(path: Path, task: str) -> Kernel:
    relative = path.relative_to(ROOT).as_posix()
    return Kernel(relative, task, path.read_text(encoding="utf-8"))
