"""The driver's records name what ran, whoever launched it."""

from __future__ import annotations

import torch

from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import SPOTS, Spot
from assay.sandbox.protocol.replies import MARKED, UNRECORDED, ReplyCode
from support.walls import Inside, planned

_OWN_AND_LIBRARY = '''
import torch
SOURCE = r"""
extern "C" __global__ void double_each(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 2.0f * x[i];
}
"""
KERNEL = torch.cuda._compile_kernel(SOURCE, "double_each")
class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        KERNEL(grid=(16, 1, 1), block=(256, 1, 1), args=[x, y, x.numel()])
        return torch.sigmoid(y)
'''


def test_own_and_library_kernels_are_named_with_their_launches(inside: Inside) -> None:
    inside.construct(_OWN_AND_LIBRARY)
    inside.one(torch.ones(64, 64), Spot("warm-up"))
    calls = [planned(torch.ones(64, 64), spot) for spot in SPOTS[2:]]
    reply = inside.session.trace(calls, Deadline.after(60.0))
    told = inside.session.statement()
    assert reply.code == ReplyCode.OK, told
    fields = {line.split("\t")[0]: line.split("\t")[1:] for line in told.splitlines()}
    assert MARKED in fields and not any("nextafter" in name for name in fields)
    own = fields.pop("double_each")
    assert own[0] == "3" and own[-3:-1] == ["16x1x1", "256x1x1"]  # and the digests last
    (library,) = (name for name in fields if "sigmoid" in name)
    assert fields[library][0] == "3"


_NO_KERNEL = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
"""


def test_a_record_without_kernels_still_holds_the_runners_own(inside: Inside) -> None:
    inside.construct(_NO_KERNEL)
    calls = [planned(torch.ones(64, 64), spot) for spot in SPOTS[2:]]
    for _ in range(3):
        assert inside.session.trace(calls, Deadline.after(60.0)).code == ReplyCode.OK
        assert inside.session.statement().splitlines() == [MARKED]


_HIDES = """
import ctypes
import torch
RECORDER = ctypes.CDLL(f"libcupti.so.{torch.version.cuda.split('.')[0]}")
class ModelNew(torch.nn.Module):
    def forward(self, x):
        RECORDER.cuptiActivityDisable(10)
        y = torch.sigmoid(x)
        RECORDER.cuptiActivityEnable(10)
        return y
"""


def test_a_launch_that_was_hidden_from_the_recorder_is_counted(inside: Inside) -> None:
    inside.construct(_HIDES)
    inside.one(torch.ones(64, 64), Spot("warm-up"))
    calls = [planned(torch.ones(64, 64), spot) for spot in SPOTS[2:]]
    assert inside.session.trace(calls, Deadline.after(60.0)).code == ReplyCode.OK
    assert inside.session.statement().splitlines() == [MARKED, f"{UNRECORDED}\t3"]


_SHUTS_DOWN = """
import ctypes
import torch
torch.ones(1, device="cuda") + 1
torch.cuda.synchronize()
ctypes.CDLL(f"libcupti.so.{torch.version.cuda.split('.')[0]}").cuptiFinalize()
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.sigmoid(x)
"""


def test_a_recorder_that_was_shut_down_is_found_out(inside: Inside) -> None:
    inside.construct(_SHUTS_DOWN)
    calls = [planned(torch.ones(64, 64), spot) for spot in SPOTS[2:]]
    assert inside.session.trace(calls, Deadline.after(60.0)).code != ReplyCode.OK
    assert "CUPTI" in inside.session.statement()
