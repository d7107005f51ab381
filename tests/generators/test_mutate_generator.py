"""Mutate: one edit of an accepted parent, never the same text twice."""

from __future__ import annotations

from assay.data.generation.attempt import Attempt
from assay.generators.candidate_generator import GenerationRequest, Proposal
from assay.generators.candidate_source import NoCandidate
from assay.generators.mutate_generator import MutateGenerator, edits
from assay.tasks.catalog import resolve

PARENT = "FLAGS = ['-O3']\nBLOCK = 1024\nnum_warps=4\nclass ModelNew: eps = 1e-5\n"


def _attempt(source: str, status: str = "accepted", number: int = 0) -> Attempt:
    return Attempt(
        number=number, task="softmax", candidate=f"c{number}", source=source, status=status
    )


def test_edits_are_of_sizes_and_flags_only() -> None:
    words = {one.words for one in edits(PARENT)}
    assert words == {
        "BLOCK 1024 becomes 2048",
        "BLOCK 1024 becomes 512",
        "num_warps 4 becomes 8",
        "num_warps 4 becomes 2",
        "-O3 becomes -O2",
    }


def test_every_edit_comes_once() -> None:
    generator, history = MutateGenerator(), (_attempt(PARENT),)
    texts = set()
    while True:
        request = GenerationRequest(
            resolve("softmax"), "cpu", parents=(history[0],), history=history, sample=len(history)
        )
        answer = generator.propose(request, lambda _: None)
        if isinstance(answer, NoCandidate):
            break
        assert isinstance(answer, Proposal)
        assert answer.candidate.provenance.parents == ("c0",)
        texts.add(answer.candidate.main.text)
        history = (
            *history,
            _attempt(answer.candidate.main.text, "incorrect", number=len(history)),
        )
    assert len(texts) == len(history) - 1 == 5


def test_without_an_accepted_kernel_there_is_nothing_to_edit() -> None:
    request = GenerationRequest(resolve("softmax"), "cpu", history=(_attempt(PARENT, "incorrect"),))
    assert isinstance(MutateGenerator().propose(request, lambda _: None), NoCandidate)
