"""Narrow headers: the part of torch's own headers that most CUDA sources of an extension need.

`torch/extension.h` and `torch/types.h` bring in all of torch's C++ interface, and nvcc reads it
three times. A source that holds kernels and a few lines of host code needs tensors, their methods,
streams, checks, dispatch macros and factories: torch's own headers for these, a fifth of the text.

The rule: a closed list. A source that names anything else of torch, or that could mean something
else where fewer overloads are declared, is compiled with the headers it asks for; so is one that
the compiler refuses with these. Types, methods and flags are torch's own either way. The factories
are those of `at`; those of `torch` differ from them only in an option that the list excludes.
"""

from __future__ import annotations

import re

_TYPES = """\
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>
#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/Exception.h>
namespace torch {
using namespace at;
using Dtype = at::ScalarType;
constexpr auto kUInt8 = at::kByte;
constexpr auto kInt8 = at::kChar;
constexpr auto kInt16 = at::kShort;
constexpr auto kInt32 = at::kInt;
constexpr auto kInt64 = at::kLong;
constexpr auto kFloat16 = at::kHalf;
constexpr auto kFloat32 = at::kFloat;
constexpr auto kFloat64 = at::kDouble;
}
"""
_EXTENSION = '#pragma once\n#include "types.h"\n'
_FILES = {"torch/types.h": _TYPES, "torch/extension.h": _EXTENSION}
_HEADERS = {
    *_FILES,
    "ATen/Dispatch.h",
    "ATen/cuda/CUDAContext.h",
    "ATen/cuda/Exceptions.h",
    "c10/cuda/CUDAException.h",
    "c10/cuda/CUDAGuard.h",
    "c10/cuda/CUDAStream.h",
    "c10/util/Exception.h",
    "c10/util/Half.h",
    "c10/util/BFloat16.h",
}
_NAMES = set(
    """Tensor Tensor::scalar_type TensorOptions IntArrayRef ScalarType Dtype Device DeviceGuard Half
    BFloat16 empty empty_like full full_like ones ones_like zeros zeros_like device dtype
    kByte kChar kShort kInt kLong kHalf kFloat kDouble kBool kBFloat16 kCUDA kCPU kUInt8 kInt8
    kInt16 kInt32 kInt64 kFloat16 kFloat32 kFloat64 ScalarType::Byte ScalarType::Char
    ScalarType::Short ScalarType::Int ScalarType::Long ScalarType::Half ScalarType::Float
    ScalarType::Double ScalarType::Bool ScalarType::BFloat16 MemoryFormat MemoryFormat::Contiguous
    cuda::getCurrentCUDAStream cuda::CUDAStream cuda::CUDAGuard cuda::OptionalCUDAGuard""".split()
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]", re.MULTILINE)
_OF_TORCH = ("torch/", "ATen/", "c10/", "pybind11/", "caffe2/", "THC/")
_QUALIFIED = re.compile(r"\b(?:::)?(?:torch|at|c10)\s*::\s*(\w+(?:\s*::\s*\w+)*)")
# Names without a namespace, definitions in one, Python, and the option in which factories differ.
_BEYOND = re.compile(
    r"""\busing\s+namespace\s+(?:torch|at|c10)\b|\bnamespace\s+(?:torch|at|c10|py)\b|\bpy\s*::
    |\bpybind11\b|\bPYBIND11_|\bTORCH_LIBRARY|\brequires_grad\b|\bPyObject\b|\bautograd\b
    |\bTORCH_(?!CHECK\b|CHECK_\w+\b|INTERNAL_ASSERT\b)\w+
    |^[ \t]*\#[ \t]*(?:undef|pragma[ \t]+push)""",
    re.VERBOSE | re.MULTILINE,
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def narrow_files(text: str) -> dict[str, str] | None:
    """The headers to be found first for a source, by path; None where it needs all of torch's."""
    code = _COMMENT.sub(" ", text)
    asked = [path for path in _INCLUDE.findall(code) if path.startswith(_OF_TORCH)]
    if not set(asked) & set(_FILES) or not set(asked) <= _HEADERS or _BEYOND.search(code):
        return None
    named = {re.sub(r"\s", "", name) for name in _QUALIFIED.findall(code)}
    return dict(_FILES) if named <= _NAMES else None
