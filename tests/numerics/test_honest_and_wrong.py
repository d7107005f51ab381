"""The budget against kernels: other honest algorithms stay below half of it, wrong ones leave it.

Wrong kernels are judged on the workload that shows them, as a plan would hold it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from assay.numerics.expectation import OutputExpectation, compare
from support.references import expected, normal

Kernel = Callable[..., torch.Tensor]
BF16 = torch.bfloat16


def share(expectation: OutputExpectation, actual: torch.Tensor) -> float:
    used = compare(expectation, actual).budget_used
    return math.inf if used is None else used


def running_sum(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(x.shape[:-1])
    for i in range(x.shape[-1]):
        total = total + x[..., i]
    return total[..., None]


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


def softmax_online(x: torch.Tensor) -> torch.Tensor:
    top, total = torch.full(x.shape[:-1], -math.inf), torch.zeros(x.shape[:-1])
    for i in range(x.shape[-1]):
        new = torch.maximum(top, x[..., i])
        total = total * (top - new).exp() + (x[..., i] - new).exp()
        top = new
    return (x - top[..., None]).exp() / total[..., None]


def softmax_base_two(x: torch.Tensor) -> torch.Tensor:
    y = x * 1.44269504
    e = torch.exp2(y - y.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def softmax_cubic_exp(x: torch.Tensor) -> torch.Tensor:
    y = (x - x.amax(-1, keepdim=True)) * 1.44269504
    f = y - y.floor()
    e = torch.ldexp(1 + f * (0.695976 + f * (0.224940 + f * 0.079020)), y.floor().int())
    return e / e.sum(-1, keepdim=True)


def layer_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, (x.shape[-1],), w, b, 1e-5)


def layer_norm_welford(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    mean, squares = torch.zeros(x.shape[:-1]), torch.zeros(x.shape[:-1])
    for i in range(x.shape[-1]):
        change = x[..., i] - mean
        mean = mean + change / (i + 1)
        squares = squares + change * (x[..., i] - mean)
    scale = torch.rsqrt(squares / x.shape[-1] + 1e-5)
    return (x - mean[..., None]) * scale[..., None] * w + b


def layer_norm_by_squares(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean * mean
    return (x - mean) * torch.rsqrt(variance + 1e-5) * w + b


def rms_norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


def matmul_running(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(a.shape[0], b.shape[1])
    for k in range(a.shape[1]):
        total = total + a[:, k : k + 1] * b[k : k + 1]
    return total


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v)


def attention_naive(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])) @ v


def narrowed(function: Kernel, dtype: torch.dtype) -> Kernel:
    return lambda *inputs: function(*(x.to(dtype).float() for x in inputs))


def gelu_from_erf(x: torch.Tensor) -> torch.Tensor:
    """With erf to the last bit: torch's own is eight of them off on some machines."""
    erf = torch.erf((x * 0.7071067811865476).double()).to(x.dtype)
    return 0.5 * x * (1 + erf)


def outliers(x: torch.Tensor) -> torch.Tensor:
    return torch.where(
        torch.rand(x.shape, generator=torch.Generator().manual_seed(1)) < 1e-3, 50 * x, x
    )


NORM = (normal(64, seed=8), normal(64, seed=9))
HONEST: dict[str, tuple[Kernel, Kernel, tuple[torch.Tensor, ...]]] = {
    "softmax online": (softmax, softmax_online, (normal(64, 300),)),
    "softmax beside outliers": (softmax, softmax_online, (outliers(normal(64, 1024)),)),
    "softmax in base two, large": (softmax, softmax_base_two, (64 * normal(64, 129),)),
    "gelu from erf": (F.gelu, gelu_from_erf, (normal(48, 32),)),
    "gelu from erf, large": (F.gelu, gelu_from_erf, (64 * normal(64, 256),)),
    "layer norm by Welford": (layer_norm, layer_norm_welford, (normal(96, 64), *NORM)),
    "layer norm, far from zero": (layer_norm, layer_norm_welford, (normal(96, 64) + 1e3, *NORM)),
    "matmul, running sum": (matmul, matmul_running, (normal(64, 512), normal(512, 64, seed=1))),
    "matmul, positive": (matmul, matmul_running, (normal(64, 512).abs(), normal(512, 64).abs())),
    "attention": (
        attention,
        attention_naive,
        tuple(normal(2, 2, 40, 32, seed=s) for s in range(3)),
    ),
    "cumsum": (
        lambda x: torch.cumsum(x, -1),
        lambda x: torch.cat([running_sum(x[..., : i + 1]) for i in range(x.shape[-1])], -1),
        (normal(64, 100),),
    ),
}


@pytest.mark.parametrize("name", HONEST)
@pytest.mark.parametrize("dtype", [torch.float32, BF16])
def test_honest_kernels_use_less_than_half(name: str, dtype: torch.dtype) -> None:
    reference, kernel, inputs = HONEST[name]
    cast = [x.to(dtype) for x in inputs]
    expectation = expected(reference, *cast)
    own = kernel(*(x.float() for x in cast)).to(dtype)
    better = reference(*(x.double() for x in cast)).to(dtype)
    assert share(expectation, own) < 0.5
    assert share(expectation, better) < 0.25
    assert share(expectation, expectation.reference) <= 0.2501


WRONG: dict[str, tuple[Kernel, Kernel, tuple[torch.Tensor, ...]]] = {
    "softmax of fp16": (softmax, narrowed(softmax, torch.float16), (normal(64, 32),)),
    "softmax, last term dropped": (
        softmax,
        lambda x: (
            (x - x.amax(-1, keepdim=True)).exp()
            / (x[..., :-1] - x.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True)
        ),
        (normal(64, 1000),),
    ),
    "softmax without the maximum": (
        softmax,
        lambda x: x.exp() / x.exp().sum(-1, keepdim=True),
        (normal(64, 32) + 100,),
    ),
    "softmax with a cubic exp": (softmax, softmax_cubic_exp, (normal(64, 32),)),
    "gelu by tanh": (F.gelu, lambda x: F.gelu(x, approximate="tanh"), (normal(64, 32),)),
    "gelu by sigmoid": (F.gelu, lambda x: x * torch.sigmoid(1.702 * x), (normal(64, 32),)),
    "gelu of fp16": (F.gelu, narrowed(F.gelu, torch.float16), (normal(64, 32),)),
    "layer norm by squares": (layer_norm, layer_norm_by_squares, (normal(96, 64) + 1e3, *NORM)),
    "layer norm, other eps": (
        layer_norm,
        lambda x, w, b: F.layer_norm(x, (64,), w, b, 1e-6),
        (normal(96, 64) * 1e-3, *NORM),
    ),
    "rms norm without eps": (
        rms_norm,
        lambda x, w: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True)) * w,
        (normal(96, 64) * 2**-10, NORM[0]),
    ),
    "rms norm of every other": (
        rms_norm,
        lambda x, w: x * torch.rsqrt(x[..., ::2].pow(2).mean(-1, keepdim=True) + 1e-6) * w,
        (normal(96, 64), NORM[0]),
    ),
    "matmul of fp16": (
        matmul,
        narrowed(matmul, torch.float16),
        (normal(48, 32), normal(32, 48, seed=1)),
    ),
    "long matmul of fp16": (
        matmul,
        narrowed(matmul, torch.float16),
        (normal(48, 1024), normal(1024, 48, seed=1)),
    ),
    "matmul, last term dropped": (
        matmul,
        lambda a, b: a[:, :-1] @ b[:-1],
        (normal(48, 1024), normal(1024, 48, seed=1)),
    ),
    "attention of bf16 weights": (
        attention,
        lambda q, k, v: softmax(q @ k.transpose(-1, -2) / math.sqrt(32)).bfloat16().float() @ v,
        tuple(normal(2, 2, 24, 32, seed=s) for s in range(3)),
    ),
    "cross entropy of all but one row": (
        lambda x: F.cross_entropy(x, torch.arange(64) % 32),
        lambda x: F.cross_entropy(x[:-1], torch.arange(63) % 32),
        (normal(64, 32),),
    ),
    "logsumexp without the maximum": (
        lambda x: torch.logsumexp(x, -1),
        lambda x: x.exp().sum(-1).log(),
        (normal(64, 32) + 100,),
    ),
    "zeros": (softmax, torch.zeros_like, (normal(64, 1024),)),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernels_use_more_than_twice(name: str) -> None:
    reference, kernel, inputs = WRONG[name]
    assert share(expected(reference, *inputs), kernel(*inputs)) > 2.0


def test_low_precision_accumulation_of_bf16_is_wrong() -> None:
    a, b = normal(48, 256).to(BF16), normal(256, 48, seed=1).to(BF16)
    total = torch.zeros(48, 48, dtype=BF16)
    for k in range(0, 256, 16):
        total = total + a[:, k : k + 16] @ b[k : k + 16]
    assert share(expected(matmul, a, b), total) > 2.0


def test_truncation_to_bf16_shows_in_the_mean_only() -> None:
    a, b = normal(48, 32).to(BF16), normal(32, 48, seed=1).to(BF16)
    exact = a.float() @ b.float()
    cut = (exact.view(torch.int32) & -65536).view(torch.float32).to(BF16)
    expectation = expected(matmul, a, b)
    summary = compare(expectation, cut)
    assert not summary.ok and "ulp" in summary.text
    assert compare(expectation, exact.to(BF16)).ok


def _tf32(x: torch.Tensor, added: int) -> torch.Tensor:
    """Rounded to 11 bits, or cut where nothing is added."""
    return ((x.view(torch.int32) + added) & ~0x1FFF).view(torch.float32)


def _summed_in_float16(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(len(a), b.shape[1], dtype=torch.float16)
    for k in range(a.shape[1]):
        total += a[:, k : k + 1].half() * b[k : k + 1].half()
    return total.float()


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("added", [0x1000, 0])
def test_tf32_is_a_policy(added: int, positive: bool) -> None:
    a, b = normal(96, 512), normal(512, 96, seed=1)
    if positive:
        a, b = a.abs(), b.abs()
    strict, allowing = expected(matmul, a, b), expected(matmul, a, b, tf32=True)
    rounded: Any = _tf32(a, added) @ _tf32(b, added)
    assert not compare(strict, rounded).ok
    assert compare(allowing, rounded).ok
    assert compare(strict, a @ b).ok and compare(allowing, a @ b).ok


def test_tf32_allows_no_less_than_tf32() -> None:
    a, b = normal(96, 512), normal(512, 96, seed=1)
    allowing = expected(matmul, a, b, tf32=True)
    assert not compare(allowing, _summed_in_float16(a, b)).ok
    assert not compare(allowing, (a.to(BF16).float() @ b.to(BF16).float())).ok
    assert not compare(allowing, torch.zeros(96, 96)).ok


def test_tf32_shortens_nothing_that_is_shorter_already() -> None:
    a, b = normal(48, 64).to(BF16), normal(64, 48, seed=1).to(BF16)
    budgets = [expected(matmul, a, b, tf32=tf32).budget for tf32 in (False, True)]
    assert budgets[0] is not None and budgets[1] is not None
    assert torch.equal(*budgets)


def test_exact_inputs_expose_rounded_operands_and_spare_any_order() -> None:
    odd = (
        torch.randint(-4096, 4096, (48, 64), generator=torch.Generator().manual_seed(0)) * 2 + 1
    ) / 4096
    small = torch.randint(-2, 3, (64, 48), generator=torch.Generator().manual_seed(1)).float()
    expectation = expected(matmul, odd, small, exact=True)
    assert share(expectation, matmul_running(odd, small)) == 0.0
    assert share(expectation, narrowed(matmul, torch.float16)(odd, small)) > 20.0
