"""The reference's own calls as a candidate."""

from __future__ import annotations

import pytest

from assay.data.candidate import Candidate
from assay.generators.candidate_source import NoCandidate
from assay.generators.eager_source import EagerSource
from assay.tasks.catalog import resolve, tasks_of


def test_every_native_task_has_an_eager_candidate() -> None:
    for task in tasks_of("native"):
        found = EagerSource().candidate(task)
        assert isinstance(found, Candidate), task.id
        assert found.language == "torch"
        assert "class ModelNew" in found.main.text


def test_it_names_its_generator_and_its_seconds() -> None:
    found = EagerSource().candidate(resolve("softmax"))
    assert isinstance(found, Candidate)
    assert found.provenance.generator is not None
    assert found.provenance.generator.name == "eager"
    assert found.provenance.seconds is not None and found.provenance.seconds >= 0


def test_it_computes_what_the_reference_computes() -> None:
    torch = pytest.importorskip("torch")
    task = resolve("layernorm")
    found = EagerSource().candidate(task)
    assert isinstance(found, Candidate)
    theirs: dict[str, object] = {}
    ours: dict[str, object] = {}
    exec(task.source, theirs)  # a native task of ours and its own text: nobody else's code
    exec(found.main.text, ours)
    x = torch.randn(3, 8)
    assert torch.equal(theirs["Model"](8)(x), ours["ModelNew"](8)(x))  # type: ignore[operator]


def test_a_broken_task_has_no_candidate_and_says_why() -> None:
    task = resolve("softmax").model_copy(update={"source": "class Model(:"})
    found = EagerSource().candidate(task)
    assert isinstance(found, NoCandidate)
    assert "cannot be rewritten" in found.reason
