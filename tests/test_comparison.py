"""The comparison's record, page and candidates."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from comparison_candidates import (
    BY_HAND,
    ROOT,
    TASKS,
    check_generators,
    gpu_tasks,
    hand_written,
    line_of,
    made,
)
from comparison_page import page

from assay.errors import UsageError
from assay.tasks.catalog import resolve

RECORD = ROOT / "benchmarks/results/comparison_cpu.json"
GPU_RECORD = ROOT / "benchmarks/results/comparison_h200.json"
# Scores that are shares: whatever was judged, they lie between 0 and 1.
SHARES = (
    "accuracy accepted dishonest suspicious not_judged coverage_of_accepted call_accuracy "
    "execution_accuracy correct_per_compile fast_p right_not_accepted portability"
).split()


def record() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from numbers(one)
    elif isinstance(value, float):
        yield value


def on_a_gpu(found: dict[str, Any]) -> dict[str, Any]:
    """The record as if a GPU had made it, and time had run out."""
    return {**found, "date": "2026-01-02", "level": "quick", "not_reached": ["sorting"]}


def test_the_page_is_written_from_the_records() -> None:
    gpu = [json.loads(GPU_RECORD.read_text(encoding="utf-8"))] if GPU_RECORD.exists() else []
    assert (ROOT / "docs/comparison.md").read_text(encoding="utf-8") == page(record(), *gpu)


def test_a_second_record_is_a_section_of_its_own() -> None:
    alone, both = page(record()), page(record(), on_a_gpu(record()))
    assert "## On a GPU" not in alone and "No record of a GPU" in alone
    assert "No record of a GPU" not in both and "Not reached in the time: 1 tasks (sorting)" in both
    assert both.count("\n### Verdicts\n") == both.count("\n## Verdicts\n") == 1


def test_sentences_follow_the_verdicts() -> None:
    found = record()
    for one in found["kernel_verdicts"]:
        if one["candidate"] == "swiglu/inductor-cpp":
            one["status"] = "suspicious"
    assert "suspicious: `swiglu`" in page(found)
    assert "suspicious: `swiglu`" not in page(record())


def test_a_candidate_that_is_accepted_since_is_told() -> None:
    found = record()
    name = found["verdicts"][0]["candidate"]
    found["verdicts"][0]["status"] = "incorrect"
    for status, told in (("accepted", True), ("dishonest", False)):
        for one in found["kernel_verdicts"]:
            one["status"] = status if one["candidate"] == name else one["status"]
        lines = [line for line in page(found).splitlines() if "accepted when judged again" in line]
        assert any(f"`{name}`" in line for line in lines) is told


def test_every_candidate_has_a_verdict_on_both_tracks() -> None:
    found = record()
    names = sorted(one["name"] for one in found["candidates"])
    for key in ("verdicts", "kernel_verdicts"):
        assert sorted(one["candidate"] for one in found[key]) == names


def test_scores_are_finite_within_their_range_or_have_a_reason() -> None:
    found = record()
    assert all(map(math.isfinite, numbers(found)))
    for sheet in found["sheets"]:
        for score in sheet["scores"]:
            if score["value"] is None:
                assert score["reason"], score["name"]
                continue
            assert not score["reason"], score["name"]
            if score["low"] is not None and score["high"] is not None:
                assert score["low"] <= score["value"] <= score["high"], score["name"]
            if score["name"].rpartition(".")[2] in SHARES:
                assert 0 <= score["value"] <= 1, score["name"]


def test_kernels_by_hand_are_there() -> None:
    assert set(BY_HAND) == set(TASKS)
    assert all((ROOT / path).is_file() for paths in BY_HAND.values() for path in paths)


def test_a_gpu_has_triton_by_hand_and_categories_in_turn() -> None:
    by_hand = hand_written("cuda")
    assert {"softmax", "gelu", "rmsnorm", "matmul", "layernorm"} <= set(by_hand)
    assert all(path.is_file() for paths in by_hand.values() for path in paths)
    chosen = gpu_tasks(len(by_hand) + 6)
    assert set(chosen[: len(by_hand)]) == set(by_hand)
    others = [resolve(name) for name in chosen[len(by_hand) :]]
    assert len({tag for one in others for tag in one.tags if tag.startswith("category:")}) == 6


def test_candidates_are_lines_with_their_generator() -> None:
    task = resolve("swiglu")
    found = [one for name in ("eager", "hand") for one in made(task, name, "cpu")]
    lines = [json.loads(line_of(*one, 0)) for one in found if isinstance(one, tuple)]
    assert [one["generator"] for one in lines] == ["eager", "hand"]
    assert [one["name"] for one in lines] == ["swiglu/eager", "swiglu/hand/openmp_expf"]
    assert "seconds" in lines[0] and "seconds" not in lines[1]


@pytest.mark.parametrize(
    ("names", "device", "said"),
    [
        (["inductor-triton"], "cpu", "needs a GPU"),
        (["inductor-cpp"], "cuda", "C\\+\\+ for a CPU"),
        (["oracle"], "cpu", "unknown generator"),
    ],
)
def test_a_generator_that_has_nothing_for_the_device_is_refused(
    names: list[str], device: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        check_generators(names, device)
