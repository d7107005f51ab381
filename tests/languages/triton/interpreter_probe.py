"""Run in a process of its own with TRITON_INTERPRET=1: repairs, then measures. Prints JSON."""

from __future__ import annotations

import json
import sys

import torch
import triton
import triton.language as tl

from assay.languages.triton.triton_interpreter import repair


@triton.jit
def _cast(x_ptr, y_ptr, n: tl.constexpr):
    offs = tl.arange(0, n)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs).to(tl.bfloat16))


@triton.jit
def _arithmetic(x_ptr, y_ptr, z_ptr, b_ptr, n: tl.constexpr):
    offs = tl.arange(0, n)
    x, y = tl.load(x_ptr + offs), tl.load(y_ptr + offs)
    half = tl.full((n,), 0.5, dtype=tl.bfloat16)
    tl.store(z_ptr + offs, tl.maximum(x + y, -x * half))
    tl.store(b_ptr + offs, (x < y).to(tl.float32) + x.to(tl.int32).to(tl.float32))


@triton.jit
def _dot(a_ptr, b_ptr, c_ptr, n: tl.constexpr):
    offs = tl.arange(0, n)[:, None] * n + tl.arange(0, n)[None, :]
    tl.store(c_ptr + offs, tl.dot(tl.load(a_ptr + offs), tl.load(b_ptr + offs)))


@triton.jit
def _atomic(x_ptr, total_ptr, n: tl.constexpr):
    value = tl.load(x_ptr + tl.arange(0, n))
    tl.atomic_add(total_ptr + tl.arange(0, n) % 2, value)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 48}),
        triton.Config({"BLOCK": 64}),
        triton.Config({"BLOCK": 32}),
    ],
    key=["n"],
)
@triton.jit
def _tuned(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK % 32 == 0, "block must be a multiple of 32")
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) * 2, mask=offs < n)


cast_to = tl.cast  # a function of the language under another name


@triton.jit
def _aliased(x_ptr, y_ptr, n: tl.constexpr):
    offs = tl.arange(0, n)
    tl.store(y_ptr + offs, cast_to(tl.load(x_ptr + offs), tl.float32))


@triton.jit
def _least(dtype):
    value: tl.constexpr = float("-inf") if dtype.value.is_floating() else 0
    return value


@triton.jit
def _dtype_handed_on(y_ptr):
    tl.store(y_ptr, _least(y_ptr.dtype.element_ty))


@triton.jit
def _increment(x_ptr, n: tl.constexpr):
    offs = tl.arange(0, n)
    tl.store(x_ptr + offs, tl.load(x_ptr + offs) + 1)


class _Address:
    """What the compiler takes for a pointer: an address and a dtype."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.dtype, self._tensor = tensor.dtype, tensor

    def data_ptr(self) -> int:
        return self._tensor.data_ptr()


def _ulps(got: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """Signed distance in units of bf16's last place (7 mantissa bits), away from zero positive."""
    step = torch.exp2(torch.floor(torch.log2(exact.abs())) - 7)
    return (got.float().abs() - exact.abs()) / step


def measure() -> dict[str, float]:
    """Errors of each repaired operation."""
    torch.manual_seed(0)
    x = torch.randn(4096)
    cast = torch.empty(4096, dtype=torch.bfloat16)
    _cast[(1,)](x, cast, 4096)
    a, b = torch.randn(256).bfloat16(), torch.randn(256).bfloat16()
    z, flags = torch.empty_like(a), torch.empty(256)
    _arithmetic[(1,)](a, b, z, flags, 256)
    m, k = torch.randn(32, 32).bfloat16(), torch.randn(32, 32).bfloat16()
    c = torch.empty(32, 32)
    _dot[(1,)](m, k, c, 32)
    total = torch.zeros(2, dtype=torch.bfloat16)
    _atomic[(1,)](torch.ones(8).bfloat16(), total, 8)
    special = torch.tensor(
        [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 3.4e38, 1e-40, 1.0]
    )
    out = torch.empty(8, dtype=torch.bfloat16)
    _cast[(1,)](special, out, 8)
    return {
        "cast_bias_ulps": float(_ulps(cast, x).mean()),
        "cast_mismatches": float((cast != x.bfloat16()).sum()),
        "arithmetic_mismatches": float((z != torch.maximum(a + b, -a * 0.5)).sum()),
        "flag_mismatches": float((flags != (a < b).float() + a.int().float()).sum()),
        "dot_error": float((c - m.float() @ k.float()).abs().max()),
        "atomic_total": float(total.float().sum()),
        "special_mismatches": float(
            (out.view(torch.int16) != special.bfloat16().view(torch.int16))[1:].sum()
        ),
        "nan_kept": float(out[0].isnan()),
    }


def tuned() -> dict[str, float]:
    """Whether an autotuned kernel with several configs runs, and which one was taken."""
    x = torch.randn(100)
    y = torch.zeros(100)
    _tuned[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, y, 100)
    return {
        "tuned_error": float((y - 2 * x).abs().max()),
        "block": _tuned.best_config.kwargs["BLOCK"],
    }


def names() -> dict[str, object]:
    """What names, dtypes and arguments mean in an interpreted kernel."""
    y, least, changed = torch.empty(2), torch.empty(1), torch.tensor([1.0, 2.0])
    _aliased[(1,)](torch.tensor([1, 2]), y, 2)
    _dtype_handed_on[(1,)](least)
    _increment[(1,)](_Address(changed), 2)
    return {
        "aliased_cast": y.tolist(),
        "dtype_handed_on": float(least),
        "pointer_like": changed.tolist(),
        "is_jit_function": isinstance(triton.jit(_ulps), triton.runtime.jit.JITFunction),
    }


if __name__ == "__main__":
    repaired = repair() if "--repair" in sys.argv else ()
    result: dict[str, object] = {"repaired": repaired, "version": triton.__version__}
    if "--repair" in sys.argv:
        result |= measure() | tuned() | names()
    else:
        x = torch.randn(4096)
        y = torch.empty(4096, dtype=torch.bfloat16)
        _cast[(1,)](x, y, 4096)
        result["cast_bias_ulps"] = float(_ulps(y, x).mean())
    print(json.dumps(result))
