"""RefusalRecord: every evaluation of the refusal benchmark, and what it must show.

The rule: nothing that must be accepted is refused or uses more than half of its error budget, and
every precision mutant exceeds twice the budget, in every round.
"""

from __future__ import annotations

from pathlib import Path

from refusal_entrants import Entrant, Kind

from assay.data.record import Record
from assay.data.settings import Level
from assay.data.verdict import Status, Verdict

MOST_HONEST = 0.5
LEAST_MUTANT = 2.0


class Evaluation(Record):
    """One line of the file."""

    level: Level
    round: int
    kind: Kind
    task: str
    candidate: str
    status: Status
    used: float | None  # the largest share of the error budget; None where no share is known
    where: str  # the workload with that share
    reason: str
    elapsed_s: float

    @property
    def key(self) -> tuple[Level, int, str]:
        """What it is an evaluation of."""
        return self.level, self.round, self.candidate

    @property
    def refused(self) -> bool:
        """Turned away although it must not be."""
        return self.kind is not Kind.PRECISION and self.status is not Status.ACCEPTED

    @property
    def close(self) -> bool:
        """On the wrong side of the distance that must lie between honest kernels and mutants."""
        if self.kind is Kind.PRECISION:
            return self.used is None or self.used <= LEAST_MUTANT
        return self.used is not None and self.used > MOST_HONEST

    def line(self) -> str:
        """For people."""
        used = "no share known" if self.used is None else f"{self.used:.3g} of the budget"
        head = f"{self.level} round {self.round}: {self.candidate} ({self.kind}) {self.status}"
        return f"{head}, {used} at {self.where or '-'}\n    {self.reason[:200]}"


def evaluation(entrant: Entrant, round_number: int, verdict: Verdict) -> Evaluation:
    """What is kept of a verdict."""
    known = [row for row in verdict.workloads if row.error_budget_used is not None]
    worst = max(known, key=lambda row: row.error_budget_used or 0.0, default=None)
    sizes = ", ".join(f"{n}={s}" for n, s in worst.axes.items()) if worst else ""
    where = f"{sizes} {worst.dtype} {worst.layout} {worst.distribution}" if worst else ""
    return Evaluation(
        level=verdict.level,
        round=round_number,
        kind=entrant.kind,
        task=verdict.task,
        candidate=entrant.name,
        status=verdict.status,
        used=worst.error_budget_used if worst else None,
        where=f"{where} {worst.direction}" if worst else "",
        reason=verdict.reason,
        elapsed_s=verdict.elapsed_s,
    )


class RefusalRecord:
    """The file and its lines; a run that was broken off goes on where it stopped."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        self._found = {e.key: e for e in map(Evaluation.model_validate_json, lines)}

    def has(self, level: Level, round_number: int, entrant: Entrant) -> bool:
        """Whether this one is finished."""
        return (level, round_number, entrant.name) in self._found

    def add(self, found: Evaluation) -> None:
        """Keep it, on disk first."""
        with self._path.open("a") as file:
            file.write(found.model_dump_json() + "\n")
        self._found[found.key] = found

    def summary(self) -> list[str]:
        """A line a level and kind."""
        lines = []
        for level in Level:
            for kind in Kind:
                some = [e for e in self._found.values() if (e.level, e.kind) == (level, kind)]
                if some:
                    lines.append(_figures(f"{level} {kind}", kind, some))
        return lines

    @property
    def clean(self) -> bool:
        """Whether it shows what it must show."""
        return not any(found.refused or found.close for found in self._found.values())


def _figures(title: str, kind: Kind, some: list[Evaluation]) -> str:
    shares = [found.used for found in some if found.used is not None]
    close = sum(found.close for found in some)
    head = f"{title}: {len(some)} evaluations of {len({e.candidate for e in some})} candidates"
    if kind is Kind.PRECISION:
        least = f"{min(shares):.3g}" if shares else "-"
        return f"{head}, least share {least}, {close} not beyond {LEAST_MUTANT:g}"
    refused = sum(found.refused for found in some)
    largest = f"{max(shares):.3g}" if shares else "-"
    return f"{head}, {refused} refused, largest share {largest}, {close} beyond {MOST_HONEST:g}"
