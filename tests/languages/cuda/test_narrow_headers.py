"""Which CUDA sources are compiled with the part of torch's headers that they need."""

from __future__ import annotations

import pytest

from assay.languages.cuda.narrow_headers import narrow_files

KERNEL = """
#include <torch/types.h>
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <c10/cuda/CUDAStream.h>
__global__ void twice(const float* x, float* y, long n) {}
torch::Tensor call(torch::Tensor x) {
  TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
  auto y = torch::empty_like(x.contiguous());
  const auto stream = c10::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "call", [&] {
    twice<<<1, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  });
  return y;
}
"""


def test_kernels_with_a_little_host_code_need_little() -> None:
    files = narrow_files(KERNEL)
    assert files is not None and set(files) == {"torch/types.h", "torch/extension.h"}
    assert narrow_files(KERNEL + "// torch::nn::Linear in a comment") is not None


@pytest.mark.parametrize(
    "more",
    [
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}",
        "torch::nn::Linear layer(3, 4);",
        "auto z = torch::softmax(x, -1);",
        "at::Tensor f(at::Tensor x) { return at::matmul(x, x); }",
        "using namespace torch;",
        "namespace at { int f(); }",
        "auto o = torch::TensorOptions().requires_grad(true);",
        "TORCH_LIBRARY(it, m) {}",
        "#include <ATen/ATen.h>",
        "#include <torch/all.h>",
        "#undef TORCH_CHECK",
        "int f(py::object x);",
    ],
)
def test_what_else_of_torch_is_named_needs_all(more: str) -> None:
    assert narrow_files(KERNEL + more) is None


def test_a_source_without_torch_needs_nothing_of_ours() -> None:
    assert narrow_files("#include <cuda_runtime.h>\n__global__ void f() {}") is None
