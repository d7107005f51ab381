"""Selection: which mutants are judged, spread over kinds, kernels and tasks.

The rule: the choice depends on the mutants' ids alone. Another kernel in the tree moves few others.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable

from mutants.edits import edits
from mutants.kernel import Kernel, kernels
from mutants.mutant import Mutant, mutants
from mutants.recipes import check

PER_KIND = 10


def every_mutant() -> list[Mutant]:
    """All that the mutators and recipes make of all kernels."""
    found = kernels()
    check(found)
    return [mutant for kernel in found for mutant in mutants(kernel, edits(kernel))]


def choose(found: Iterable[Mutant], per_kind: int = PER_KIND) -> list[Mutant]:
    """At most `per_kind` of each kind, from as many kernels as there are; grouped by task."""
    kinds: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in found:
        kinds[mutant.kind].append(mutant)
    chosen = [m for kind in sorted(kinds) for m in _spread(kinds[kind])[:per_kind]]
    return sorted(chosen, key=lambda m: (m.kernel.task, m.id))


def _spread(found: list[Mutant]) -> list[Mutant]:
    """One of each kernel first, then a second; within a round in the order of a hash."""
    rounds = Counter[Kernel]()
    ranked = []
    for mutant in sorted(found, key=_rank):
        ranked.append((rounds[mutant.kernel], _rank(mutant), mutant))
        rounds[mutant.kernel] += 1
    return [mutant for *_, mutant in sorted(ranked, key=lambda r: r[:2])]


def _rank(mutant: Mutant) -> str:
    return hashlib.sha256(mutant.id.encode()).hexdigest()
