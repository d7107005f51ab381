"""Sweep: own first, small otherwise, legal on the reference, within the level's limits."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import torch

from assay.data.axis import AxisRole
from assay.data.settings import Level
from assay.data.task import Task
from assay.data.workload import Distribution, Layout, Workload
from assay.exam.workloads.shape_points import PAST_LARGE, SMALL_ELEMENTS, Points
from assay.exam.workloads.stretched_shapes import MANY_ROWS
from assay.exam.workloads.workload_sweep import SWEEPS, sweep
from assay.exam.workloads.workload_trials import TRIAL_CALLS
from assay.tasks.catalog import resolve, tasks_of
from assay.tasks.references.admission import Admission
from assay.tasks.references.reference import Reference
from suite_sample import sampled
from support import task_sources as sources

BODIES = {
    name: getattr(sources, name)
    for name in "BATCHNORM EMBEDDING TUPLE_OUTPUT LITERALS DERIVED TRIANGULAR".split()
}


STRETCHED = 1 << 14
TINY = 64  # elements
WITHOUT_ROWS = {"fused_mv_logsoftmax"}  # its rows are the terms of one softmax


def swept(task: Task, level: Level = Level.QUICK) -> tuple[Reference, tuple[Workload, ...]]:
    return _swept(task.model_dump_json(), level)


@cache  # drawn once for all tests of this file
def _swept(task: str, level: Level) -> tuple[Reference, tuple[Workload, ...]]:
    reference = Reference(Task.model_validate_json(task))
    return reference, sweep(reference, level, random.Random(11))


def largest(reference: Reference, workload: Workload) -> int:
    return max(math.prod(shape) for shape in reference.input_shapes(workload.axes) if shape)


def refuses_nan(reference: Reference, own: Workload) -> bool:
    """Whether a decomposition raises for a NaN; some read one triangle and meet not every one."""
    planted = own.model_copy(update={"distribution": Distribution.NAN})
    draws = (reference.draw(planted, seed) for seed in range(8))
    return any(reference.examine(planted, draw) is Admission.REFUSED for draw in draws)


@pytest.mark.parametrize("task", sampled(tasks_of("native"), 12, with_file=False))
def test_native_sweeps(task: Task) -> None:
    reference, workloads = swept(task)
    assert workloads[0].own and not any(workload.own for workload in workloads[1:])
    quick = SWEEPS[Level.QUICK]
    assert 9 <= len(workloads) <= quick.workloads + quick.amount.wide
    own = workloads[0].axes
    stretched = [
        w for w in workloads if any(n > max(STRETCHED, own[name]) for name, n in w.axes.items())
    ]
    assert all(largest(reference, workload) <= PAST_LARGE for workload in workloads[1:])
    medium = SMALL_ELEMENTS * 2  # the gradient of an answer may be larger than the inputs
    assert sum(largest(reference, workload) > medium for workload in workloads[1:]) <= 4
    assert len(stretched) <= 3
    assert len({reference.config(workload.axes) for workload in workloads}) <= 8
    batches = [axis.name for axis in reference.axes if axis.role is AxisRole.BATCH]
    assert batches or len(reference.axes) == 1 or task.id in WITHOUT_ROWS
    assert all(1 in {workload.axes[name] for workload in workloads} for name in batches[:1])
    assert any(workload.layout is not Layout.CONTIGUOUS for workload in workloads)
    planted = any(workload.distribution is Distribution.NAN for workload in workloads)
    assert planted or task.contract is not None or refuses_nan(reference, workloads[0])


SLOW = pytest.param(sources.HEADS, id="HEADS", marks=pytest.mark.exhaustive)


@pytest.mark.parametrize(
    "body", [*(pytest.param(body, id=name) for name, body in BODIES.items()), SLOW]
)
def test_foreign_sweeps_are_legal(body: str) -> None:
    reference, workloads = swept(sources.task(body))
    assert workloads[0].own and len(workloads) >= 6
    for workload in workloads:
        assert reference.examine(workload, reference.draw(workload, 99)) is not Admission.REFUSED


def test_levels_grow() -> None:
    task = resolve("softmax")
    counts = [len(swept(task, level)[1]) for level in (Level.QUICK, Level.STANDARD, Level.FULL)]
    assert counts[0] <= 23 < counts[1] <= 51 < counts[2] <= 108
    reference, workloads = swept(task, Level.FULL)
    assert all(largest(reference, workload) <= PAST_LARGE for workload in workloads[1:])


@pytest.mark.parametrize("name", ["softmax", "matmul", "rmsnorm", "cross_entropy", "eigh"])
def test_the_shortest_level_draws_three_workloads(name: str) -> None:
    reference, workloads = swept(named(name), Level.SMOKE)
    own, *others = workloads
    assert own.own and len(others) == 3
    assert all((w.axes, w.distribution) != (own.axes, own.distribution) for w in others)
    assert sum(w.axes != own.axes for w in others) >= 2
    assert any(w.distribution is not own.distribution for w in workloads[1:])
    assert all(largest(reference, workload) <= PAST_LARGE for workload in workloads[1:])


def test_the_shortest_level_asks_a_tail_a_larger_size_and_special_values() -> None:
    softmax = next(task for task in tasks_of("native") if task.id == "softmax")
    for seed in range(8):
        own, *others = sweep(Reference(softmax), Level.SMOKE, random.Random(seed))
        assert any(w.axes["cols"] % 32 for w in others)
        assert any(w.axes["cols"] > 2 * own.axes["cols"] for w in others)
        special = {Distribution.NAN, Distribution.INF}
        assert special & {w.distribution for w in others}


def test_an_empty_batch_is_asked_where_the_reference_accepts_it() -> None:
    by_name: dict[str, Task] = {task.id: task for task in tasks_of("native")}
    empty: Callable[[str], bool] = lambda name: any(  # noqa: E731
        0 in workload.axes.values() for workload in swept(by_name[name])[1]
    )
    assert empty("softmax") and not empty("cross_entropy")


def test_a_domain_is_respected() -> None:
    _, workloads = swept(sources.task(sources.NO_BATCH_LOG), Level.FULL)
    assert Distribution.NEGATIVE not in {workload.distribution for workload in workloads}
    assert Distribution.OUTLIER in {workload.distribution for workload in workloads}


def test_the_random_numbers_decide() -> None:
    task = tasks_of("native")[0]
    one = swept(task)[1]
    assert one == sweep(Reference(task), Level.QUICK, random.Random(11))
    assert one != sweep(Reference(task), Level.QUICK, random.Random(12))


def test_every_size_is_stretched_at_full() -> None:
    softmax = next(task for task in tasks_of("native") if task.id == "softmax")
    workloads = swept(softmax, Level.FULL)[1]
    for name in ("rows", "cols"):
        assert max(workload.axes[name] for workload in workloads) > 1 << 15


def test_masks_are_closed_and_labels_left_out_where_the_task_names_them() -> None:
    reference, workloads = swept(sources.task(sources.MASKED_LOSS))
    marked = next(w for w in workloads if w.distribution is Distribution.MARKED)
    _, labels, mask = reference.draw(marked, 5)
    assert (labels == 7).any() and (labels != 7).any()
    assert set(mask.unique().tolist()) == {0.0, 1.0}
    own = reference.draw(workloads[0], 5)
    assert not (own[1] == 7).any() and (own[2] == 1).all()


def named(name: str) -> Task:
    return next(task for task in tasks_of("native") if task.id == name)


@pytest.mark.parametrize("name", ["matmul", "row_sum", "layernorm", "conv2d"])
def test_every_plan_can_decide_precision(name: str) -> None:
    reference, workloads = swept(named(name))
    inner = [axis.name for axis in reference.axes if axis.role is not AxisRole.BATCH]
    short = [w for w in workloads if w.distribution is Distribution.NORMAL]
    assert any(math.prod(w.axes[axis] for axis in inner) <= 36 for w in short)
    drawn = {w.distribution for w in workloads}
    assert {Distribution.DYADIC, Distribution.OFFSET, Distribution.TIES} <= drawn
    (offset,) = [w for w in workloads if w.distribution is Distribution.OFFSET]
    assert 100 <= 2**offset.scale <= 10_000


@pytest.mark.parametrize("name", ["matmul", "row_sum"])
def test_dyadic_sums_are_exact(name: str) -> None:
    reference, workloads = swept(named(name))
    (exact,) = [w for w in workloads if w.distribution is Distribution.DYADIC]
    bound, inputs = reference.bind(exact.axes, 1), reference.draw(exact, 4)
    narrow, wide = (bound(inputs, {}, wide=way).tensors[0] for way in (False, True))
    assert torch.equal(narrow.double(), wide)


def test_stretched_sizes_come_after_everything_mandatory() -> None:
    _, workloads = swept(named("softmax"), Level.STANDARD)
    far = [i for i, w in enumerate(workloads) if max(w.axes.values()) > STRETCHED]
    asked = [
        i
        for i, w in enumerate(workloads)
        if (w.distribution is not Distribution.OWN or w.layout is not Layout.CONTIGUOUS)
        and i not in far
    ]
    assert far and min(far) > max(asked)


def test_a_ladder_ends_where_the_reference_does() -> None:
    reference, all_workloads = swept(sources.task(sources.EXPONENTIAL), Level.FULL)
    ladder = [w for w in all_workloads if max(w.axes.values()) < STRETCHED]
    workloads = [w for w in ladder if largest(reference, w) > TINY]  # by luck one bears all
    rungs = {w.scale for w in workloads if w.distribution is Distribution.LARGE}
    assert rungs and max(rungs) <= 5  # exp(x) overflows float32 at 88
    low = {w.scale for w in workloads if w.distribution is Distribution.SMALL}
    assert low and min(low) >= -13  # exp(x) is a constant below, to a few digits


def test_an_own_input_that_is_not_contiguous_stays_so_and_is_also_asked_plainly() -> None:
    reference, workloads = swept(sources.task(sources.TURNED))
    assert workloads[0].layout is Layout.OWN
    assert not reference.draw(workloads[0], 1)[0].is_contiguous()
    (plain,) = [w for w in workloads if w.layout is Layout.CONTIGUOUS]
    assert reference.draw(plain, 1)[0].is_contiguous()


def test_values_as_small_as_an_epsilon_are_asked() -> None:
    _, workloads = swept(named("l2_normalize"), Level.STANDARD)
    small = [one.scale for one in workloads if one.distribution is Distribution.SMALL]
    assert any(-42 <= scale <= -37 for scale in small)
    _, workloads = swept(named("softmax"), Level.STANDARD)
    assert all(w.scale >= -32 for w in workloads if w.distribution is Distribution.SMALL)


def test_images_are_asked_channels_last_at_standard() -> None:
    layouts = {w.layout for w in swept(named("conv2d"), Level.STANDARD)[1]}
    assert Layout.CHANNELS_LAST in layouts


def test_categories_keep_their_kind_of_number() -> None:
    reference = Reference(named("matmul"))
    points = Points(reference, random.Random(3))
    tried = [points.hypercube(8) for _ in range(4)]
    values = [[sorted(point.values()) for point in points] for points in tried]
    for one in values:
        assert any(all(n & (n - 1) == 0 for n in point) for point in one)
        assert any(point[-1] >= 2048 for point in one)
        assert any(point[-1] <= 16 for point in one)


def test_floats_of_the_constructor_are_asked_in_other_versions_too() -> None:
    reference, workloads = swept(sources.task(sources.SQUARE_IMAGES))
    assert {w.axes["negative_slope_variant"] for w in workloads} > {0}
    assert all(set(w.axes) == set(reference.own_axes) for w in workloads)
    assert any(w.axes["size"] != w.axes["size'"] for w in workloads)


def test_a_long_batch_is_filled_past_a_million_elements() -> None:
    reference = Reference(named("gelu"))
    for seed in range(60):
        rng = random.Random(seed)
        point = Points(reference, rng).wide("rows", rng.choice([(1 << 15) + 1, *MANY_ROWS, 148469]))
        shapes = reference.input_shapes(point)
        assert 1 << 20 < max(math.prod(shape) for shape in shapes if shape) <= PAST_LARGE


def test_sizes_are_stretched_however_many_small_workloads_there_are() -> None:
    _, workloads = swept(named("embedding.backward"))  # three axes, and integers
    assert all(max(w.axes[name] for w in workloads) > 1 << 15 for name in ("rows", "cols", "words"))
    assert len(workloads) <= SWEEPS[Level.QUICK].workloads + SWEEPS[Level.QUICK].amount.wide


def test_a_size_that_cannot_go_far_goes_as_far_as_it_can() -> None:
    _, workloads = swept(named("attention"), Level.FULL)  # scores of 2^16 positions fit nowhere
    assert 1 << 10 < max(w.axes["length"] for w in workloads) < 1 << 14
    assert max(w.axes["head_dim"] for w in workloads) > 1 << 16


LOOP = """
class Model(nn.Module):
    def forward(self, x, gate):
        state, found = torch.zeros_like(x[:, 0]), []
        for step in range(x.shape[1]):
            state = torch.sigmoid(gate[:, step]) * state + x[:, step]
            found.append(state)
        return torch.stack(found, 1)
def get_inputs():
    return [torch.randn(2, 7, 12), torch.randn(2, 7, 12)]
def get_init_inputs():
    return []
"""


def test_a_loop_is_stretched_only_as_far_as_it_stays_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = SWEEPS[Level.QUICK]  # whose time a slow machine would need for the loop alone
    patient = replace(asked, limits=replace(asked.limits, seconds=120.0))
    monkeypatch.setitem(SWEEPS, Level.QUICK, patient)
    reference, workloads = swept(sources.task(LOOP))
    longest = max(workloads, key=lambda w: reference.foreseen_calls(w.axes))
    (steps,) = [n for name, n in longest.axes.items() if name.startswith("dim:0.1")]
    assert 1 << 10 < steps < 1 << 13
    assert 5 * steps <= reference.foreseen_calls(longest.axes) <= TRIAL_CALLS
    assert max(n for w in workloads for n in w.axes.values()) > 1 << 15  # the others go on


def test_few_items_of_large_and_small_values_are_asked_at_standard() -> None:
    reference, workloads = swept(named("softmax"), Level.STANDARD)
    few = {w.distribution for w in workloads if 0 < largest(reference, w) <= TINY}
    assert few >= {Distribution.LARGE, Distribution.SMALL}


def test_a_planted_value_lies_at_an_end_where_it_is_asked_to() -> None:
    reference, workloads = swept(named("gelu"), Level.STANDARD)
    (at_an_end,) = [w for w in workloads if w.distribution is Distribution.NAN and w.scale]
    for seed in range(8):
        (x,) = reference.draw(at_an_end, seed)
        (place,) = x.isnan().reshape(-1).nonzero().reshape(-1).tolist()
        assert place == x.numel() - 1


def test_conditions_are_asked_together_at_standard() -> None:
    """A path for large inputs, or for strided ones, must bear what the others do."""
    reference, workloads = swept(named("rmsnorm"), Level.STANDARD)
    own = reference.own_axes
    assert Distribution.KINDS in {w.distribution for w in workloads if w.axes == own}
    large = [w for w in workloads if math.prod(w.axes.values()) > SMALL_ELEMENTS]
    assert Distribution.NAN in {w.distribution for w in large}
    strided = [w for w in workloads if w.layout is not Layout.CONTIGUOUS]
    assert any(math.prod(w.axes.values()) > math.prod(own.values()) for w in strided)
    strained = {w.distribution for w in strided} - {Distribution.OWN}
    assert strained & {Distribution.LARGE, Distribution.OFFSET, Distribution.NEGATIVE}


def test_inputs_that_are_declared_contiguous_are_asked_in_no_other_layout() -> None:
    """A definition gives shapes and types alone: kernels for it may take a pointer and a count."""
    rows = resolve("softmax")
    told = rows.model_copy(update={"source": f"{rows.source}\nCONTIGUOUS_INPUTS = True\n"})
    layouts = [{one.layout for one in swept(task, Level.STANDARD)[1]} for task in (rows, told)]
    assert Layout.STRIDED in layouts[0]
    assert layouts[1] <= {Layout.CONTIGUOUS, Layout.OFFSET, Layout.SAME}


def test_values_below_any_start_of_a_maximum_are_asked_however_little_they_tell() -> None:
    """A constant comes near to a sum of exponentials there; a maximum from -10^5 on shows."""
    _, workloads = swept(resolve("logsumexp"), Level.STANDARD)
    asked = [one.scale for one in workloads if one.distribution is Distribution.NEGATIVE]
    assert 17 in asked and min(asked) == 0


def test_one_item_is_cut_out_of_a_larger_input() -> None:
    (task,) = (one for one in tasks_of("native") if one.id == "softmax")
    _, workloads = swept(task, Level.STANDARD)
    cut = [one for one in workloads if one.layout is Layout.SLICED]
    assert any(one.axes["rows"] == 1 and one.axes["cols"] > 1 for one in cut)


def test_images_are_asked_channels_last_beside_plain_weights() -> None:
    (task,) = (one for one in tasks_of("native") if one.id == "dilated_conv2d")
    _, workloads = swept(task, Level.STANDARD)
    assert Layout.FIRST_CHANNELS_LAST in {one.layout for one in workloads}
    (task,) = (one for one in tasks_of("native") if one.id == "softmax")
    _, workloads = swept(task, Level.STANDARD)
    assert Layout.FIRST_CHANNELS_LAST not in {one.layout for one in workloads}


def test_numbers_of_the_call_are_others_in_a_workload_at_standard() -> None:
    (task,) = (one for one in tasks_of("native") if one.id == "softmax")
    _, workloads = swept(task, Level.STANDARD)
    outlier = [one.scale for one in workloads if one.distribution is Distribution.OUTLIER]
    assert 1 in outlier


WINDOWS = """
class Model(nn.Module):
    def forward(self, x, window):
        return torch.nn.functional.conv2d(x, window)
def made(batch, size, side, channels):
    x = torch.randn(batch, channels, size, size, device="cpu")
    window = torch.randn(channels, channels, side, side, device="cpu")
    torch.empty(size - side + 1)
    return [x, window]
batch, size, side, channels = 4, 64, 8, 16
def get_inputs():
    return made(batch, size, side, channels)
def get_init_inputs():
    return []
"""


def test_inputs_that_are_too_large_are_not_drawn_to_see_that_they_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[int] = []
    draw = torch.randn

    def counted(*size: int, **options: Any) -> torch.Tensor:
        made = draw(*size, **options)
        drawn.append(0 if made.is_meta else made.numel())
        return made

    monkeypatch.setattr(torch, "randn", counted)
    _, workloads = swept(sources.task(WINDOWS))
    assert max(drawn) < 1 << 24 and len(workloads) > 8
