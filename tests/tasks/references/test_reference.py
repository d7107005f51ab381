"""The live reference: construction, drawing, state, both precisions."""

from __future__ import annotations

import pytest
import torch

from assay.data.contract import Decomposition, Stochastic
from assay.data.workload import Layout
from assay.errors import TaskError
from assay.tasks.catalog import tasks_of
from assay.tasks.references.admission import Admission
from assay.tasks.references.reference import Reference, reference_repeats
from assay.tasks.references.reference_outputs import same
from suite_sample import sampled
from support import task_sources as sources


def own_call(body: str, wide: bool = False, **bind: bool) -> dict[str, torch.Tensor]:
    reference = Reference(sources.task(body))
    bound = reference.bind(reference.own_axes, 3, **bind)
    inputs = reference.draw(reference.own_workload(), 5)
    outputs = bound(inputs, reference.draw_state(bound.module, 7), wide)
    return dict(zip(outputs.names, outputs.tensors, strict=True))


NARROW = (torch.float32, torch.bfloat16, torch.float16)
REPEATABLE = [t for t in tasks_of("native") if not isinstance(t.contract, Stochastic)]


@pytest.mark.parametrize("task", sampled(REPEATABLE))
def test_native_tasks_run_repeat_and_agree_with_float64(task) -> None:  # type: ignore[no-untyped-def]
    reference = Reference(task)
    workload = reference.own_workload()
    inputs = reference.draw(workload, 1)
    bound = reference.bind(reference.own_axes, 2)
    state = reference.draw_state(bound.module, 3)
    own, truth = bound(inputs, state, wide=False), bound(inputs, state, wide=True)
    assert reference_repeats(bound, inputs, state)
    for narrow, wide in zip(own.tensors, truth.tensors, strict=True):
        if narrow.is_floating_point():
            assert narrow.dtype in NARROW and wide.dtype == torch.float64
            close = 1e-3 if narrow.dtype == torch.float32 else 1e-2
            left, right = narrow.double(), wide
            if isinstance(task.contract, Decomposition):  # signs are nobody's
                left, right = left.abs(), right.abs()
            assert torch.allclose(left, right, rtol=close, atol=close)
        elif narrow.is_complex():
            assert torch.allclose(narrow.to(wide.dtype), wide, rtol=1e-3, atol=1e-3)
        else:
            assert narrow.dtype in (torch.int64, torch.int8, torch.bool)
            assert torch.equal(narrow, wide)


def test_row_argmax_takes_the_first_of_equal_values() -> None:
    task = next(task for task in tasks_of("native") if task.id == "row_argmax")
    bound = Reference(task).bind({}, 0)
    x = torch.tensor([[1.0, 3.0, 3.0], [2.0, float("nan"), 5.0]])
    assert bound([x], {}, wide=False).tensors[0].tolist() == [1, 1]


def test_seed_decides_everything_and_global_generators_stay() -> None:
    reference = Reference(sources.task(sources.LITERALS))
    workload = reference.own_workload()
    before = torch.get_rng_state()
    one, again, other = (reference.draw(workload, seed) for seed in (1, 1, 2))
    assert same(one[0], again[0])
    assert not torch.equal(one[0], other[0])  # although get_inputs seeds with 42
    weights = [reference.construct({}, seed).fc.weight for seed in (1, 1, 2)]
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])
    assert torch.equal(before, torch.get_rng_state())


def test_buffers_changed_in_train_mode_are_outputs() -> None:
    training = own_call(sources.BATCHNORM)
    assert list(training) == [
        "output",
        "buffer:bn.running_mean",
        "buffer:bn.running_var",
        "buffer:bn.num_batches_tracked",
    ]
    assert int(training["buffer:bn.num_batches_tracked"]) == 1
    assert list(own_call(sources.BATCHNORM, training=False)) == ["output"]


def test_every_call_names_the_same_buffers() -> None:
    """A step that float32 loses and float64 shows, and a maximum that stands in some calls."""
    reference = Reference(sources.task(sources.KEPT_EXTREMES))
    bound = reference.bind({}, 1)
    inputs = reference.draw(reference.own_workload(), 1)
    states = [{}, {"peak": torch.tensor(1e9), "total": torch.tensor(1e9)}]
    names = {bound(inputs, state, wide).names for state in states for wide in (False, True)}
    assert names == {("output", "buffer:peak", "buffer:total")}


def test_calls_start_from_the_same_state_and_leave_the_caller_alone() -> None:
    for body in (sources.BATCHNORM, sources.RECURRENT_STATE):
        reference = Reference(sources.task(body))
        bound = reference.bind({}, 1)
        inputs = reference.draw(reference.own_workload(), 1)
        state = reference.draw_state(bound.module, 1)
        kept = [value.clone() for value in (*inputs, *state.values())]
        one, two = bound(inputs, state, wide=False), bound(inputs, state, wide=False)
        assert all(same(a, b) for a, b in zip(one.tensors, two.tensors, strict=True))
        assert all(same(a, b) for a, b in zip(kept, (*inputs, *state.values()), strict=True))
        after = reference.draw_state(bound.module, 1)
        assert all(same(state[name], after[name]) for name in state)


def test_nested_outputs_are_named() -> None:
    found = own_call(sources.TUPLE_OUTPUT)
    assert list(found) == ["output.best.0", "output.best.1", "output.sum"]
    assert found["output.best.1"].dtype == torch.int64


def test_wide_lifts_float32_keeps_the_rounding_in_the_middle_and_drops_the_last() -> None:
    reference = Reference(sources.task(sources.CASTS))
    bound = reference.bind({}, 0)
    x = torch.randn(32)
    (truth,) = bound([x], {}, wide=True).tensors
    expected = (x.double() / 3).half().double() * 3 + 0.1
    assert truth.dtype == torch.float64 and torch.equal(truth, expected)
    assert bound([x], {}, wide=False).tensors[0].dtype == torch.bfloat16


def test_dropout_does_not_repeat_but_does_in_eval() -> None:
    reference = Reference(sources.task(sources.DROPOUT))
    inputs = reference.draw(reference.own_workload(), 0)
    assert not reference_repeats(reference.bind({}, 0, training=True), inputs, {})
    assert reference_repeats(reference.bind({}, 0, training=False), inputs, {})


def test_failures_of_the_task_are_task_errors_of_one_line(capsys) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TaskError, match="loading failed: ZeroDivisionError"):
        Reference(sources.task("x = 1 / 0\n"))
    reference = Reference(sources.task(sources.NO_BATCH_LOG))
    with pytest.raises(TaskError, match="the reference failed") as error:
        reference.bind({}, 0)(["text"], {}, wide=False)
    assert "\n" not in str(error.value)
    reference.bind({}, 0)([torch.ones(3)], {}, wide=False)
    assert capsys.readouterr().out == ""


def test_admits_refuses_non_finite_results_and_other_layouts_keep_their_values() -> None:
    reference = Reference(sources.task(sources.NO_BATCH_LOG))
    own = reference.own_workload()
    assert reference.examine(own, [-value for value in reference.draw(own, 0)]) is Admission.REFUSED
    assert reference.examine(own, reference.draw(own, 0)) is not Admission.REFUSED
    strided = own.model_copy(update={"layout": Layout.STRIDED})
    plain, spread = reference.draw(own, 4)[0], reference.draw(strided, 4)[0]
    assert torch.equal(plain, spread) and spread.stride() == (2,)


def test_init_inputs_may_be_keywords() -> None:
    for returned in ("{'features': 24}", "[[], {'features': 24}]", "[[24], {}]", "[24]"):
        body = sources.BATCHNORM.replace("return [features]", f"return {returned}")
        assert Reference(sources.task(body)).construct({}, 0).bn.num_features == 24
