"""Record: what was found about each mutant at each level, one line each, so that a run can go on.

The rule: a line is written when its judgement is there and never changed; the last one counts.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

NAIVE = "naive"  # stands beside the levels


class Finding(BaseModel):
    """One mutant at one level. Killed means: not accepted."""

    mutant: str
    kind: str
    level: str
    status: str
    elapsed_s: float
    reason: str = ""

    @property
    def killed(self) -> bool:
        """Whether the judge turned it away."""
        return self.status != "accepted"

    @property
    def built(self) -> bool:
        """A mutant that does not build, or that could not be judged, proves nothing."""
        return self.status not in ("build_failed", "invalid_task", "not_run")


class Record:
    """The findings so far, kept in a file."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self.findings: dict[tuple[str, str], Finding] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._keep(Finding.model_validate_json(line))

    def add(self, finding: Finding) -> None:
        """Keep one more."""
        self._keep(finding)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(finding.model_dump_json() + "\n")

    def _keep(self, finding: Finding) -> None:
        self.findings[finding.mutant, finding.level] = finding

    def of(self, mutant: str, level: str) -> Finding | None:
        """What was found about a mutant at a level."""
        return self.findings.get((mutant, level))
