"""Clients of the daemon whose candidates say what is to happen to them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

from assay.data.candidate import Candidate, SourceFile
from assay.data.progress import Progress
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.engine.daemon.daemon_client import Asked, evaluations
from sample_records import TASK


def candidate(first_line: str) -> Candidate:
    file = SourceFile(path="kernel.py", text=f"# {first_line}\nclass ModelNew: ...\n")
    return Candidate(name=first_line, language="torch", entry="ModelNew", sources=(file,))


@dataclass
class Client:
    """Evaluations as a command asks for them."""

    notices: list[str] = field(default_factory=list)
    steps: list[Progress] = field(default_factory=list)

    def ask(self, *first_lines: str, wanted: bool = True) -> Generator[Judgement, None, None]:
        asked = Asked(TASK, [candidate(line) for line in first_lines], Settings(level="quick"))
        return evaluations(asked, self.steps.append, self.notices.append, wanted)

    def statuses(self, *first_lines: str, wanted: bool = True) -> list[str]:
        return [one.verdict.status.value for one in self.ask(*first_lines, wanted=wanted)]

    @property
    def worker(self) -> str:
        return self.steps[-1].stage
