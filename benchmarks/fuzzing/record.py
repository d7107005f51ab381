"""Record of a fuzzing run: one JSON line a module, and the counts.

The rule: a line is written when its verdict is there and never changed; the last one counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel


class Finding(BaseModel):
    """What became of one module judged against itself."""

    seed: int
    number: int
    status: str
    reason: str
    features: tuple[str, ...]
    elapsed_s: float

    @property
    def is_fault(self) -> bool:
        """A module is right about itself: anything but `accepted` is the judge's fault."""
        return self.status != "accepted"


@dataclass(frozen=True)
class Table:
    """The findings of one run, counted."""

    findings: tuple[Finding, ...]

    @property
    def faults(self) -> list[Finding]:
        """The modules that were not accepted."""
        return [finding for finding in self.findings if finding.is_fault]

    def lines(self) -> list[str]:
        """Counts by status, the faults by what their modules share, and the time."""
        counts = Counter(finding.status for finding in self.findings)
        shared = Counter(feature for finding in self.faults for feature in finding.features)
        seconds = sum(finding.elapsed_s for finding in self.findings)
        text = ", ".join(f"{status} {count}" for status, count in counts.most_common())
        lines = [f"{len(self.findings)} modules: {text or 'none'}; {seconds:.0f} s in all"]
        lines += [f"fault in {finding.number}: {finding.status}" for finding in self.faults]
        if shared:
            most = ", ".join(f"{name} {count}" for name, count in shared.most_common(8))
            lines.append(f"what they are made of: {most}")
        return lines


class Record:
    """The findings so far, kept in a file."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        found = [Finding.model_validate_json(line) for line in lines]
        self._found = {(one.seed, one.number): one for one in found}

    def has(self, seed: int, number: int) -> bool:
        """Whether this module is finished."""
        return (seed, number) in self._found

    def add(self, finding: Finding) -> None:
        """Keep one more, on disk first."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(finding.model_dump_json() + "\n")
        self._found[finding.seed, finding.number] = finding

    def table(self, seed: int, numbers: Iterable[int]) -> Table:
        """The findings of these modules."""
        keys = [(seed, number) for number in numbers]
        return Table(tuple(self._found[key] for key in keys if key in self._found))
