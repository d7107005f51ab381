"""Rows as trainers read them."""

from __future__ import annotations

import pytest

from assay.data.scoring.pairs import TrainingPair
from assay.scores.pairs.pair_shapes import PairShape, shaped
from scores.pairs.test_pair_builder import WRONG, built, step, timed


@pytest.fixture
def correction() -> TrainingPair:
    (pair,) = built(step(WRONG, timed(1.0))).pairs
    return pair


def test_a_record_can_be_read_back(correction: TrainingPair) -> None:
    row = shaped(correction, PairShape.RECORDS)
    assert TrainingPair.model_validate(row, strict=False) == correction


def test_a_prompt_holds_the_task_the_source_and_what_was_found(correction: TrainingPair) -> None:
    row = shaped(correction, PairShape.SFT)
    (asked,), (answer,) = row["prompt"], row["completion"]
    assert row.keys() == {"pair", "prompt", "completion"}
    assert (asked["role"], answer["role"]) == ("user", "assistant")
    for text in ("class Model: ...", "t0", "incorrect", "Correct it."):
        assert text in asked["content"]
    assert "t1" in answer["content"] and "t1" not in asked["content"]


def test_a_preference_asks_for_the_task_alone(correction: TrainingPair) -> None:
    row = shaped(correction, PairShape.PREFERENCE)
    assert row.keys() == {"pair", "prompt", "chosen", "rejected"}
    assert "t0" not in row["prompt"][0]["content"]
    assert "t1" in row["chosen"][0]["content"] and "t0" in row["rejected"][0]["content"]


def test_a_faster_kernel_is_asked_for_with_the_time_before() -> None:
    (pair,) = built(step(timed(1.0), timed(2.0))).pairs
    text = shaped(pair, PairShape.SFT)["prompt"][0]["content"]
    assert "takes 100 us" in text and "Make it faster." in text


def test_a_fence_in_a_source_does_not_end_its_block(correction: TrainingPair) -> None:
    after = correction.after
    source = after.sources[0].model_copy(update={"text": "x = '```'"})
    side = after.model_copy(update={"sources": (source, source)})
    pair = correction.model_copy(update={"after": side})
    text = shaped(pair, PairShape.SFT)["completion"][0]["content"]
    assert text.count("````") == 4 and text.count("kernel.py") == 2
