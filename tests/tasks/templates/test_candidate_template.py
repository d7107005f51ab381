"""Templates of candidates: constructor, arguments, dtypes and shapes are those of the task."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from assay.data.task import Task
from assay.errors import UsageError
from assay.languages.candidate_file import load_candidate
from assay.tasks.catalog import resolve
from assay.tasks.references.reference import Reference
from assay.tasks.templates.candidate_call import CallTensor, CandidateCall, shape_text
from assay.tasks.templates.candidate_template import LANGUAGES, candidate_template

ASKED = ("linear_relu", "cross_entropy", "matmul.backward", "linear_w4a16", "adamw_steps")


def forward_of(text: str) -> list[str]:
    (made,) = [n for n in ast.parse(text).body if getattr(n, "name", "") == "ModelNew"]
    assert isinstance(made, ast.ClassDef)
    methods = {n.name: n for n in made.body if isinstance(n, ast.FunctionDef)}
    return [one.arg for one in methods["forward"].args.args]


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "python"])
@pytest.mark.parametrize("name", ASKED)
def test_it_is_a_candidate_of_that_language(name: str, language: str, tmp_path: Path) -> None:
    task = resolve(name)
    text = candidate_template(task, language)
    call = CandidateCall.of(task)
    assert forward_of(text) == ["self", *call.arguments]
    path = tmp_path / "kernel.py"
    path.write_text(text)
    assert load_candidate(path).language == language


@pytest.mark.parametrize("name", ["linear_relu", "cross_entropy"])
def test_the_cpp_template_builds_and_answers_in_the_right_shape(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    task = resolve(name)
    made, expected = answered(task, candidate_template(task, "cpp"))
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    assert not made.any()


@pytest.mark.parametrize("name", ASKED[:3])
def test_the_python_template_is_the_reference(name: str) -> None:
    task = resolve(name)
    made, expected = answered(task, candidate_template(task, "python"))
    assert torch.equal(made, expected)


def answered(task: Task, candidate: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The first output of a candidate and of the reference, with the same weights and inputs."""
    space: dict[str, object] = {"__name__": "kernel"}
    exec(compile(candidate, "kernel", "exec"), space)
    known: dict[str, object] = {"__name__": "task"}
    exec(compile(task.source, "task", "exec"), known)
    init, inputs = known["get_init_inputs"](), known["get_inputs"]()  # type: ignore[operator]
    torch.manual_seed(1)
    new = space["ModelNew"](*init)  # type: ignore[operator]
    torch.manual_seed(1)
    reference = known[task.entry](*init)  # type: ignore[operator]
    pair = [model(*inputs) for model in (new, reference)]
    first, second = (one[0] if isinstance(one, tuple) else one for one in pair)
    return first.detach(), second.detach()


def test_sizes_that_are_equal_by_chance_are_told_apart() -> None:
    task = resolve("linear_relu")
    assert Reference(task).own_axes["in_features"] == Reference(task).own_axes["out_features"]
    (output,) = CandidateCall.of(task).outputs
    assert output.shape == "(x.shape[0], self.fc.weight.shape[0])"


def test_a_shape_is_written_with_what_is_given() -> None:
    x = CallTensor("x", "x", "float32", (7, 11))
    assert shape_text((7, 11), [x]) == "x.shape"
    assert shape_text((7,), [x]) == "(x.shape[0],)"
    assert shape_text((11, 7, 3), [x]) == "(x.shape[1], x.shape[0], 3)"
    assert shape_text((), [x]) == "()"


def test_triton_has_no_complex_numbers() -> None:
    with pytest.raises(UsageError, match="complex"):
        candidate_template(resolve("cgemm"), "triton")
