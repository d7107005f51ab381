"""The stream that answers are taken on stays the caller's, whatever a call leaves behind."""

from __future__ import annotations

import torch

from assay.sandbox.host.deadline import Deadline
from support.walls import Inside, result

_LEAVES_ANOTHER = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()
        torch.zeros(1, device="cuda") + 1  # a kernel that is loaded later waits for the sleep
    def forward(self, x):
        self.side.wait_stream(torch.cuda.current_stream())
        torch.cuda.set_stream(self.side)
        torch.cuda._sleep(200_000_000)
        return x + 1
"""
_JOINS = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()
    def forward(self, x):
        here = torch.cuda.current_stream()
        self.side.wait_stream(here)
        with torch.cuda.stream(self.side):
            torch.cuda._sleep(20_000_000)
            y = x + 1
        y.record_stream(here)
        here.wait_stream(self.side)
        return y
"""
_CURRENT = "torch.cuda.current_stream"


def changed(inside: Inside) -> list[str]:
    """Names that the survey holds against the candidate."""
    return [line.partition("\t")[0] for line in inside.session.survey(Deadline.after(10.0))]


def test_work_on_a_stream_that_was_left_current_comes_too_late(inside: Inside) -> None:
    inside.construct(_LEAVES_ANOTHER)
    answer = result(inside.one(torch.zeros(1000)))
    assert not torch.equal(answer, torch.ones(1000))
    assert _CURRENT in changed(inside)


def test_work_on_a_stream_that_is_joined_arrives(inside: Inside) -> None:
    inside.construct(_JOINS)
    assert torch.equal(result(inside.one(torch.zeros(1000))), torch.ones(1000))
    assert _CURRENT not in changed(inside)
