"""Round steps: each candidate beside the one that it was made from.

The rule: a candidate follows the parent that it names, else the candidate of the round before in
the same sample. Nothing is computed here, so that a report may read them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from assay.scores.graded import Graded


def steps(entries: Iterable[Graded]) -> list[tuple[Graded, Graded]]:
    """Every candidate with the one that it was made from."""
    lines: dict[tuple[str, ...], list[Graded]] = defaultdict(list)
    for one in entries:
        if one.provenance.round is not None:
            lines[one.generator or one.run, one.device, one.task].append(one)
    return [pair for line in lines.values() for pair in _steps_of(line)]


def _steps_of(line: Sequence[Graded]) -> list[tuple[Graded, Graded]]:
    by_id: dict[str, list[Graded]] = defaultdict(list)  # the same source may come back
    for one in sorted(line, key=round_of):
        by_id[one.candidate_id].append(one)
    by_place = {(one.provenance.sample, one.provenance.round): one for one in line}
    found = []
    for one in line:
        made = one.provenance
        named = [p for name in made.parents for p in by_id.get(name, ()) if p is not one]
        before = [p for p in named if round_of(p) < round_of(one)][-1:]
        if not named:
            before = [p for p in [by_place.get((made.sample, round_of(one) - 1))] if p]
        found += [(p, one) for p in before]
    return found


def round_of(one: Graded) -> int:
    """The first is 0, also of one that names none."""
    return one.provenance.round or 0
