"""Four native tasks in CUDA C++, compiled by load_inline with torch's headers."""

from __future__ import annotations

from collections.abc import Mapping

from throughput_sources.generated import Choices, Family, Generated, generated

_MODULE = '''"""$name."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

$kernel

torch::Tensor $name($parameters) {
  TORCH_CHECK($first.scalar_type() == torch::kFloat32, "float32 only");
  auto out = $out;
  auto stream = c10::cuda::getCurrentCUDAStream();
$launch
  return out;
}
"""
MODULE = load_inline(
    name="m_$name",
    cpp_sources="torch::Tensor $name($parameters);",
    cuda_sources=CUDA,
    functions=["$name"],
)


class ModelNew(nn.Module):
    def forward(self, $arguments):
        return MODULE.$name($contiguous)
'''
_FLAT_KERNEL = """__global__ void k_{name}({pointers}, float* out, long n) {{
  {loop} {{
    {value}
  }}
}}"""
_ROW_KERNEL = """__global__ void k_{name}(const float* x, float* out, long columns) {{
  __shared__ float part[{threads}];
  const float* row = x + blockIdx.x * columns;
{body}
}}"""
_REDUCE = """  part[threadIdx.x] = {value};
  for (int half = {threads} / 2; half > 0; half /= 2) {{
    __syncthreads();
    if (threadIdx.x < half) {{
      const float other = part[threadIdx.x + half];
      part[threadIdx.x] = {join};
    }}
  }}
  __syncthreads();
"""
_FLAT_LAUNCH = """  const long n = out.numel();
  if (n) k_{name}<<<{blocks}, {threads}, 0, stream>>>({data}, out.data_ptr<float>(), n);"""
_ROW_LAUNCH = """  if (x.numel())
    k_{name}<<<x.size(0), {threads}, 0, stream>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));"""


def _flat(choices: Choices, names: tuple[str, ...], value: str) -> Mapping[str, str]:
    threads, strided = choices.one(64, 128, 256, 512), choices.one(True, False) == "True"
    start = "blockIdx.x * (long)blockDim.x + threadIdx.x"
    loop = (
        f"for (long i = {start}; i < n; i += gridDim.x * (long)blockDim.x)"
        if strided
        else f"if (const long i = {start}; i < n)"
    )
    pointers = ", ".join(f"const float* {n}" for n in names)
    kernel = _FLAT_KERNEL.format(name=choices.name, pointers=pointers, loop=loop, value=value)
    blocks = f"std::min<long>((n + {threads} - 1) / {threads}, 4096)"
    blocks = blocks if strided else f"(n + {threads} - 1) / {threads}"
    data = ", ".join(f"{n}.data_ptr<float>()" for n in names)
    return {
        "kernel": kernel,
        "parameters": ", ".join(f"torch::Tensor {n}" for n in names),
        "first": names[0],
        "out": f"torch::empty_like({names[0]})",
        "launch": _FLAT_LAUNCH.format(name=choices.name, blocks=blocks, threads=threads, data=data),
        "arguments": ", ".join(names),
        "contiguous": ", ".join(f"{n}.contiguous()" for n in names),
    }


def _gelu(choices: Choices) -> Mapping[str, str]:
    value = choices.one(
        "out[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678118654752f));",
        "const float v = x[i]; out[i] = v * (0.5f * (1.0f + erff(v * 0.70710678118654752f)));",
    )
    return _flat(choices, ("x",), value)


def _swiglu(choices: Choices) -> Mapping[str, str]:
    value = choices.one(
        "out[i] = gate[i] / (1.0f + expf(-gate[i])) * up[i];",
        "const float g = gate[i]; out[i] = up[i] * (g / (expf(-g) + 1.0f));",
    )
    return _flat(choices, ("gate", "up"), value)


def _of_rows(threads: str, name: str, body: str, out: str) -> Mapping[str, str]:
    return {
        "kernel": _ROW_KERNEL.format(name=name, threads=threads, body=body),
        "parameters": "torch::Tensor x",
        "first": "x",
        "out": out,
        "launch": _ROW_LAUNCH.format(name=name, threads=threads),
        "arguments": "x",
        "contiguous": "x.contiguous()",
    }


def _loop(line: str) -> str:
    return f"  for (long i = threadIdx.x; i < columns; i += blockDim.x) {line}\n"


def _row_sum(choices: Choices) -> Mapping[str, str]:
    threads, label = choices.one(64, 128, 256, 512), choices.one("sum", "total", "acc")
    body = f"  float {label} = 0.0f;\n" + _loop(f"{label} += row[i];")
    body += _REDUCE.format(value=label, threads=threads, join="part[threadIdx.x] + other")
    body += "  if (threadIdx.x == 0) out[blockIdx.x] = part[0];"
    return _of_rows(threads, choices.name, body, "torch::empty({x.size(0)}, x.options())")


def _softmax(choices: Choices) -> Mapping[str, str]:
    threads, label = choices.one(64, 128, 256, 512), choices.one("top", "peak", "largest")
    body = f"  float {label} = -INFINITY;\n" + _loop(f"{label} = fmaxf({label}, row[i]);")
    body += _REDUCE.format(value=label, threads=threads, join="fmaxf(part[threadIdx.x], other)")
    body += f"  {label} = part[0];\n  __syncthreads();\n  float total = 0.0f;\n"
    body += _loop(f"total += expf(row[i] - {label});")
    body += _REDUCE.format(value="total", threads=threads, join="part[threadIdx.x] + other")
    body += "  float* to = out + blockIdx.x * columns;\n"
    body += _loop(f"to[i] = expf(row[i] - {label}) / part[0];")
    return _of_rows(threads, choices.name, body.rstrip("\n"), "torch::empty_like(x)")


FAMILIES = (
    Family("gelu", "gelu", _MODULE, _gelu),
    Family("swiglu", "swiglu", _MODULE, _swiglu),
    Family("row_sum", "row_sum", _MODULE, _row_sum),
    Family("softmax", "softmax", _MODULE, _softmax),
)


def cuda_sources(seed: int, count: int) -> list[Generated]:
    """So many CUDA candidates over the four tasks."""
    return generated(FAMILIES, seed, count, ".py")
