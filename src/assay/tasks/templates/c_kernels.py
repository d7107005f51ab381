"""CKernels: the C++ and CUDA C++ text of a candidate's template, with typed pointers.

The rule: every input, parameter and output of the call is an argument of the kernel, under its own
name; the body writes zeros, which is wrong on purpose and compiles.
"""

from __future__ import annotations

from assay.tasks.templates.candidate_call import CallTensor, CandidateCall

_SHARED_TYPES = {
    "float32": "float",
    "float64": "double",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint8": "uint8_t",
    "bool": "bool",
}
_CPP_TYPES = _SHARED_TYPES | {"complex64": "std::complex<float>"}
_CUDA_TYPES = _SHARED_TYPES | {
    "float16": "__half",
    "bfloat16": "__nv_bfloat16",
    "complex64": "float2",
}
_CUDA_ZEROS = {
    "float16": "__float2half(0.0f)",
    "bfloat16": "__float2bfloat16(0.0f)",
    "complex64": "make_float2(0.0f, 0.0f)",
}
_BITS = {"float16": "uint16_t", "bfloat16": "uint16_t"}  # types that C++ has no name for

_CPP = """\
#include <complex>
#include <cstdint>
extern "C" void kernel({parameters}) {{
  // Replace the body: it writes zeros.
{loops}
}}
"""
_CUDA = """\
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void device_kernel({parameters}) {{
  // Replace the body: it writes zeros.
  const int64_t first = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int64_t step = gridDim.x * (int64_t)blockDim.x;
{loops}
}}

int kernel({addresses}, std::uintptr_t stream) {{
  device_kernel<<<1024, 256, 0, reinterpret_cast<cudaStream_t>(stream)>>>({casts});
  return static_cast<int>(cudaGetLastError());
}}
"""
_BINDING = """\
#include <cstdint>
#include <pybind11/pybind11.h>

int kernel({addresses}, std::uintptr_t stream);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ m.def("kernel", &kernel); }}
"""


def cpp_text(call: CandidateCall) -> str:
    """A function for ctypes: pointers, then how many elements each output has."""
    loops = [
        f"  for (int64_t i = 0; i < n_{one.name}; ++i) {one.name}[i] = {{}};"
        for one in call.outputs
    ]
    return _CPP.format(parameters=_parameters(call, _CPP_TYPES), loops="\n".join(loops))


def cuda_text(call: CandidateCall) -> str:
    """The kernel, and the function that launches it."""
    loops = [
        f"  for (int64_t i = first; i < n_{one.name}; i += step) "
        f"{one.name}[i] = {_CUDA_ZEROS.get(one.dtype, '0')};"
        for one in call.outputs
    ]
    pointers = [(_type(t.dtype, _CUDA_TYPES), t.name, "const ") for t in _read(call)]
    pointers += [(_type(o.dtype, _CUDA_TYPES), o.name, "") for o in call.outputs]
    casts = [f"reinterpret_cast<{const}{kind}*>({name})" for kind, name, const in pointers]
    casts += [f"n_{one.name}" for one in call.outputs]
    return _CUDA.format(
        parameters=_parameters(call, _CUDA_TYPES),
        loops="\n".join(loops),
        addresses=_addresses(call),
        casts=", ".join(casts),
    )


def binding_text(call: CandidateCall) -> str:
    """What makes the launching function callable from Python: addresses go in as numbers."""
    return _BINDING.format(addresses=_addresses(call))


def _read(call: CandidateCall) -> list[CallTensor]:
    return [*call.given, *call.state]


def _parameters(call: CandidateCall, types: dict[str, str]) -> str:
    read = [f"const {_type(one.dtype, types)}* {one.name}" for one in _read(call)]
    written = [f"{_type(one.dtype, types)}* {one.name}" for one in call.outputs]
    return ", ".join([*read, *written, *(f"int64_t n_{one.name}" for one in call.outputs)])


def _addresses(call: CandidateCall) -> str:
    names = [*(one.name for one in _read(call)), *(one.name for one in call.outputs)]
    counts = [f"int64_t n_{one.name}" for one in call.outputs]
    return ", ".join([*(f"std::uintptr_t {name}" for name in names), *counts])


def _type(dtype: str, types: dict[str, str]) -> str:
    return types.get(dtype) or _BITS.get(dtype, "uint8_t")
