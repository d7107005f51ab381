"""Baselines by name, by file, and the null candidate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from assay.devices.cpu_device import CpuBackend
from assay.errors import UsageError
from assay.numerics.expectation import OutputExpectation
from assay.tasks.catalog import resolve
from assay.timing.baseline import BaselineLost, baseline, null_candidate
from support.small_exam import TASK


def test_eager_is_the_reference_itself() -> None:
    found = baseline("eager", TASK)
    assert found.main.text == TASK.source and found.entry == TASK.entry


def test_compile_wraps_the_reference() -> None:
    found = baseline("compile", TASK)
    assert found.main.text.startswith(TASK.source)
    assert found.entry != TASK.entry and f"def {found.entry}" in found.main.text


@pytest.mark.parametrize("name", ["linear_relu.backward", "swiglu.backward"])
def test_of_gradients_the_forward_pass_is_compiled(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = []

    def compile_(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given: compiled.append(function) or function(*given)  # type: ignore[func-returns-value]

    monkeypatch.setattr(torch, "compile", compile_)
    found, scope = baseline("compile", resolve(name)), dict[str, Any]()
    exec(found.main.text, scope)
    init, inputs = scope["get_init_inputs"](), scope["get_inputs"]()
    model, reference = scope[found.entry](*init), scope["ModelBackward"](*init)
    model.load_state_dict(reference.state_dict())
    gradients = model(*inputs)
    assert compiled == [scope["Model"].forward]
    assert all(map(torch.equal, gradients, reference(*inputs)))


def test_compile_max_tunes_as_far_as_it_goes() -> None:
    assert 'mode="max-autotune-no-cudagraphs"' in baseline("compile-max", TASK).main.text


def test_vendor_is_the_librarys_own_call() -> None:
    assert baseline("vendor", resolve("layernorm")).entry == "Vendor"


def test_without_a_vendor_call_there_is_a_reason() -> None:
    with pytest.raises(BaselineLost, match="vendor: no vendor call is known for this task"):
        baseline("vendor", TASK)


def test_a_file_is_a_candidate(tmp_path: Path) -> None:
    path = tmp_path / "other.py"
    path.write_text("import torch\nclass ModelNew(torch.nn.Module): ...\n")
    assert baseline(str(path), TASK).main.text == path.read_text()


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"nonesuch.*eager, compile, compile-max, vendor"):
        baseline("nonesuch", TASK)


def test_the_null_candidate_has_the_right_form_and_no_work() -> None:
    reference = torch.zeros(3, 5, dtype=torch.bfloat16)
    expected = [
        OutputExpectation(name, (3, 5), torch.bfloat16, reference.double(), None, reference)
        for name in ("output 0", "output 1", "buffer:mean")
    ]
    scope: dict[str, type[torch.nn.Module]] = {}
    exec(null_candidate(tuple(expected), CpuBackend()).main.text, scope)
    outputs = scope["ModelNew"](1, key=2)(torch.ones(9))
    assert [(tuple(o.shape), o.dtype) for o in outputs] == [((3, 5), torch.bfloat16)] * 2
