"""The stream that answers are taken on stays the caller's, whatever a call leaves behind."""

from __future__ import annotations

import torch

from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import BatchOptions
from support.walls import Inside, planned, result

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
_ADDS_ONE = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x + 1
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


def test_a_held_result_is_read_again_as_it_is(inside: Inside) -> None:
    """Copying it out takes longer than the answer takes: the host must not read before."""
    inside.construct(_ADDS_ONE)
    given = torch.zeros(64 << 20)
    batch = inside.run([planned(given)], BatchOptions(held=True))
    assert torch.equal(result(batch), torch.ones_like(given))
    for _ in range(5):
        (again,) = inside.session.read_held(0, Deadline.after(10.0))
        (output,) = again.outputs
        assert output.tensor is not None and torch.equal(output.tensor, result(batch))
