"""Distributions, structures and layouts."""

from __future__ import annotations

import math

import pytest
import torch

from assay.data.workload import Distribution, Layout, Workload
from assay.tasks.references.reference import Reference
from assay.tasks.values.distributions import _PLANTED, Values, redraw
from assay.tasks.values.input_structure import Structure, structure_of
from assay.tasks.values.memory_layouts import applies, lay_out
from assay.tasks.values.value_generators import DRAWERS
from support import task_sources as sources

OWN = [torch.rand(33, 65), torch.arange(7)]
FREE = (Structure.FREE, Structure.FIXED)


@pytest.mark.parametrize("distribution", sorted(DRAWERS))
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_redraw_keeps_dtype_shape_and_integers(
    distribution: Distribution, dtype: torch.dtype
) -> None:
    own = [OWN[0].to(dtype), OWN[1]]
    made = redraw(own, Values(distribution, 8), 5, FREE).inputs
    assert (made[0].dtype, made[0].shape) == (dtype, own[0].shape)
    assert made[1] is own[1] and made[0].isfinite().all()
    assert not torch.equal(made[0], own[0])
    again = redraw(own, Values(distribution, 8), 5, FREE).inputs
    assert torch.equal(made[0], again[0])


def test_dyadic_products_are_exact_in_float32_and_not_in_eleven_bits() -> None:
    own = [torch.rand(16, 1024), torch.rand(1024, 16)]
    a, b = redraw(own, Values(Distribution.DYADIC, 8), 1, (Structure.FREE, Structure.FREE)).inputs
    exact = a.double() @ b.double()
    assert torch.equal((a @ b).double(), exact)
    assert not torch.equal(a.half().double() @ b.half().double(), exact)


def test_offset_dwarfs_the_spread_and_outliers_are_few() -> None:
    offset = redraw(OWN, Values(Distribution.OFFSET, 8), 2, FREE).inputs[0]
    assert offset.mean().abs() > 90 * offset.std()
    rows = torch.randn(3, 4000)
    outlier = redraw([rows], Values(Distribution.OUTLIER), 2, FREE[:1]).inputs[0]
    assert 8 <= int((outlier != rows).sum()) <= 12 + 2 * 3


def test_ends_of_some_rows_planes_and_items_lie_far_from_the_rest() -> None:
    images = torch.randn(16, 8, 9, 10)
    made = redraw([images], Values(Distribution.OUTLIER), 5, FREE[:1]).inputs[0]
    far = made.abs() > 20
    for dim in (1, 2):
        parts = far.view(math.prod(images.shape[:dim]), -1)
        first, last = float(parts[:, 0].double().mean()), float(parts[:, -1].double().mean())
        assert 0 < first < 0.45 and 0 < last < 0.45, dim
    assert float(far.double().mean()) < 0.01 and float(made.abs().max()) < 250


@pytest.mark.parametrize("distribution", [Distribution.NAN, Distribution.INF])
def test_a_planted_element_is_one_and_is_told(distribution: Distribution) -> None:
    drawn = redraw(OWN, Values(distribution, 8), 3, FREE)
    assert drawn.planted is not None and drawn.planted.input == 0
    wrong = ~drawn.inputs[0].isfinite()
    assert int(wrong.sum()) == 1 and bool(wrong[drawn.planted.index])
    assert math.isnan(drawn.planted.value) == (distribution is Distribution.NAN)
    assert OWN[0].isfinite().all()


def test_structures_are_seen_and_kept() -> None:
    reference = Reference(sources.task(sources.TRIANGULAR))
    assert reference.structures() == (Structure.ZEROS, Structure.SYMMETRIC)
    workload = Workload(axes={"N": 9}, dtype="float32", distribution=Distribution.NORMAL)
    upper, symmetric = reference.draw(workload, 1)
    assert upper.shape == (9, 9) and torch.equal(upper, upper.triu()) and (upper < 0).any()
    assert torch.equal(symmetric, symmetric.T) and (symmetric < 0).any()


def test_promises_of_the_own_generator() -> None:
    assert structure_of(torch.randn(64, 64)) is Structure.FREE
    assert structure_of(torch.randn(64, 64).softmax(-1)) is Structure.FIXED
    assert structure_of(torch.randint(0, 2, (100,)).float() * 2 - 1) is Structure.FIXED
    assert structure_of(torch.randn(64).sort().values) is Structure.FIXED
    assert structure_of(torch.tensor(0.3)) is Structure.FREE


@pytest.mark.parametrize("layout", list(Layout))
def test_layouts_keep_values_and_poison_the_gaps(layout: Layout) -> None:
    inputs = [torch.rand(4, 6), torch.arange(5), 2.5]
    shapes = (Structure.FREE, Structure.FIXED, Structure.FIXED)
    laid = lay_out(inputs, layout, shapes)
    assert laid[2] == 2.5 and torch.equal(laid[1], inputs[1])
    if layout in (Layout.EXPANDED, Layout.FIRST_EXPANDED):
        assert laid[0].stride() == (0, 1) and torch.equal(laid[0], inputs[0][:1].expand(4, 6))
    elif layout is Layout.REPEATED_COLUMNS:
        assert laid[0].stride() == (1, 0) and torch.equal(laid[0], inputs[0][:, :1].expand(4, 6))
    elif layout is Layout.OVERLAPPING:
        assert laid[0].stride() == (3, 1) and torch.equal(laid[0][0], inputs[0][0])
    else:
        assert torch.equal(laid[0], inputs[0])
    plain = (Layout.CONTIGUOUS, Layout.OWN, Layout.CHANNELS_LAST, Layout.SAME, Layout.INTERLEAVED)
    plain += (Layout.PERMUTED, Layout.REST_TRANSPOSED, Layout.MIRRORED)  # a matrix and a vector
    plain += (Layout.REST_EXPANDED, Layout.FIRST_CHANNELS_LAST)
    expected = {Layout.TRANSPOSED: (1, 4), Layout.STRIDED: (12, 2), Layout.OFFSET: (6, 1)}
    if layout in expected:
        assert laid[0].stride() == expected[layout]
    if layout in (Layout.STRIDED, Layout.OFFSET):
        whole = torch.empty(0).set_(laid[0].untyped_storage())
        assert whole.isnan().sum() == whole.numel() - 24
    assert applies(inputs, layout, shapes) == (layout not in plain)
    assert laid[0].storage_offset() % 2 == (layout is Layout.OFFSET)


def test_one_input_lies_otherwise_than_the_rest() -> None:
    inputs, shapes = [torch.rand(3, 4) for _ in range(3)], (Structure.FREE,) * 3
    first = [t.is_contiguous() for t in lay_out(inputs, Layout.FIRST_TRANSPOSED, shapes)]
    rest = [t.is_contiguous() for t in lay_out(inputs, Layout.REST_TRANSPOSED, shapes)]
    assert first == [False, True, True] and rest == [True, False, False]
    assert not applies(inputs[:1], Layout.FIRST_TRANSPOSED, shapes[:1])


def test_images_lie_channels_last_and_weights_do_not() -> None:
    inputs, shapes = [torch.rand(2, 3, 4, 5), torch.rand(6, 3, 2, 2)], (Structure.FREE,) * 2
    images, weights = lay_out(inputs, Layout.FIRST_CHANNELS_LAST, shapes)
    assert images.is_contiguous(memory_format=torch.channels_last) and weights.is_contiguous()
    assert not images.is_contiguous() and torch.equal(images, inputs[0])
    assert not applies([torch.rand(3, 4)] * 2, Layout.FIRST_CHANNELS_LAST, shapes)


def test_one_input_repeats_a_slice_and_the_rest_do_not() -> None:
    inputs, shapes = [torch.rand(2, 3, 4, 5) for _ in range(3)], (Structure.FREE,) * 3
    first = [t.stride() for t in lay_out(inputs, Layout.FIRST_EXPANDED, shapes)]
    rest = [t.stride() for t in lay_out(inputs, Layout.REST_EXPANDED, shapes)]
    assert [strides[0] for strides in first] == [0, 60, 60]
    assert [strides[1] for strides in rest] == [20, 0, 0]  # heads share what the batch does not
    flat = lay_out([torch.rand(3, 4)] * 2, Layout.REST_EXPANDED, shapes[:2])
    assert [t.stride() for t in flat] == [(4, 1), (0, 1)]


def test_heads_lie_within_rows() -> None:
    own = torch.rand(2, 3, 4, 5)
    (laid,) = lay_out([own], Layout.PERMUTED, (Structure.FREE,))
    assert laid.stride() == (60, 5, 15, 1) and torch.equal(laid, own)


def test_a_promise_about_rows_forbids_repeated_columns() -> None:
    rows = torch.rand(4, 6).softmax(-1)
    (laid,) = lay_out([rows], Layout.REPEATED_COLUMNS, (Structure.FIXED,))
    assert torch.equal(laid, rows)


def test_images_lie_channels_last() -> None:
    inputs = [torch.rand(2, 3, 4, 5), torch.rand(2, 3, 4, 5, 6), torch.rand(3, 4)]
    shapes = (Structure.FREE,) * 3
    image, volume, matrix = lay_out(inputs, Layout.CHANNELS_LAST, shapes)
    assert image.stride() == (60, 1, 15, 3) and torch.equal(image, inputs[0])
    assert volume.is_contiguous(memory_format=torch.channels_last_3d)
    assert matrix.is_contiguous() and applies(inputs, Layout.CHANNELS_LAST, shapes)


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8])
@pytest.mark.parametrize("layout", [Layout.TRANSPOSED, Layout.STRIDED, Layout.EXPANDED])
def test_integers_and_masks_are_laid_out_too(layout: Layout, dtype: torch.dtype) -> None:
    own = torch.randint(0, 2, (4, 6)).to(dtype)
    (laid,) = lay_out([own], layout, (Structure.FIXED,))
    assert laid.dtype is dtype and laid.stride() != own.stride()
    assert torch.equal(laid, own[:1].expand(4, 6) if layout is Layout.EXPANDED else own)


def test_redrawn_inputs_lie_as_the_own_ones() -> None:
    own = [torch.rand(6, 4).T]
    (made,) = redraw(own, Values(Distribution.NORMAL), 3, (Structure.FREE,)).inputs
    assert made.stride() == own[0].stride() and not torch.equal(made, own[0])


def test_two_inputs_of_one_form_are_equal_and_the_rest_is_scaled() -> None:
    own = [torch.randn(4, 3), torch.randn(4, 3), torch.randn(3), torch.arange(4)]
    shapes = [Structure.FREE] * 3 + [Structure.FIXED]
    made = redraw(own, Values(Distribution.EQUAL, scale=-3), 5, shapes).inputs
    assert torch.equal(made[0], own[0] / 8) and torch.equal(made[1], made[0])
    assert torch.equal(made[2], own[2] / 8) and torch.equal(made[3], own[3])
    alone = redraw(own[1:], Values(Distribution.EQUAL), 5, shapes[1:]).inputs
    assert torch.equal(alone[0], own[1])


def test_scales_are_exact_powers_of_two() -> None:
    one, other = (
        redraw(OWN, Values(Distribution.LARGE, scale), 3, FREE).inputs[0] for scale in (0, 9)
    )
    assert torch.equal(one * 512, other)


def test_zeros_come_in_slices_signs_and_below_the_normal_numbers() -> None:
    own = [torch.randn(64, 33)]
    drawn = lambda d: redraw(own, Values(d), 3, (Structure.FREE,)).inputs[0]  # noqa: E731
    empty = (drawn(Distribution.ZEROS) == 0).all(dim=1)
    assert empty.any() and not empty.all()
    signed = drawn(Distribution.SIGNED_ZEROS)
    zero = signed == 0
    assert signed[zero].signbit().any() and not signed[zero].signbit().all()
    assert torch.equal(signed[~zero].abs(), own[0][~zero].abs())
    assert 0.02 < zero.float().mean() < 1.0
    below, above = ((side * signed[zero.any(1)] <= 0).all(1).sum() for side in (1, -1))
    assert below > 5 and above > 5  # rows whose largest, or smallest, number is zero
    tiny = drawn(Distribution.SUBNORMAL).abs() < torch.finfo(torch.float32).smallest_normal
    assert 0.4 < tiny.float().mean() < 0.6 and (drawn(Distribution.SUBNORMAL)[tiny] != 0).any()


def test_ties_lie_on_a_grid_and_some_rows_are_constant() -> None:
    ties = redraw([torch.randn(64, 33)], Values(Distribution.TIES), 3, (Structure.FREE,)).inputs[0]
    assert torch.equal(ties * 2, (ties * 2).round()) and ties.abs().max() == 1
    constant = (ties == ties[:, :1]).all(dim=1)
    assert constant.any() and not constant.all()


def test_planted_nans_have_either_sign() -> None:
    signs = set()
    for seed in range(16):
        made = redraw(OWN, Values(Distribution.NAN, 0), seed, FREE).inputs[0]
        signs.add(bool(made[made.isnan()].signbit().item()))
    assert signs == {False, True}
    last = redraw(OWN, Values(Distribution.NAN, 1), 0, FREE).inputs[0]
    assert bool(last[-1, -1].isnan()) and bool(last[-1, -1].signbit())
    row = redraw(OWN, Values(Distribution.NANS, 0), 0, FREE).inputs[0]
    assert set(row[row.isnan()].signbit().tolist()) == {False, True}


def test_planted_nans_have_the_usual_bits_or_all_of_them() -> None:
    found = set()
    for seed in range(16):
        made = redraw(OWN, Values(Distribution.NAN, 0), seed, FREE).inputs[0]
        found.add(int(made[made.isnan()].view(torch.int32).item()) & 0x7FFFFFFF)
    assert found == {0x7FC00000, 0x7FFFFFFF}
    row = redraw(OWN, Values(Distribution.NANS, 0), 0, FREE).inputs[0]
    bits = row[row.isnan()].view(torch.int32) & 0x7FFFFFFF
    assert set(bits.tolist()) == {0x7FC00000, 0x7FFFFFFF}


def test_numbers_that_are_handed_over_are_others_once() -> None:
    own, shapes = [OWN[0], 0.75, -0.5, 3, True], (Structure.FREE, *(Structure.FIXED,) * 4)
    _, *kept = redraw(own, Values(Distribution.OUTLIER, 0), 1, shapes).inputs
    assert kept == own[1:]
    versions = set()
    for seed in range(16):
        _, *others = redraw(own, Values(Distribution.OUTLIER, 1), seed, shapes).inputs
        assert others[2] == 3 and others[3] is True and others[0] / 0.75 == others[1] / -0.5
        versions.add(others[0])
    assert versions == {0.375, 1.125}


def test_infinities_stand_before_a_nan_of_their_row() -> None:
    for seed in range(8):
        drawn = redraw(OWN, Values(Distribution.BESIDE_INF, 0), seed, FREE)
        assert drawn.planted is not None
        (row, column), made = drawn.planted.index, drawn.inputs[0]
        assert int(made.isnan().sum()) == 1 and bool(made[row, column].isnan())
        assert len(drawn.planted.infinite) == int(made.isinf().sum()) == min(2, column)
        assert all(spot[0] == row and spot[1] < column for spot in drawn.planted.infinite)


@pytest.mark.parametrize(
    "distribution", sorted([*DRAWERS, *_PLANTED, Distribution.EQUAL, Distribution.MINUS_INF])
)
def test_floats_of_eight_bits_are_codes_that_only_the_own_generator_draws(
    distribution: Distribution,
) -> None:
    codes = torch.randn(8, 16).to(torch.float8_e4m3fn)
    assert structure_of(codes) is Structure.FIXED
    own = [codes, torch.rand(8, 16)]
    made = redraw(own, Values(distribution, 8), 3, (Structure.FIXED, Structure.FREE)).inputs
    assert torch.equal(made[0].view(torch.uint8), codes.view(torch.uint8))


def test_complex_numbers_are_drawn_part_by_part() -> None:
    own = torch.randn(6, 40, dtype=torch.complex64)
    shapes = (structure_of(own),)
    assert shapes == (Structure.COMPLEX,)
    (large,) = redraw([own], Values(Distribution.LARGE, 9), 1, shapes).inputs
    assert large.dtype is own.dtype and large.shape == own.shape
    assert large.real.abs().mean() > 100 and large.imag.abs().mean() > 100
    (zeros,) = redraw([own], Values(Distribution.ZEROS), 1, shapes).inputs
    assert not zeros[0].imag.any() and zeros.imag.any()
    (same,) = redraw([own], Values(Distribution.LITERALS, literals=(2.5,)), 1, shapes).inputs
    assert torch.equal(same, own)


@pytest.mark.parametrize("distribution", [Distribution.NANS, Distribution.NAN, Distribution.INF])
def test_a_single_number_has_no_others_in_its_row(distribution: Distribution) -> None:
    """A gradient of a loss has no dimension; the judge failed on it."""
    drawn = redraw([torch.tensor(2.0)], Values(distribution), 3, FREE)
    assert not torch.isfinite(drawn.inputs[0]) and drawn.inputs[0].shape == ()


def _rows(distribution: Distribution, scale: int, count: int = 64) -> torch.Tensor:
    own = [torch.randn(count, 130, generator=torch.Generator().manual_seed(1))]
    made = redraw(own, Values(distribution, scale), 7, (Structure.FREE,)).inputs[0]
    assert isinstance(made, torch.Tensor)
    return made


def test_some_rows_lie_between_zero_and_one_and_some_are_small_whole_numbers() -> None:
    rows = _rows(Distribution.KINDS, 0)
    assert int(((rows >= 0) & (rows < 1)).all(-1).sum()) >= 9
    assert int(((rows == rows.round()) & (rows > 0) & (rows < 256)).all(-1).sum()) >= 9


def test_some_rows_begin_or_end_far_from_the_rest() -> None:
    rows = _rows(Distribution.KINDS, 0)
    rest = rows[:, 1:-1].abs().amax(-1) < 8
    first, last = rest & (rows[:, 0] == 512), rest & (rows[:, -1] == 512)
    assert int(first.sum()) >= 1 and int(last.sum()) >= 1 and int((first | last).sum()) == 9


def test_on_the_highest_rungs_some_rows_are_whole_numbers_that_overflow_integers() -> None:
    rows = _rows(Distribution.LARGE, 32)
    whole = ((rows == rows.round()) & (rows < 2**24)).all(-1)
    assert whole.sum() == 16 and bool((rows[whole].double().sum(-1) > 2**29).all())
    fewer = _rows(Distribution.LARGE, 8)
    assert not bool((fewer == fewer.round()).all(-1).any())


def test_some_rows_differ_from_the_row_before_them_in_one_element() -> None:
    rows, apart = _rows(Distribution.BLOCKS, 1), _rows(Distribution.BLOCKS, 0)
    assert bool(((rows[1::4] != rows[0::4]).sum(-1) == 1).all())
    assert bool(((apart[1::4] != apart[0::4]).sum(-1) > 100).all())


def test_some_rows_are_in_order_but_for_two_neighbours() -> None:
    rows = _rows(Distribution.BLOCKS, 1)[2::4]
    steps = rows.diff(dim=-1)
    rising, falling = (steps < 0).sum(-1) == 1, (steps > 0).sum(-1) == 1
    assert bool((rising | falling).all()) and bool(rising.any()) and bool(falling.any())


@pytest.mark.parametrize("seed", range(8))
def test_in_some_rows_half_of_the_elements_are_zero_here_and_there(seed: int) -> None:
    own = [torch.randn(5, 130)]
    rows = redraw(own, Values(Distribution.ZEROS), seed, (Structure.FREE,)).inputs[0]
    zero = rows == 0
    turns = (zero[:, 1:] != zero[:, :-1]).sum(-1)
    assert bool((turns > 130 // 8).any()) and bool(zero.all(-1).any())


def test_a_chunk_is_a_third_of_wider_rows() -> None:
    own = torch.rand(2, 4, 6)
    (laid,) = lay_out([own], Layout.CHUNKED, (Structure.FREE,))
    assert laid.stride() == (72, 18, 1) and laid.storage_offset() == 6 and torch.equal(laid, own)
