"""MutateGenerator: small edits of an accepted kernel.

Numbers that look like sizes of blocks, tiles, warps, stages, threads or unrolling are doubled or
halved; optimisation flags are exchanged; sums get a wider accumulator; a pragma is added or left
out. One edit a candidate.

The rule: an edit is one substitution in the parent's text. It may break the kernel: that is for
the judge to say. The same parent, history and seed give the same edit, and no text comes twice.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.data.candidate import Provenance
from assay.data.generation.attempt import Attempt
from assay.data.generator import Generator
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
    Tell,
)
from assay.generators.candidate_source import NoCandidate
from assay.languages.candidate_file import candidate_of_text
from assay.python_tree import module_tree

_NAMED = re.compile(
    r"\b(\w*(?:block|tile|warps|stages|rows|columns|threads|unroll|width|chunk)\w*)"
    r"(\s*(?::[^=\n]{0,20})?=\s*|\()(\d{1,6})\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\b(num_threads|simdlen|unroll|safelen)(\s*\(?\s*)(\d{1,4})\b")
_SWAPS = (
    ("-O3", "-O2"),
    ("-O2", "-O3"),
    ("schedule(static)", "schedule(dynamic, 4)"),
    ("float sum = 0", "double sum = 0"),
    ("double sum = 0", "float sum = 0"),
    ("#pragma omp simd\n", "#pragma GCC ivdep\n"),
    ("eviction_policy='evict_last'", "eviction_policy='evict_first'"),
)
_LARGEST = 65536


@dataclass(frozen=True)
class Edit:
    """One substitution: where, and what it was and becomes."""

    start: int
    end: int
    text: str
    words: str

    def applied(self, source: str) -> str:
        """The text after the edit."""
        return source[: self.start] + self.text + source[self.end :]


class MutateGenerator(CandidateGenerator):
    """One edit of a parent."""

    name = "mutate"

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        """An edit of the parent that was not tried yet."""
        parent = _parent(request)
        if parent is None:
            return NoCandidate("'mutate' edits an accepted kernel, and there is none yet")
        seen = {one.source for one in request.tried} | {parent.source}
        found = [one for one in edits(parent.source) if _is_new(one, parent.source, seen)]
        if not found:
            return NoCandidate("every edit of the parent was tried")
        chance = random.Random(f"{request.seed}:{request.sample}:{parent.candidate}")
        chosen = chance.choice(found)
        provenance = Provenance(
            generator=Generator(name=self.name), parents=(parent.candidate,), sample=request.sample
        )
        changes = {"name": f"{request.task.id}/mutate", "provenance": provenance}
        candidate = candidate_of_text(chosen.applied(parent.source))
        return Proposal(
            candidate.model_copy(update=changes),
            choices={"edit": chosen.words},
            rationale=chosen.words,
        )


def edits(source: str) -> Iterator[Edit]:
    """All edits of a text, in its order."""
    for pattern in (_NAMED, _CLAUSE):
        for match in pattern.finditer(source):
            value = int(match[3])
            for new in (value * 2, value // 2):
                if 1 <= new <= _LARGEST and new != value:
                    words = f"{match[1]} {value} becomes {new}"
                    yield Edit(match.start(3), match.end(3), str(new), words)
    for old, new_text in _SWAPS:
        for match in re.finditer(re.escape(old), source):
            words = f"{old.strip()} becomes {new_text.strip()}"
            yield Edit(match.start(), match.end(), new_text, words)


def _is_new(one: Edit, source: str, seen: set[str]) -> bool:
    text = one.applied(source)
    if text in seen:
        return False
    try:
        module_tree(text)
    except SyntaxError:
        return False
    return True


def _parent(request: GenerationRequest) -> Attempt | None:
    """The first parent that is accepted; else the fastest accepted one of the history."""
    named = [one for one in request.parents if one.accepted and one.source]
    if named:
        return named[0]
    known = [one for one in request.history if one.accepted and one.source]
    return max(known, key=lambda one: one.speedup or 0.0, default=None)
