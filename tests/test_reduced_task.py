"""Reduced sizes of whole models: what is tried, and what is kept."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from reduced_task import (
    HEAVIEST,
    OutOfTime,
    answers,
    image_sides,
    reduced,
    time_limit,
    weight,
    with_numbers,
    with_sizes,
)

from assay.data.task import Task

MODEL = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        {layers}

    def forward(self, x):
        return {result}


rows = 64
width = {width}
side = 64


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return [width]
"""
IMAGES = "torch.rand(rows, 3, side, side)"


def task(layers: str, result: str, inputs: str = IMAGES, width: int = 2048) -> Task:
    source = MODEL.format(layers=layers, result=result, inputs=inputs, width=width)
    return Task(id="model", title="", format="kernelbench", source=source)


def test_literals_of_layers_are_divided_where_axes_do_not_reach_them() -> None:
    layers = "self.layers = nn.Sequential(nn.Conv2d(3, 512, 3), nn.Conv2d(512, 512, 3))"
    found = reduced(task(layers, "self.layers(x)"))
    assert "widths divided by 16" in found.words
    assert answers(found.task) and weight(found.task).excess <= 1


def test_a_side_that_a_flattened_layer_needs_stays() -> None:
    layers = "self.conv = nn.Conv2d(3, 16, 3, 4, 1); self.line = nn.Linear(16 * 16 * 16, 1024)"
    found = reduced(task(layers, "self.line(self.conv(x).flatten(1))"))
    assert image_sides(found.task) == {64}
    assert answers(found.task)


def test_a_light_task_keeps_its_text() -> None:
    plain = task("pass", "x * 2", "torch.rand(8, 4)")
    found = reduced(plain)
    assert found.task.source == plain.source and found.words == ()


def test_what_does_not_run_is_the_heaviest() -> None:
    assert weight(task("pass", "x @ x")) != HEAVIEST
    assert weight(task("pass", "x @ torch.rand(7, 7)")) == HEAVIEST


def test_what_derives_from_a_size_follows_it() -> None:
    text = "shape = (4, 3, 224)\nwide = tall = 64\nhalf = wide // 2\n"
    assert with_sizes(text, {"shape[2]": 28}) == text.replace("224", "28")
    assert with_sizes(text, {"wide": 8, "tall": 8}) == text.replace("64", "8")


def test_how_many_layers_there_are_is_no_width() -> None:
    halves = with_numbers("widths = [1024] * 16\n", lambda n: n // 2 if n > 8 else None)
    assert halves == "widths = [512] * 16\n"


def test_the_limit_counts_processor_time_and_ends_a_loop() -> None:
    with time_limit(0.05):
        time.sleep(0.2)  # waiting is no work
    with pytest.raises(OutOfTime), time_limit(0.05):
        while True:
            pass
