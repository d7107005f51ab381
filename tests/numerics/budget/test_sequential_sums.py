"""Running sums of the accumulation dtype are right at any length; less precise ones are not."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from assay.numerics.budget.sequential_sums import SequentialSums, drift
from assay.numerics.expectation import compare
from support.references import expected, normal

N = 65569
SOURCE = r"""
#include <cmath>
extern "C" {
void sums(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n) {
    float s = 0;
    for (long i = 0; i < n; ++i) s += x[i];
    y[r] = s;
  }
}
void softmax(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n, y += n) {
    float top = x[0], s = 0;
    for (long i = 1; i < n; ++i) top = std::fmax(top, x[i]);
    for (long i = 0; i < n; ++i) s += y[i] = std::exp(x[i] - top);
    for (long i = 0; i < n; ++i) y[i] /= s;
  }
}
void variance(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n) {
    float s = 0, v = 0;
    for (long i = 0; i < n; ++i) s += x[i];
    s /= n;
    for (long i = 0; i < n; ++i) v += (x[i] - s) * (x[i] - s);
    y[r] = v / (n - 1);
  }
}
void matmul(const float* a, const float* b, float* c, long m, long n, long k) {
  for (long i = 0; i < m; ++i) for (long j = 0; j < n; ++j) {
    float s = 0; for (long p = 0; p < k; ++p) s += a[i * k + p] * b[p * n + j]; c[i * n + j] = s;
  }
}
}
"""


@pytest.fixture(scope="module")
def sequential(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., torch.Tensor]:
    """Plain loops: no order of additions but the one that is written."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    path: Path = tmp_path_factory.mktemp("loops") / "loops.cpp"
    path.write_text(SOURCE)
    library = path.with_suffix(".so")
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", library, path], check=True)
    loops = ctypes.CDLL(str(library))

    def run(name: str, tensors: list[torch.Tensor], *sizes: int) -> torch.Tensor:
        places = [ctypes.c_void_p(t.data_ptr()) for t in tensors]
        getattr(loops, name)(*places, *map(ctypes.c_long, sizes))
        return tensors[-1]

    return run


def used(reference: Callable[..., Any], inputs: list[torch.Tensor], actual: torch.Tensor) -> float:
    expectation = expected(reference, *inputs)
    share = compare(expectation, actual).budget_used
    return math.inf if share is None else share


def constants(rows: int = 4) -> torch.Tensor:
    return torch.linspace(0.11, 3.7, rows)[:, None].repeat(1, N)


def few_values(rows: int = 4) -> torch.Tensor:
    picked = torch.randint(0, 3, (rows, N), generator=torch.Generator().manual_seed(5))
    return torch.tensor([0.1, 0.7, 1.9])[picked]


def zeros_and_ones(rows: int = 4) -> torch.Tensor:
    return torch.randint(0, 2, (rows, N), generator=torch.Generator().manual_seed(7)).float()


CONTENTS = {
    "constants": constants,
    "few values": few_values,
    "0 and 1": zeros_and_ones,
    "normal": lambda: normal(4, N),
}


@pytest.mark.parametrize("content", CONTENTS)
def test_plain_loops_are_right_over_65569_terms(
    content: str, sequential: Callable[..., torch.Tensor]
) -> None:
    x = CONTENTS[content]()
    rows, y = x.shape[0], torch.empty(x.shape[0])
    total = sequential("sums", [x, y], rows, N)
    assert used(lambda v: v.sum(-1), [x], total) < 0.75
    assert used(lambda v: v.mean(-1), [x], total / N) < 0.75
    made = sequential("variance", [x, torch.empty(rows)], rows, N)
    assert used(lambda v: v.var(-1), [x], made) < 0.75
    made = sequential("softmax", [x, torch.empty_like(x)], rows, N)
    assert used(lambda v: torch.softmax(v, -1), [x], made) < 0.75


@pytest.mark.parametrize("content", ["constants", "few values", "0 and 1"])
def test_a_plain_product_is_right_over_65569_terms(
    content: str, sequential: Callable[..., torch.Tensor]
) -> None:
    a = CONTENTS[content]()
    b = CONTENTS[content]().t().contiguous() * 0.3
    made = sequential("matmul", [a, b, torch.empty(4, 4)], 4, 4, N)
    assert used(torch.matmul, [a, b], made) < 0.75


def test_without_the_measure_the_mean_of_constants_would_be_refused(
    sequential: Callable[..., torch.Tensor],
) -> None:
    x = constants()
    total = sequential("sums", [x, torch.empty(4)], 4, N)
    off = ((total.double() - x.double().sum(-1)) / x.double().sum(-1)).abs().max()
    assert off > 4096 * 2.0**-24  # what a chain of 4096 roundings covers


def test_lanes_and_blocks_are_right_too() -> None:
    for content in CONTENTS.values():
        x = content()
        lanes = [_running(x[:, i::8]) for i in range(8)]
        assert used(lambda v: v.sum(-1), [x], torch.stack(lanes).sum(0)) < 0.75
        assert used(lambda v: v.sum(-1), [x], _running(x.flip(1))) < 0.75


def test_losses_and_normalisations_by_running_sums_are_right() -> None:
    x, y = few_values(1)[0], constants(1)[0]
    made = _running(((x - y) ** 2)[None])[0] / N
    assert used(F.mse_loss, [x, y], made) < 0.75
    rows = few_values() + 5.0
    mean = _running(rows)[:, None] / N
    variance = _running((rows - mean) ** 2)[:, None] / N
    normed = (rows - mean) * (variance + 1e-5).rsqrt()
    assert used(lambda v: F.layer_norm(v, (N,)), [rows], normed) < 0.75


MUTANTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "half sum": lambda x: torch.from_numpy(
        np.add.accumulate(x.numpy().astype(np.float16), axis=1)[:, -1].astype(np.float32)
    ),
    "stops half way": lambda x: x[:, : N // 2].double().sum(-1).float(),
    "drops a tail of 33": lambda x: x[:, : N - 33].double().sum(-1).float(),
    "every other term twice": lambda x: (2 * x[:, ::2].double().sum(-1)).float(),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_wrong_sums_stay_refused(mutant: str) -> None:
    x = normal(4, N) + 1.0
    assert used(lambda v: v.sum(-1), [x], MUTANTS[mutant](x)) > 1.0


@pytest.mark.parametrize("mutant", ["half sum", "stops half way"])
@pytest.mark.parametrize("content", ["constants", "few values", "0 and 1"])
def test_coarse_sums_of_few_values_stay_refused(mutant: str, content: str) -> None:
    x = CONTENTS[content]()
    assert used(lambda v: v.sum(-1), [x], MUTANTS[mutant](x)) > 4.0


def test_the_budget_of_other_contents_does_not_grow() -> None:
    x = normal(4, N)
    expectation = expected(lambda v: v.sum(-1), x)
    assert expectation.budget is not None
    off = drift(x.double(), torch.float32).abs().max()
    assert float(2 * off) < 0.25 * float(expectation.budget.min())


def test_short_sums_are_left_alone() -> None:
    x = constants().double()
    with SequentialSums(torch.float32, N):
        same = x.sum(-1)
    with SequentialSums(torch.float32, N - 1):
        moved = x.sum(-1)
    assert torch.equal(same, x.sum(-1)) and not torch.equal(moved, same)


@pytest.mark.parametrize(
    "product, shapes",
    [
        (F.linear, [(2, 0, 5000), (3, 5000)]),
        (F.linear, [(4, 5000), (0, 5000)]),
        (torch.bmm, [(2, 0, 5000), (2, 5000, 3)]),
        (torch.bmm, [(0, 2, 5000), (0, 5000, 3)]),
    ],
)
def test_an_empty_product_of_long_rows_has_nothing_to_add_up(
    product: Callable[..., torch.Tensor], shapes: list[tuple[int, ...]]
) -> None:
    """Its sampled rows were chosen modulo 0: tasks with rows past 4096 were called invalid."""
    inputs = [torch.zeros(shape) for shape in shapes]
    assert used(product, inputs, product(*inputs)) == 0.0


def test_more_rows_than_are_added_up_get_the_worst_share() -> None:
    rows = torch.full((300, N), 0.1, dtype=torch.float64)
    found = drift(rows, torch.float32)
    (one,) = drift(rows[:1], torch.float32)
    assert torch.allclose(found, one.expand(300))


def _running(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.add.accumulate(x.numpy(), axis=1)[:, -1].copy())


@pytest.mark.parametrize("scale", [3e-4, 1e-3])
def test_shorter_running_sums_count_where_the_output_cancels(scale: float) -> None:
    rows = normal(64, 1024) * scale - 1000.1
    mean = _running(rows)[:, None] / 1024
    variance = _running((rows - mean) ** 2)[:, None] / 1024
    normed = (rows - mean) * (variance + 1e-12).rsqrt()
    reference = lambda v: F.layer_norm(v, (1024,), eps=1e-12)  # noqa: E731
    assert used(reference, [rows], normed) < 0.2  # 0.09 by the measure, 0.35 without
