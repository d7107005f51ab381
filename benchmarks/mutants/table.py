"""Table: kill rates by kind and level, and every mutant that lived.

The rule: every rate stands beside its denominator, and equivalents are in none of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from mutants.equivalents import REASONS
from mutants.mutant import Mutant
from mutants.record import NAIVE, Finding, Record


class Table:
    """The findings about some mutants."""

    def __init__(self, mutants: Iterable[Mutant], levels: list[str], record: Record) -> None:
        self._levels = levels
        self._record = record
        everything = list(mutants)
        self._equivalent = [m for m in everything if m.id in REASONS]
        self._kinds: dict[str, list[Mutant]] = defaultdict(list)
        for mutant in everything:
            if mutant.id not in REASONS:
                self._kinds[mutant.kind].append(mutant)

    def lines(self) -> Iterator[str]:
        """The whole report."""
        yield f"{'kind':<22}{'mutants':>8}" + "".join(f"{x:>16}" for x in self._levels)
        for kind in sorted(self._kinds):
            yield self._row(kind, self._kinds[kind])
        yield self._row("all", [m for group in self._kinds.values() for m in group])
        yield f"{len(self._equivalent)} equivalent mutants are in no figure"
        for level in self._levels:
            if level != NAIVE:
                yield from self._survivors(level)
        yield from (f"does not build: {f.mutant}: {f.reason[:200]}" for f in self.broken())

    def _row(self, name: str, group: list[Mutant]) -> str:
        cells = []
        for level in self._levels:
            found = self._found(group, level)
            killed = sum(f.killed for f in found)
            rate = f"{100 * killed / len(found):.1f} %" if found else "-"
            cells.append(f"{f'{killed}/{len(found)}':>8}{rate:>8}")
        return f"{name:<22}{len(group):>8}" + "".join(cells)

    def _found(self, group: list[Mutant], level: str) -> list[Finding]:
        found = (self._record.of(m.id, level) for m in group)
        return [f for f in found if f is not None and f.built]

    def _survivors(self, level: str) -> Iterator[str]:
        for kind in sorted(self._kinds):
            for finding in self._found(self._kinds[kind], level):
                if not finding.killed:
                    yield f"survives {level}: {finding.mutant}"

    def broken(self) -> list[Finding]:
        """Mutants that could not be judged: a fault of a mutator, or of Assay."""
        ids = {m.id for group in self._kinds.values() for m in group}
        findings = self._record.findings.values()
        return [f for f in findings if not f.built and f.mutant in ids]
