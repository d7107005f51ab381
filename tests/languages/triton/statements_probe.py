"""Run in a process of its own with TRITON_INTERPRET=1: kernels in words the compiler takes.

Each writes 0, 1, ... into eight places. Prints, as JSON, which did and what the others raised.
"""

from __future__ import annotations

import json
import sys

import torch
import triton
import triton.language as other
import triton.language as tl
from triton.language.extra import libdevice

from assay.languages.triton.triton_interpreter import repair


@triton.jit
def mask_joined_by_and(out, n, B: tl.constexpr):
    i = tl.arange(0, 2 * B)
    tl.store(out + i, i, mask=i < n and i >= 0)


@triton.jit
def mask_joined_by_or(out, n, B: tl.constexpr):
    i = tl.arange(0, 2 * B)
    tl.store(out + i, i, mask=i < 4 or (i >= 4) & (i < n))


@triton.jit
def mask_negated(out, n, B: tl.constexpr):
    i = tl.arange(0, 2 * B)
    tl.store(out + i, i, mask=not (i >= n))


@triton.jit
def constants_and_tensors_joined(out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    if B > 4 and n == 8:
        tl.store(out + i, i)


@triton.jit
def assigned_constant_as_shape(out, n, B: tl.constexpr):
    half = B // 2
    i = tl.arange(0, half)
    tl.store(out + i, i + tl.zeros((half,), tl.int32))
    tl.store(out + half + i, half + tl.reshape(tl.reshape(i, (2, half // 2)), (half,)))


@triton.jit
def assigned_constant_as_tensor(out, n, B: tl.constexpr):
    start = 0
    while start < n:
        i = start.to(tl.int64) + tl.arange(0, 4)
        tl.store(out + i, i)
        start += 4


@triton.jit
def loop_variable_as_tensor(out, n, B: tl.constexpr):
    for start in range(0, n, 4):
        i = start.to(tl.int64) + tl.arange(0, 4)
        tl.store(out + i, i)


@triton.jit
def constexpr_in_quotes(out, n, B: "tl.constexpr"):  # noqa: UP037
    tl.store(out + tl.arange(0, B), tl.arange(0, B))


@triton.jit
def constexpr_of_another_name(out, n, B: other.constexpr):
    tl.store(out + tl.arange(0, B), tl.arange(0, B))


@triton.jit
def float_argument_as_tensor(out, n, B: tl.constexpr, scale=2.0):
    i = tl.arange(0, B)
    wide = i.to(tl.float16) * 4096.0 * scale * 4.0  # beyond float16 from the third place on
    tl.store(out + i, (wide / (16384.0 * scale.to(tl.float32))).to(tl.int32))


@triton.jit
def neutral_library(out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = i.to(tl.float32)
    square = libdevice.pow(x, 2.0)
    tl.store(out + i, libdevice.rint(libdevice.sqrt(square)).to(tl.int32))


@triton.jit
def library_of_cuda(out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.extra.cuda.libdevice.atanh(tl.extra.cuda.libdevice.tanh(i.to(tl.float32) / 8.0))
    tl.store(out + i, libdevice.round(x * 8.0).to(tl.int32))


KERNELS = [value for value in list(globals().values()) if hasattr(value, "run")]


def outcome(kernel) -> str:
    out = torch.full((24,), -1, dtype=torch.int32)
    try:
        kernel[(1,)](out[8:16], 8, B=8)
    except Exception as problem:
        return repr(problem)[:200]
    wanted = torch.full((24,), -1, dtype=torch.int32)
    wanted[8:16] = torch.arange(8, dtype=torch.int32)
    return "" if torch.equal(out, wanted) else f"got {out.tolist()}"


def target() -> str:
    try:
        return triton.runtime.driver.active.get_current_target().backend
    except RuntimeError as problem:
        return str(problem)


if __name__ == "__main__":
    if "--repair" in sys.argv:
        repair()
    result = {kernel.__name__: outcome(kernel) for kernel in KERNELS}
    print(json.dumps(result | {"target": target()}))
