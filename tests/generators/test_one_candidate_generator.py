"""Sources as generators: one candidate a task, and a reason for everything else."""

from __future__ import annotations

from assay.data.generation.attempt import Attempt
from assay.generators.candidate_generator import GenerationRequest, Proposal
from assay.generators.candidate_source import NoCandidate
from assay.generators.one_candidate_generator import (
    EagerGenerator,
    InductorCppGenerator,
    InductorTritonGenerator,
)
from assay.tasks.catalog import resolve


def test_the_second_ask_is_told_that_there_is_one() -> None:
    task = resolve("softmax")
    answer = EagerGenerator().propose(GenerationRequest(task, "cpu"), lambda _: None)
    assert isinstance(answer, Proposal)
    attempt = Attempt(number=0, task=task.id, candidate=answer.candidate.id, generator="eager")
    again = GenerationRequest(task, "cpu", history=(attempt,))
    refused = EagerGenerator().propose(again, lambda _: None)
    assert isinstance(refused, NoCandidate)
    assert "one candidate a task" in refused.reason


def test_a_source_for_another_device_is_not_asked() -> None:
    task = resolve("softmax")
    for generator, device in ((InductorCppGenerator(), "cuda"), (InductorTritonGenerator(), "cpu")):
        answer = generator.propose(GenerationRequest(task, device), lambda _: None)
        assert isinstance(answer, NoCandidate)
        assert generator.device in answer.reason


def test_another_language_is_refused() -> None:
    request = GenerationRequest(resolve("softmax"), "cpu", languages=("triton",))
    assert isinstance(EagerGenerator().propose(request, lambda _: None), NoCandidate)
