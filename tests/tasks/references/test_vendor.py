"""The library's own calls: which tasks name one, for gradients too, and that each is right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from _pytest.mark import ParameterSet

from assay.data.settings import Level, Settings, Track
from assay.data.task import Task
from assay.data.verdict import Correct, Honest
from assay.pipeline import evaluate
from assay.tasks.catalog import resolve
from assay.tasks.readers.native_suite import native_ids
from assay.tasks.references.vendor import vendor_of
from assay.timing.baseline import baseline

NOT_ON_A_CPU = {"gelu"}
UNKNOWN = {"adamw_steps", "linear_w4a16", "sgd_in_place", "swiglu"}
SETTINGS = Settings(level=Level.QUICK, track=Track.OPEN, timing=False)
ALREADY = "Vendor = Model"
ALWAYS = {"qr"}  # the others of `test_each_is_right` take minutes


def _marked(name: str) -> ParameterSet:
    return pytest.param(name, marks=() if name in ALWAYS else pytest.mark.exhaustive)


def _other_than_the_reference() -> Iterator[str]:
    for name in native_ids():
        if name not in UNKNOWN | NOT_ON_A_CPU and ALREADY not in resolve(name).source:
            yield name


def test_native_tasks_name_one_where_the_library_has_it() -> None:
    assert {name for name in native_ids() if vendor_of(resolve(name)) is None} == UNKNOWN


@pytest.mark.parametrize("line", ["Vendor = 3", "class Vendor: ...", "class Vendors(Model): ..."])
def test_only_a_model_is_one(line: str) -> None:
    task = Task(id="t", format="kernelbench", source=f"class Model: ...\n{line}\n")
    assert vendor_of(task) is None


@pytest.mark.parametrize("name", ["layernorm", "softmax"])
def test_gradients_go_through_the_same_call(name: str) -> None:
    task = resolve(f"{name}.backward")
    scopes: list[dict[str, type[torch.nn.Module]]] = [{}, {}]
    found = vendor_of(task)
    assert found is not None
    exec(task.source, scopes[0])
    exec(found[0], scopes[1])
    x, gradient = torch.randn(4, 8), torch.randn(4, 8)
    init = (8,) if name == "layernorm" else ()
    wanted, made = (
        scope[entry](*init)(x, gradient)
        for scope, entry in zip(scopes, (task.entry, found[1]), strict=True)
    )
    assert len(wanted) == len(made)
    for one, other in zip(wanted, made, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_one_that_is_not_right_on_a_cpu_says_so() -> None:
    scope: dict[str, type[torch.nn.Module]] = {}
    exec(resolve("gelu").source, scope)
    with pytest.raises(NotImplementedError, match="on a CPU"):
        scope["Vendor"]()(torch.zeros(2))


@pytest.mark.parametrize("name", list(map(_marked, _other_than_the_reference())))
def test_each_is_right(name: str) -> None:
    task = resolve(name)
    verdict = evaluate(task, baseline("vendor", task), SETTINGS)
    assert verdict.correct is Correct.YES, verdict.reason
    assert verdict.honest is Honest.YES, verdict.evidence
