"""OneCandidateGenerator: sources that have one candidate a task, as generators of a search.

The rule: one answer a task. A second ask is told that there is no other.
"""

from __future__ import annotations

import time

from assay.data.generation.budget import Spend
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
    Tell,
)
from assay.generators.candidate_source import CandidateSource, NoCandidate
from assay.generators.eager_source import EagerSource
from assay.generators.inductor_cpp_source import InductorCppSource
from assay.generators.inductor_triton_source import InductorTritonSource


class OneCandidateGenerator(CandidateGenerator):
    """A source asked once a task."""

    device = ""  # that its candidates need; empty: any

    def __init__(self, source: CandidateSource) -> None:
        self._source = source

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        """The source's candidate."""
        if any(one.candidate and one.generator in ("", self.name) for one in request.tried):
            return NoCandidate(f"'{self.name}' has one candidate a task")
        if self.device and request.device != self.device:
            return NoCandidate(f"'{self.name}' writes for {self.device}, not for {request.device}")
        start = time.perf_counter()
        found = self._source.candidate(request.task)
        if isinstance(found, NoCandidate):
            return found
        if request.languages and found.language not in request.languages:
            return NoCandidate(f"'{self.name}' writes {found.language}, which is not asked for")
        return Proposal(found, spent=Spend(seconds=time.perf_counter() - start))


class EagerGenerator(OneCandidateGenerator):
    """The reference's own torch calls."""

    name = "eager"

    def __init__(self) -> None:
        super().__init__(EagerSource())


class InductorCppGenerator(OneCandidateGenerator):
    """The C++ that torch.compile writes."""

    name = "inductor-cpp"
    device = "cpu"

    def __init__(self) -> None:
        super().__init__(InductorCppSource())


class InductorTritonGenerator(OneCandidateGenerator):
    """The Triton that torch.compile writes."""

    name = "inductor-triton"
    device = "cuda"

    def __init__(self) -> None:
        super().__init__(InductorTritonSource())
