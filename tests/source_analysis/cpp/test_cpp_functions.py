from __future__ import annotations

import pytest

from assay.source_analysis.cpp.cpp_functions import parse_cpp
from assay.source_analysis.cpp.cpp_tokens import looks_like_cpp, tokenize
from assay.source_analysis.interpreter.tags import Guard, Weight

SOURCE = """
#include <torch/extension.h>
namespace mine {
static float helper(float v) { return v * 2; }
at::Tensor unused(at::Tensor a) { return at::matmul(a, a); }
}  // namespace
extern "C" {
void scale(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = mine::helper(x[i]);
}
}
torch::Tensor go(torch::Tensor x) {
  if (!x.is_cuda()) return at::gelu(x);
  if (x.size(0) == 3) { x = torch::relu(x); }
  auto y = torch::empty_like(x);
  cublasCreate(&h); cublasSgemm(h, x, y);
  return y.matmul(x);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("go", &go); }
"""


def test_comments_strings_and_directives_are_no_code() -> None:
    words = [t.text for t in tokenize('#include <a>\n// b\n/* c\n */ d("e // f") R"(g\n)" h')]
    assert words == ["d", "(", '"e // f"', ")", 'R"(g\n)"', "h"]
    assert [t.line for t in tokenize("a\n\nb /* \n */ c")] == [1, 3, 4]


def test_functions_are_found_with_what_they_call() -> None:
    unit = parse_cpp(SOURCE)
    assert [f.name for f in unit.functions] == [
        "helper",
        "unused",
        "scale",
        "go",
        "PYBIND11_MODULE",
    ]
    go = next(f for f in unit.functions if f.name == "go")
    assert [(c.name, c.weight, c.guard) for c in go.library] == [
        ("at::gelu", Weight.HEAVY, Guard.BENIGN),
        ("torch::relu", Weight.HEAVY, Guard.CONDITION),
        ("cublasSgemm", Weight.HEAVY, Guard.NONE),
        ("Tensor.matmul", Weight.HEAVY, Guard.NONE),
    ]
    assert not go.works


def test_only_reached_functions_count() -> None:
    unit = parse_cpp(SOURCE)
    assert {f.name for f in unit.reached(frozenset(("scale",)))} == {"scale", "helper"}
    assert {f.name for f in unit.reached(frozenset(("PYBIND11_MODULE",)))} == {
        "PYBIND11_MODULE",
        "go",
    }


def test_a_cuda_launch_is_work() -> None:
    unit = parse_cpp(
        "__global__ void k(float* p) { p[0] = 1; }\nvoid go(float* p) { k<<<1, 1>>>(p); }"
    )
    assert [f.works for f in unit.functions] == [True, True]


def test_prose_is_not_cpp() -> None:
    assert not looks_like_cpp("This module (see above) replaces torch.nn.Linear.")
    assert looks_like_cpp('extern "C" void f() {}')


@pytest.mark.parametrize(
    ("text", "is_code"),
    [
        ("void half(const float* x, float* y, long n) {\n  y[0] = x[0] / 2;\n}", True),
        ("static inline float\ntwice(float v)\n{ return 2 * v; }", True),
        ("\nint64_t *first(int64_t *x, int n) {{ return x + {start}; }}", True),
        ("float two(float v) { return v; }\n__kernel void k(__global float* x) {}", False),
        ("void half(float* x) halves x[0] (in place); int is no type of it {see below}.", False),
        ("def half(x: float) -> float: return {x / 2}", False),
    ],
)
def test_plain_c_without_a_header_is_code(text: str, is_code: bool) -> None:
    assert looks_like_cpp(text) is is_code
