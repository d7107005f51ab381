"""The wall on a device: the layers that hold on a CPU hold here, and the device is reached."""

from __future__ import annotations

import os
from pathlib import Path

import torch

import assay
from support.walls import ROADS, Inside


def test_the_layers_hold(inside: Inside) -> None:
    layers = " ".join(inside.session.layers)
    assert "seccomp" in layers
    assert ROADS[0].removesuffix("s") in layers
    assert "freezer" in layers


def test_the_device_is_reached_and_what_is_hidden_stays_hidden(inside: Inside) -> None:
    hidden = str(Path(assay.__file__).parent)
    found = inside.tell(f"""
        import torch
        total = float(torch.ones(1000, device="cuda").sum())
        def seen(path):
            try:
                return sorted(os.listdir(path))
            except OSError:
                return []
        processes = [name for name in os.listdir("/proc") if name.isdigit()]
        answer = [total, seen({hidden!r}), {os.getpid()} in map(int, processes), seen("/root/.ssh")]
    """)
    assert found[0] == 1000.0
    assert found[1] == [] and found[3] == []
    assert ROADS[0] != "namespaces" or not found[2]


def test_inputs_arrive_on_the_device_and_answers_come_back(inside: Inside) -> None:
    inside.construct("""
        import torch
        class ModelNew(torch.nn.Module):
            def forward(self, x):
                assert x.is_cuda
                return x + 1
    """)
    answer = inside.one(torch.arange(12.0).reshape(3, 4)).calls[0].outputs[0].tensor
    assert answer is not None and torch.equal(answer, torch.arange(12.0).reshape(3, 4) + 1)
