"""ReplayGenerator: the candidates of an earlier run, or of a file, once more and in their order.

    --option from=FILE.jsonl     one object a line: "task", "source" and, if known, "choices"

`assay search` and `assay bench` also take `from=RUN`, a stored run.

The rule: what is replayed is the text alone. Claims and verdicts of the earlier run stay there;
everything is judged anew. An ask after the last candidate is told that there is none left.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from assay.data.candidate import Provenance
from assay.data.generator import Generator
from assay.errors import UsageError
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
    Tell,
)
from assay.generators.candidate_source import NoCandidate
from assay.languages.candidate_file import candidate_of_text


@dataclass(frozen=True)
class ReplayedCandidate:
    """A candidate of an earlier run."""

    task: str
    source: str
    choices: Mapping[str, str] = field(default_factory=dict)


class ReplayGenerator(CandidateGenerator):
    """Answers with what was answered before."""

    name = "replay"

    def __init__(self, candidates: Sequence[ReplayedCandidate] = ()) -> None:
        self._candidates = tuple(candidates)

    def configured(self, options: Mapping[str, str]) -> Self:
        """`from=FILE.jsonl`."""
        unknown = sorted(set(options) - {"from"})
        if unknown:
            raise UsageError(f"generator '{self.name}' has no option {unknown[0]!r}; known: from")
        if "from" not in options:
            raise UsageError("generator 'replay' needs --option from=FILE.jsonl or from=RUN")
        return type(self)(read_candidates(Path(options["from"])))

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        """The next candidate of the task that was not asked for yet."""
        known = [one for one in self._candidates if one.task == request.task.id]
        own = list({one.source: one for one in known}.values())  # the same text is tried once
        tried = {one.source for one in request.tried}
        left = [one for one in own if one.source not in tried]
        if not left:
            return NoCandidate(f"all {len(own)} candidates of {request.task.id} were replayed")
        chosen = left[0]
        provenance = Provenance(generator=Generator(name=self.name), sample=request.sample)
        changes = {"name": f"{request.task.id}/replay", "provenance": provenance}
        candidate = candidate_of_text(chosen.source).model_copy(update=changes)
        return Proposal(
            candidate, choices=dict(chosen.choices), rationale=f"candidate {own.index(chosen)}"
        )


def read_candidates(path: Path) -> tuple[ReplayedCandidate, ...]:
    """The candidates of a file, in its order; a line that is none is a UsageError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as problem:
        raise UsageError(f"cannot read {path}: {problem.strerror or problem}") from problem
    return tuple(_candidate(path, number, line) for number, line in enumerate(lines, 1) if line)


def _candidate(path: Path, number: int, line: str) -> ReplayedCandidate:
    try:
        fields: Any = json.loads(line)
    except ValueError as problem:
        raise UsageError(f"{path}:{number}: no JSON: {problem}") from problem
    match fields:
        case {"task": str(task), "source": str(source)}:
            choices = fields.get("choices") or {}
            return ReplayedCandidate(task, source, {k: str(v) for k, v in choices.items()})
    raise UsageError(f"{path}:{number}: a candidate has a 'task' and a 'source'")
