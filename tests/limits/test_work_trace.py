"""Work by hand-counted examples: what is read once, looked up, skipped, structured, unrolled."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from assay.limits.work import Work
from assay.limits.work_trace import WorkTrace


def traced(make: Callable[[], tuple[torch.Tensor, ...]], call: Callable[..., object]) -> Work:
    trace = WorkTrace()
    with trace.watching(), torch.no_grad():
        inputs = make()
        trace.external(inputs)
        made = call(*inputs)
        return trace.finish(made if isinstance(made, tuple | list) else (made,))  # type: ignore[arg-type]


def randn(*shapes: tuple[int, ...]) -> Callable[[], tuple[torch.Tensor, ...]]:
    return lambda: tuple(torch.randn(shape) for shape in shapes)


def test_a_chain_of_operations_reads_and_writes_once() -> None:
    work = traced(randn((100, 10)), lambda x: (x * 2 + x).relu().softmax(1))
    assert (work.bytes_read, work.bytes_written, work.flops.total()) == (4000, 4000, 0)
    assert work.elementwise >= 4000


def test_a_product_counts_two_operations_for_each_multiplication() -> None:
    work = traced(randn((3, 5), (5, 7)), torch.matmul)
    assert (work.bytes, dict(work.flops)) == (4 * (15 + 35 + 21), {"float32": 2 * 3 * 5 * 7})


def test_products_are_counted_by_dtype() -> None:
    make = lambda: (torch.randn(4, 4, dtype=torch.bfloat16), torch.randn(4, 4))  # noqa: E731
    work = traced(make, lambda a, b: (a @ a).float() + b @ b)
    assert dict(work.flops) == {"bfloat16": 128, "float32": 128}


def test_a_table_is_read_as_far_as_it_is_looked_up() -> None:
    make = lambda: (torch.randn(1000, 8), torch.zeros(5, dtype=torch.int64))  # noqa: E731
    work = traced(make, lambda table, index: F.embedding(index, table))
    assert work.bytes_read == 5 * 8 * 4 + 5 * 8


def test_what_no_result_depends_on_costs_nothing() -> None:
    def call(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        _ = y @ y
        return x[:, :2] + 1

    work = traced(randn((10, 10), (50, 50)), call)
    assert (work.bytes_read, work.bytes_written, work.flops.total()) == (80, 80, 0)


def test_an_input_handed_back_costs_nothing_and_one_changed_in_place_is_written() -> None:
    assert traced(randn((10, 10)), lambda x: x.t()).bytes == 0
    work = traced(randn((10, 10)), lambda x: (x.add_(1),))
    assert (work.bytes_read, work.bytes_written) == (400, 400)


def test_an_expanded_result_is_written_once() -> None:
    work = traced(randn((10, 1)), lambda x: (x + 1).expand(10, 100))
    assert (work.bytes_read, work.bytes_written) == (40, 40)


@pytest.mark.parametrize(
    ("make", "share"),
    [
        (lambda: (torch.randn(60, 60).triu(), torch.randn(60, 60).triu()), 1 / 6),
        (lambda: (torch.randn(60, 60).tril(), torch.randn(60, 60)), 1 / 2),
        (lambda: (torch.randn(60, 60), torch.randn(60, 60)), 1),
    ],
)
def test_zeros_of_a_triangle_are_not_multiplied(
    make: Callable[[], tuple[torch.Tensor, ...]], share: float
) -> None:
    assert traced(make, torch.matmul).flops.total() == int(2 * 60**3 * share)


def test_a_diagonal_matrix_scales_rows() -> None:
    work = traced(randn((60,), (60, 30)), lambda d, b: torch.diag(d) @ b)
    assert work.flops.total() == 2 * 60 * 30
    assert work.bytes_read == 4 * (60 + 60 * 30)


def test_a_triangle_is_read_without_its_zeros() -> None:
    make = lambda: (torch.randn(10, 10).triu(),)  # noqa: E731
    assert traced(make, lambda x: x.sum()).bytes_read == 4 * 55


@pytest.mark.parametrize(("causal", "share"), [(False, 1.0), (True, 0.5)])
def test_attention_by_formula(causal: bool, share: float) -> None:
    def call(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    shape = (2, 3, 16, 8)
    work = traced(randn(shape, shape, shape), call)
    assert work.flops.total() == int(2 * 3 * 4 * 16 * 16 * 8 * share)
    assert work.bytes == 4 * 4 * 2 * 3 * 16 * 8


def test_a_recurrent_layer_by_formula_is_what_its_unrolled_form_needs() -> None:
    trace = WorkTrace()
    with trace.watching(), torch.no_grad():
        layer = nn.LSTM(input_size=6, hidden_size=5, num_layers=2, batch_first=True)
        x = torch.randn(3, 7, 6)
        trace.external([x, *layer.parameters()])
        output, _ = layer(x)
        work = trace.finish([output])
    assert tuple(output.shape) == (3, 7, 5)
    matrices = 4 * 5 * (6 + 5) + 4 * 5 * (5 + 5)
    assert work.flops.total() == 2 * 3 * 7 * matrices


def test_a_convolution_counts_its_taps() -> None:
    work = traced(randn((2, 4, 8, 8), (6, 2, 3, 3)), lambda x, w: F.conv2d(x, w, groups=2))
    assert work.flops.total() == 2 * 2 * 6 * 6 * 6 * 2 * 9


def test_parameters_are_told_apart_from_inputs() -> None:
    trace = WorkTrace()
    with trace.watching(), torch.no_grad():
        layer, x = nn.Linear(10, 20), torch.randn(3, 10)
        trace.external([x], layer.parameters())
        work = trace.finish([layer(x)])
    assert (work.bytes_read, work.bytes_kept) == (4 * (30 + 220), 4 * 220)


@pytest.mark.parametrize(
    ("call", "elements"),
    [
        (lambda x: torch.tril(x) + 0, 21 + 6),  # rows of 1 to 6, and one more of 6
        (lambda x: torch.triu(x) * 2, 21),  # rows of 6 to 1, and an empty one
        (lambda x: torch.triu(x, diagonal=1) * 2, 15),
        (lambda x: torch.tril(x, -1) * 2, 21),
        (lambda x: x.triu(99) * 2, 0),
    ],
)
def test_of_a_triangle_only_its_own_side_is_read(
    call: Callable[..., object], elements: int
) -> None:
    assert traced(randn((7, 6)), call).bytes_read == 4 * elements


def test_what_a_mask_may_leave_out_need_not_be_read() -> None:
    def masks() -> tuple[torch.Tensor, ...]:
        return torch.ones(10, 10, dtype=torch.bool), torch.randn(10, 10), torch.randn(10, 10)

    chosen = traced(masks, lambda mask, a, b: torch.where(mask, a, b))
    assert chosen.bytes_read == 100 + 400  # the mask, and one of the two
    filled = traced(masks, lambda mask, a, b: a.masked_fill(mask, 0.0))
    assert filled.bytes_read == 100
