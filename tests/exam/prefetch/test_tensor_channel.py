"""Tensors from a forked process arrive as they were."""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass

import torch

from assay.exam.prefetch.tensor_channel import TensorChannel


@dataclass(frozen=True)
class Bundle:
    name: str
    tensors: tuple[torch.Tensor, ...]
    none: torch.Tensor | None = None


BUNDLE = Bundle(
    "mixed",
    (
        torch.arange(12, dtype=torch.float64).view(3, 4).t(),
        torch.ones(1, dtype=torch.bfloat16).expand(5),
        torch.tensor([True, False]),
        torch.empty(0, 3),
        torch.tensor(7),
        torch.tensor([1 + 2j, torch.nan]),
    ),
)


def test_what_was_posted_is_opened() -> None:
    channel = TensorChannel()
    fork = multiprocessing.get_context("fork")
    messages, outbox = fork.Pipe(duplex=False)
    letters = [BUNDLE, Bundle("second", (torch.full((1000,), 3.0),))]

    def post() -> None:
        for one in letters:
            outbox.send(channel.post(one))

    worker = fork.Process(target=post)
    worker.start()
    found = [channel.open(messages.recv()) for _ in letters]
    worker.join()
    for got, wanted in zip(found, letters, strict=True):
        assert got.name == wanted.name and got.none is None
        for one, other in zip(got.tensors, wanted.tensors, strict=True):
            assert one.dtype is other.dtype and one.shape == other.shape
            assert torch.allclose(one, other, rtol=0.0, atol=0.0, equal_nan=True)


def test_a_letter_outlives_its_mail() -> None:
    channel = TensorChannel()
    opened = channel.open(channel.post(torch.arange(4.0)))
    del channel
    assert opened.tolist() == [0.0, 1.0, 2.0, 3.0]
