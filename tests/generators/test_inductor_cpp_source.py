"""The C++ of torch.compile as a candidate: what Inductor answered is made up, or real."""

from __future__ import annotations

import ast

import pytest

from assay.data.candidate import Candidate
from assay.generators.candidate_source import NoCandidate
from assay.generators.inductor_cpp_source import InductorCppSource, candidate_text
from assay.generators.inductor_process import CompiledReference
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.catalog import resolve

MODULE = '''
cpp_fused_sum_0 = async_compile.cpp_pybinding(['const float*', 'float*', 'const int64_t'], r"""
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0, const int64_t ks0) {}
""")
def call(args):
    arg0_1, arg1_1, arg2_1 = args
    s0 = arg0_1
    buf0 = empty_strided_cpu((s0, ), (1, ), torch.float32)
    cpp_fused_sum_0(arg1_1, buf0, s0)
    return (buf0, )
'''


def answer(module: str = MODULE, **changes: object) -> CompiledReference:
    fields: dict[str, object] = {
        "module": module,
        "arguments": ("L['x'].size()[0]", "L['x']", "L['self']._modules['fc']._parameters['bias']"),
        "tensors": ("", "torch.float32", "torch.float32"),
        "conditions": ("s0 >= 2",),
        "sizes": (("s0", "L['x'].size()[0]"),),
        "flags": ("-O3",),
        "returns_tuple": False,
        "updates_inputs": False,
    }
    return CompiledReference(**{**fields, **changes})  # type: ignore[arg-type]


def test_the_candidate_is_text_that_needs_no_compiler_of_torchs() -> None:
    text = candidate_text(resolve("linear_relu"), answer())
    ast.parse(text)
    assert candidate_of_text(text).language == "cpp"
    assert "inductor_process" not in text and "torch.compile(" not in text
    assert "call([x.size()[0], x.contiguous(), self.fc.bias.detach()])" in text
    assert "return outputs[0]" in text
    assert "s0 = x.size()[0]\n        if not s0 >= 2:" in text
    assert "require_input(x, torch.float32)" in text


def test_inputs_that_are_written_to_are_not_copied() -> None:
    text = candidate_text(resolve("linear_relu"), answer(updates_inputs=True))
    assert ".contiguous()" not in text


def test_a_task_that_is_a_library_call_has_no_candidate() -> None:
    module = "def call(args):\n    a, b = args\n    return (extern_kernels.mm(a, b), )\n"
    with pytest.raises(ValueError, match="no kernel for this task: it calls mm"):
        candidate_text(resolve("matmul"), answer(module))


def test_guards_about_unknown_sizes_are_a_reason() -> None:
    with pytest.raises(ValueError, match="guards name s7"):
        candidate_text(resolve("linear_relu"), answer(conditions=("s7 >= 2",)))


def test_an_argument_from_elsewhere_is_a_reason() -> None:
    odd = ("G['table'][0].x", "L['x']", "L['x']")
    with pytest.raises(ValueError, match="comes from G"):
        candidate_text(resolve("linear_relu"), answer(arguments=odd))


@pytest.mark.exhaustive
def test_a_reference_that_fails_is_a_reason() -> None:
    task = resolve("softmax").model_copy(update={"source": "raise RuntimeError('not today')"})
    found = InductorCppSource().candidate(task)
    assert isinstance(found, NoCandidate)
    assert "not today" in found.reason


@pytest.mark.exhaustive
def test_torch_compile_writes_a_candidate_of_softmax() -> None:
    found = InductorCppSource().candidate(resolve("softmax"))
    assert isinstance(found, Candidate), found
    assert "cpp_fused" in found.main.text
    assert found.provenance.seconds is not None and found.provenance.seconds > 0
