"""DeviceRecord: what the device corpus has shown so far, one JSON line a verdict.

The rule: a line is written when its case is finished and never changed; a run that was broken off
goes on where it stopped.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

LABELS = ("cheat", "wrong", "honest")
FAILED = "failed"  # a fault of ours: no verdict


@dataclass(frozen=True)
class DeviceFinding:
    """One case judged once."""

    case: str  # corpus/task/name
    repeat: int
    label: str
    status: str
    as_labelled: bool
    kinds: tuple[str, ...]  # of the evidence that weighs
    reason: str
    seconds: float
    machine: str  # GPU, driver, torch


class DeviceRecord:
    """The file, and its lines by case and repeat."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        found = [read_line(line) for line in lines]
        self._found = {(one.case, one.repeat): one for one in found}

    def has(self, case: str, repeat: int) -> bool:
        """Whether this one is finished; where we failed ourselves it is not."""
        found = self._found.get((case, repeat))
        return found is not None and found.status != FAILED

    def add(self, finding: DeviceFinding) -> None:
        """Keep it, on disk first."""
        with self._path.open("a") as file:
            file.write(json.dumps(asdict(finding)) + "\n")
        self._found[finding.case, finding.repeat] = finding

    def summary(self, names: set[str]) -> list[str]:
        """What is not as labelled, a line a label, and the machines."""
        found = [one for one in self._found.values() if one.case in names]
        good, total = Counter[str](), Counter[str]()
        for one in found:
            total[one.label] += 1
            good[one.label] += one.as_labelled
        odd = [f"not as labelled: {one.case}: {one.status}" for one in found if not one.as_labelled]
        rows = [f"{name:8} {good[name]} of {total[name]} as labelled" for name in LABELS]
        return [*odd, *rows, *sorted({one.machine for one in found if one.machine})]

    def all_as_labelled(self, names: set[str]) -> bool:
        """Whether every verdict is the one its folder asks for."""
        return all(one.as_labelled for one in self._found.values() if one.case in names)


def read_line(text: str) -> DeviceFinding:
    line = json.loads(text)
    return DeviceFinding(**{**line, "kinds": tuple(line["kinds"])})
