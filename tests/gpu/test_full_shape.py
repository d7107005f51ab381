"""A shape that the judge's memory does not hold is asked, judged by blocks and timed on the GPU."""

from __future__ import annotations

import pytest
import torch

from assay import evaluate
from assay.data.verdict import Outcome, OwnWorkload, Status, Verdict
from assay.devices.cuda_driver import CudaDriver
from assay.sandbox.host.arena import Edge
from assay.sandbox.host.device_arena import DeviceArena

TASK = """
import torch
from torch import nn

rows, columns = 8192, 16384


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
"""
KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    tl.store(y_ptr + offsets, tl.where(x < 0.0, 0.0, x), mask=inside)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            relu_kernel[(triton.cdiv(x.numel(), 4096),)](x, y, {count}, BLOCK=4096)
        return y
"""


def judged(tmp_path_factory: pytest.TempPathFactory, count: str, timing: bool) -> Verdict:
    file = tmp_path_factory.mktemp("task") / "large_relu.py"
    file.write_text(TASK)
    kernel = KERNEL.format(count=count)
    return evaluate(str(file), kernel, device="cuda", level="smoke", timing=timing)


def test_it_is_accepted_and_timed_there(tmp_path_factory: pytest.TempPathFactory) -> None:
    verdict = judged(tmp_path_factory, "x.numel()", timing=True)
    assert verdict.status is Status.ACCEPTED, verdict.reason
    assert verdict.own_workload is OwnWorkload.ASKED
    full = verdict.workloads[-1]
    assert full.axes == {"rows": 8192, "columns": 16384} and full.outcome is Outcome.OK
    assert verdict.timing and verdict.timing[0].candidate_us > 100.0
    assert verdict.limits is not None and verdict.limits.sol_fraction


def test_a_tail_that_is_left_out_there_alone_is_found(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    count = "x.numel() - 1 if x.numel() == 8192 * 16384 else x.numel()"
    verdict = judged(tmp_path_factory, count, timing=False)
    assert verdict.status is Status.INCORRECT, verdict.reason


def test_bytes_of_the_device_go_in_and_out(driver: CudaDriver) -> None:
    arena = DeviceArena(2, 1 << 20, driver)
    try:
        region = arena.place(4000, Edge.MIDDLE)
        given = torch.arange(1000, dtype=torch.float32, device="cuda").view(torch.uint8)
        arena.copy_in(region.offset, given)
        arena.settle()
        assert arena.copy_out(region.offset, 4000).equal(given)
        assert arena.read(region.offset, 4000).tobytes() == given.cpu().numpy().tobytes()
    finally:
        arena.close()
