"""A function that returns an optimizer becomes the step that its script takes."""

from __future__ import annotations

import ast

import torch

from assay.tasks.readers.slices.call_slice import slice_of
from assay.tasks.readers.slices.function_source import function_source
from assay.tasks.readers.slices.optimizer_step import is_stepped, with_step
from tasks.readers.foreign_module import module_of

REFERENCE = (
    "import torch\ndef descent(params, lr=0.1):\n    return torch.optim.SGD(params, lr=lr)\n"
)
CALL = "def call_op(self, case):\n    made = descent(case, lr=0.5)\n    made.step()\n"


def _stepped(text: str) -> bool:
    (method,) = ast.parse(text).body
    assert isinstance(method, ast.FunctionDef)
    calls = [n for n in ast.walk(method) if isinstance(n, ast.Call)]
    call = next(n for n in calls if ast.unparse(n.func) == "descent")
    return is_stepped(method, call)


def test_only_a_call_whose_result_takes_a_step_counts() -> None:
    assert _stepped(CALL)
    assert not _stepped(CALL + "    return made\n")
    assert not _stepped(CALL.replace("made.step", "other.step"))


def test_parameters_and_gradients_are_inputs_and_the_parameters_the_answer() -> None:
    before = ast.parse("n = 6\np = torch.rand(n)\np.grad = torch.rand_like(p)").body
    call = ast.parse("descent([p], lr=0.5)", mode="eval").body
    assert isinstance(call, ast.Call)
    found = with_step(slice_of(before, call, ["params", "lr"], frozenset({"descent", "torch"})))
    module = module_of(function_source(REFERENCE, [], found))
    parameter, gradient = module.get_inputs()
    expected = parameter - 0.5 * gradient
    made = module.Model(*module.get_init_inputs())(parameter, gradient)
    assert made is parameter and torch.allclose(made, expected) and parameter.grad is None
