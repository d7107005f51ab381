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

from comparison_candidates import BY_HAND, ROOT, TASKS, Missing, check_generators, line_of, made
from comparison_page import page

from assay.errors import UsageError

RECORD = ROOT / "benchmarks/results/comparison_cpu.json"
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


def test_the_page_is_written_from_the_record() -> None:
    assert (ROOT / "docs/comparison.md").read_text(encoding="utf-8") == page(record())


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


def test_candidates_are_lines_with_their_generator() -> None:
    found = [one for one in made(["eager", "hand"], ["swiglu"]) if not isinstance(one, Missing)]
    lines = [json.loads(line_of(task, candidate, 0)) for task, candidate in found]
    assert [one["generator"] for one in lines] == ["eager", "hand"]
    assert [one["name"] for one in lines] == ["swiglu/eager", "swiglu/hand/openmp_expf"]
    assert "seconds" in lines[0] and "seconds" not in lines[1]


@pytest.mark.parametrize(
    ("names", "device", "said"),
    [
        (["inductor-triton"], "cuda", "not written yet"),
        (["inductor-cpp"], "cuda", "C\\+\\+ for a CPU"),
        (["oracle"], "cpu", "unknown generator"),
    ],
)
def test_a_generator_that_has_nothing_for_the_device_is_refused(
    names: list[str], device: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        check_generators(names, device)
