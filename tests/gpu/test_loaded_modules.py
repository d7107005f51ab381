"""Machine code as the driver loads it: the same under another name and in another process."""

from __future__ import annotations

from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.sandbox.protocol.replies import ReplyCode
from assay.sandbox.protocol.requests import ListCode
from support.walls import Inside

SOURCE = '''
import torch
TEXT = r"""
extern "C" __global__ void NAME(const float* x, float* y, int count) {
  float held[16];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 16; ++j) held[j] = x[(i + 7 * j) % count];
  float sum = 0.0f;
  for (int j = 0; j < 16; ++j) sum += expf(held[j]) * erff(held[15 - j]) + sqrtf(fabsf(held[j]));
  if (i < count) y[i] = sum;
}
"""
KERNEL = torch.cuda._compile_kernel(TEXT, "NAME")
x = torch.ones(1024, device="cuda")
KERNEL(grid=(4, 1, 1), block=(256, 1, 1), args=[x, torch.empty_like(x), 1024])
torch.cuda.synchronize()
'''
PRODUCT = """
import torch
x = torch.ones(512, 512, device="cuda")
x @ x
torch.cuda.synchronize()
"""


def codes(wall: Wall, source: str) -> dict[str, str]:
    """Symbol by digest, of all that a new process loaded."""
    session = Session(wall)
    try:
        inside = Inside(session, session.process.scratch_path)
        assert inside.load(source, 60.0).code == ReplyCode.OK, session.statement()
        found: dict[str, str] = {}
        for page in range(64):
            reply = session.ask(ListCode(page), Deadline.after(30.0))
            assert reply.code == ReplyCode.OK, session.statement()
            pairs = [line.split("\t") for line in session.statement().splitlines()]
            if not pairs:
                return found
            found |= dict(pairs)
        return found
    finally:
        session.close()


def test_a_renamed_kernel_has_the_same_code(wall: Wall) -> None:
    first = codes(wall, SOURCE.replace("NAME", "vendors_kernel"))
    second = codes(wall, SOURCE.replace("NAME", "kernel_of_mine"))
    (code,) = (code for code, symbol in first.items() if symbol == "vendors_kernel")
    assert second[code] == "kernel_of_mine"


def test_two_processes_load_the_same_code_of_a_library(wall: Wall) -> None:
    first, second = codes(wall, PRODUCT), codes(wall, PRODUCT)
    assert first and first == second
