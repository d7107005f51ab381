"""Eight kernels of 3 to 60 us on an H200, each with a task in KernelBench's form.

The rule: each is right on every shape that its task may be asked in, compiles once for most of
them, and differs from the others in size, in what binds it, or in how many kernels its reference
launches.
"""

from __future__ import annotations

from dataclasses import dataclass

_TASK = """
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, {names}):
        return {reference}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""

_CUDA = r"""
import torch
import torch.nn as nn

SOURCE = r'''
extern "C" __global__ void add_relu(const float* x, const float* y, float* z, int count) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const float sum = x[i] + y[i];
    z[i] = sum < 0.0f ? 0.0f : sum;
  }
}
'''
KERNEL = torch.cuda._compile_kernel(SOURCE, "add_relu")


class ModelNew(nn.Module):
    def forward(self, x, y):
        x, y = x.contiguous(), y.contiguous()
        z = torch.empty_like(x)
        count = x.numel()
        if count:
            blocks = min(4096, (count + 255) // 256)
            KERNEL(grid=(blocks, 1, 1), block=(256, 1, 1), args=[x, y, z, count])
        return z
"""

_FLAT = """
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def flat_kernel({pointers}, z_ptr, count, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    {loads}
    tl.store(z_ptr + i, {value}, mask=i < count)


class ModelNew(nn.Module):
    def forward(self, {names}):
        {contiguous}
        z = torch.empty_like(x)
        count = x.numel()
        if count:
            flat_kernel[(triton.cdiv(count, 2048),)]({names}, z, count, BLOCK=2048, num_warps=8)
        return z
"""

_ROWS = """
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_kernel(x_ptr, z_ptr, columns, BLOCK: tl.constexpr):
    x_ptr += tl.program_id(0).to(tl.int64) * columns
    z_ptr += tl.program_id(0).to(tl.int64) * columns
    {body}


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        z = torch.empty_like(x)
        if x.numel():
            rows, columns = x.numel() // x.shape[-1], x.shape[-1]
            row_kernel[(rows,)](x, z, columns, BLOCK=1024, num_warps=4)
        return z
"""

_SOFTMAX = """top = tl.full((BLOCK,), -float("inf"), tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        top = tl.maximum(top, tl.load(x_ptr + i, mask=i < columns, other=-float("inf")))
    most = tl.max(top, axis=0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.exp(tl.load(x_ptr + i, mask=i < columns, other=-float("inf")) - most)
    whole = tl.sum(total, axis=0)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < columns, other=-float("inf"))
        tl.store(z_ptr + i, tl.exp(x - most) / whole, mask=i < columns)"""

_RMSNORM = """squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < columns, other=0.0)
        squares += x * x
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / columns + 1e-6)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < columns, other=0.0)
        tl.store(z_ptr + i, x * scale, mask=i < columns)"""

_LAYERNORM = """total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + i, mask=i < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        apart = tl.where(i < columns, tl.load(x_ptr + i, mask=i < columns, other=0.0) - mean, 0.0)
        squares += apart * apart
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / columns + 1e-5)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < columns, other=0.0)
        tl.store(z_ptr + i, (x - mean) * scale, mask=i < columns)"""

_RMSNORM_REFERENCE = "x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)"
_GELU = "0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))"


@dataclass(frozen=True)
class RepeatedKernel:
    """A task and a candidate, as texts."""

    name: str
    task: str
    kernel: str


def _task(reference: str, rows: int, columns: int, names: str = "x") -> str:
    made = ", ".join(f"torch.randn({rows}, {columns})" for _ in names.split(", "))
    return _TASK.format(names=names, reference=reference, inputs=made)


def _flat(value: str, names: str = "x") -> str:
    parts = names.split(", ")
    loads = [f"{n} = tl.load({n}_ptr + i, mask=i < count, other=0.0)" for n in parts]
    return _FLAT.format(
        names=names,
        pointers=", ".join(f"{n}_ptr" for n in parts),
        loads="\n    ".join(loads),
        value=value,
        contiguous=f"{names} = {', '.join(f'{n}.contiguous()' for n in parts)}",
    )


def kernels() -> tuple[RepeatedKernel, ...]:
    """The shortest first."""
    softmax, norm = "torch.softmax(x, dim=-1)", "F.layer_norm(x, x.shape[-1:])"
    return (
        RepeatedKernel("add_relu_256", _task("F.relu(x + y)", 256, 1024, "x, y"), _CUDA),
        RepeatedKernel("softmax_128", _task(softmax, 128, 1024), _ROWS.format(body=_SOFTMAX)),
        RepeatedKernel("gelu_1024", _task("F.gelu(x)", 1024, 1024), _flat(_GELU)),
        RepeatedKernel("layernorm_2048", _task(norm, 2048, 1024), _ROWS.format(body=_LAYERNORM)),
        RepeatedKernel("softmax_4096", _task(softmax, 4096, 1024), _ROWS.format(body=_SOFTMAX)),
        RepeatedKernel(
            "rmsnorm_4096", _task(_RMSNORM_REFERENCE, 4096, 2048), _ROWS.format(body=_RMSNORM)
        ),
        RepeatedKernel(
            "swiglu_2048",
            _task("F.silu(x) * y", 2048, 4096, "x, y"),
            _flat("x * tl.sigmoid(x) * y", "x, y"),
        ),
        RepeatedKernel("gelu_4096", _task("F.gelu(x)", 4096, 4096), _flat(_GELU)),
    )
