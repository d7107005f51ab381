"""HonestyRecord: what the honesty benchmark has found so far, one JSON line a finding.

The rule: a line is written when its case is finished and never changed; a run that was broken off
goes on where it stopped.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from corpus_case import CorpusCase

GROUPS = ("cheat", "numerics", "wrong", "honest")


@dataclass(frozen=True)
class Found:
    """One case judged in one pass; the naive check has no passes, for it knows no secret."""

    case: str
    status: str
    as_asked: bool
    number: int | None = None  # of the pass; None for the naive check

    @property
    def accepted(self) -> bool:
        """Whether this check let it through."""
        return self.status == "accepted"


class HonestyRecord:
    """The file, and its lines by pass and case."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        found = [read_line(line) for line in lines]
        self._found = {(one.number, one.case): one for one in found}

    def has(self, number: int | None, case: str) -> bool:
        """Whether this one is finished."""
        return (number, case) in self._found

    def add(self, found: Found, label: str, seconds: float) -> None:
        """Keep it, on disk first."""
        line = {"pass": found.number, **asdict(found), "label": label, "s": round(seconds, 3)}
        del line["number"]
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self._found[found.number, found.case] = found

    def table(self, cases: list[CorpusCase]) -> list[str]:
        """A line a group: what the naive check accepts beside what Assay accepts."""
        group = {f"{case.task}/{case.name}": case.group for case in cases}
        asked, accepted, total = Counter[str](), Counter[str](), Counter[str]()
        for one in self._found.values():
            if one.case in group:
                key = f"{'naive' if one.number is None else 'assay'} {group[one.case]}"
                total[key] += 1
                accepted[key] += one.accepted
                asked[key] += one.as_asked
        lines = [f"{'':10} {'naive check accepts':>20} {'Assay accepts':>20} {'as asked':>16}"]
        for name in GROUPS:
            naive, ours = f"naive {name}", f"assay {name}"
            lines.append(
                f"{name:10} {share(accepted[naive], total[naive]):>20} "
                f"{share(accepted[ours], total[ours]):>20} {share(asked[ours], total[ours]):>16}"
            )
        return lines

    def all_as_asked(self, cases: list[CorpusCase]) -> bool:
        """Whether every verdict is the one its folder asks for."""
        names = {f"{case.task}/{case.name}" for case in cases}
        ours = [f for f in self._found.values() if f.number is not None and f.case in names]
        return all(found.as_asked for found in ours)


def read_line(text: str) -> Found:
    line = json.loads(text)
    return Found(line["case"], line["status"], line["as_asked"], line["pass"])


def share(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else "-"
