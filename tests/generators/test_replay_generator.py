"""Replay: candidates of a file in their order, and nothing of their claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.data.generation.attempt import Attempt
from assay.errors import UsageError
from assay.generators.candidate_generator import GenerationRequest, Proposal
from assay.generators.candidate_source import NoCandidate
from assay.generators.replay_generator import ReplayGenerator
from assay.tasks.catalog import resolve

SOURCES = ["class ModelNew: a = 1\n", "class ModelNew: a = 2\n"]


def _file(folder: Path) -> Path:
    path = folder / "run.jsonl"
    rows = [{"task": "softmax", "source": one, "speedup": 9.0} for one in SOURCES]
    given = [{**rows[0], "task": "gelu"}, *rows, rows[0]]  # the same text again is no other one
    path.write_text("\n".join(json.dumps(one) for one in given))
    return path


def test_candidates_come_in_order_and_end(tmp_path: Path) -> None:
    generator = ReplayGenerator().configured({"from": str(_file(tmp_path))})
    history: tuple[Attempt, ...] = ()
    for source in SOURCES:
        request = GenerationRequest(resolve("softmax"), "cpu", history=history)
        answer = generator.propose(request, lambda _: None)
        assert isinstance(answer, Proposal)
        assert answer.candidate.main.text == source
        assert answer.claimed is None
        number = len(history)
        text = answer.candidate.main.text
        found = Attempt(number=number, task="softmax", candidate=answer.candidate.id, source=text)
        history = (*history, found)
    request = GenerationRequest(resolve("softmax"), "cpu", history=history)
    assert isinstance(generator.propose(request, lambda _: None), NoCandidate)


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"task": "softmax"}\n')
    with pytest.raises(UsageError, match=r"run\.jsonl:1"):
        ReplayGenerator().configured({"from": str(path)})
    with pytest.raises(UsageError, match="from=FILE"):
        ReplayGenerator().configured({})
