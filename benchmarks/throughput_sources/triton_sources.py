"""Eight native tasks in Triton: elementwise, reductions of rows, normalisations, products."""

from __future__ import annotations

from collections.abc import Mapping

from throughput_sources.generated import Choices, Family, Generated, generated

_HEAD = '''"""$name."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


def checked(x):
    if x.dtype != torch.float32:
        raise TypeError("this kernel computes in float32 only")
    return x.contiguous()


'''
_FLAT = (
    _HEAD
    + """@triton.jit
def $name($pointers, out_ptr, count, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = place < count
$loads
    tl.store(out_ptr + place, $value, mask=inside)


class ModelNew(nn.Module):
    def forward(self, $arguments):
        $arguments = $contiguous
        out = torch.empty_like($first)
        if out.numel():
            grid = (triton.cdiv(out.numel(), $block),)
            $name[grid]($arguments, out, out.numel(), BLOCK=$block, num_warps=$warps)
        return out
"""
)
_ROWS = (
    _HEAD
    + """@triton.jit
def $name(x_ptr, ${weights}out_ptr, rows, columns, ${eps}R: tl.constexpr, C: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)[:, None]
$body


class ModelNew(nn.Module):
$init    def forward(self, x):
        x = checked(x)
        rows, columns = x.shape
        out = $out
        if x.numel():
            grid = (triton.cdiv(rows, $height),)
            $name[grid](
                x, ${passed}out, rows, columns, ${passed_eps}R=$height, C=$width, num_warps=$warps
            )
        return out
"""
)
_PRODUCT = (
    _HEAD
    + """@triton.jit
def $name(
    a_ptr, b_ptr, ${bias}c_ptr, m, n, k, a_row, a_column, b_row, b_column,
    TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr,
):
    row = tl.program_id($row_axis) * TM + tl.arange(0, TM)[:, None]
    column = tl.program_id($column_axis) * TN + tl.arange(0, TN)[None, :]
    total = tl.zeros((TM, TN), dtype=tl.float32)
    for start in range(0, k, TK):
        inner = start + tl.arange(0, TK)
        a_mask = (row < m) & (inner[None, :] < k)
        b_mask = (inner[:, None] < k) & (column < n)
        a = tl.load(a_ptr + row * a_row + inner[None, :] * a_column, mask=a_mask, other=0.0)
        b = tl.load(b_ptr + inner[:, None] * b_row + column * b_column, mask=b_mask, other=0.0)
        total $accumulate
$finish    tl.store(c_ptr + row * n + column, total, mask=(row < m) & (column < n))


class ModelNew(nn.Module):
$forward
        m, k = a.shape
        n = b.shape[1]
        c = torch.empty((m, n), dtype=a.dtype, device=a.device)
        if c.numel():
            grid = $grid
            $name[grid](
                a, b, ${passed}c, m, n, k, *a.stride(), *b.stride(),
                TM=$tm, TN=$tn, TK=$tk, num_warps=$warps,
            )
        return c
"""
)
_LOAD = "tl.load(x_ptr + row * columns + column, mask=mask, other={})"
_LOOP = """    for start in range(0, columns, C):
        column = start + tl.arange(0, C)[None, :]
        mask = (row < rows) & (column < columns)
        x = {load}
"""
_STORE = "        tl.store(out_ptr + row * columns + column, {}, mask=mask)\n"
_SCALES = ("1.0 / tl.sqrt(squares / columns + eps)", "tl.rsqrt(squares / columns + eps)")
_WEIGHT = "        {0} = tl.load({0}_ptr + column, mask=column < columns, other=0.0)\n"


def _loop(other: str, *lines: str) -> str:
    return _LOOP.format(load=_LOAD.format(other)) + "".join(lines)


def _flat(choices: Choices) -> dict[str, str]:
    return {"block": choices.one(512, 1024, 2048, 4096), "warps": choices.one(2, 4, 8)}


def _gelu(choices: Choices) -> Mapping[str, str]:
    root = choices.one("0.7071067811865476", "0.70710678118654752440", "0.707106781186547524")
    value = choices.one(
        f"0.5 * x * (1.0 + tl.erf(x * {root}))",
        f"x * (0.5 * (1.0 + tl.erf({root} * x)))",
        f"(x * 0.5) * (tl.erf(x * {root}) + 1.0)",
    )
    return _flat(choices) | {
        "pointers": "x_ptr",
        "loads": "    x = tl.load(x_ptr + place, mask=inside, other=0.0)",
        "value": value,
        "arguments": "x",
        "contiguous": "checked(x)",
        "first": "x",
    }


def _swiglu(choices: Choices) -> Mapping[str, str]:
    load = "    {0} = tl.load({0}_ptr + place, mask=inside, other=0.0)"
    value = choices.one(
        "gate / (1.0 + tl.exp(-gate)) * up",
        "gate * (1.0 / (1.0 + tl.exp(-gate))) * up",
        "up * (gate / (tl.exp(-gate) + 1.0))",
    )
    return _flat(choices) | {
        "pointers": "gate_ptr, up_ptr",
        "loads": load.format("gate") + "\n" + load.format("up"),
        "value": value,
        "arguments": "gate, up",
        "contiguous": "checked(gate), checked(up)",
        "first": "gate",
    }


def _rows(choices: Choices) -> dict[str, str]:
    return {
        "height": choices.one(1, 2, 4),
        "width": choices.one(256, 512, 1024, 2048),
        "warps": choices.one(2, 4, 8),
        "weights": "",
        "eps": "",
        "passed": "",
        "passed_eps": "",
        "init": "",
        "out": "torch.empty_like(x)",
    }


def _row_sum(choices: Choices) -> Mapping[str, str]:
    ends = "tl.store(out_ptr + row, {}, mask=row < rows)"
    whole = "    part = tl.zeros((R, C), dtype=tl.float32)\n" + _loop("0.0", "        part += x\n")
    steps = "    total = tl.zeros((R,), dtype=tl.float32)\n" + _loop(
        "0.0", "        total += tl.sum(x, axis=1)\n"
    )
    body = choices.one(
        whole + "    " + ends.format("tl.sum(part, axis=1)[:, None]"),
        steps + "    " + ends.format("total[:, None]"),
    )
    out = "torch.empty(rows, dtype=x.dtype, device=x.device)"
    return _rows(choices) | {"body": body, "out": out}


def _softmax(choices: Choices) -> Mapping[str, str]:
    """Column by column first: Triton 3.6 does not compile a reduction inside these loops."""
    top = '    top = tl.full((R, C), -float("inf"), dtype=tl.float32)\n'
    top += _loop('-float("inf")', "        top = tl.maximum(top, x)\n")
    top += "    peak = tl.max(top, axis=1)[:, None]\n"
    power = choices.one("tl.exp(x - peak)", "tl.exp2((x - peak) * 1.4426950408889634)")
    total = "    total = tl.zeros((R, C), dtype=tl.float32)\n"
    total += _loop('-float("inf")', f"        total += {power}\n")
    total += "    whole = tl.sum(total, axis=1)[:, None]\n"
    value = choices.one(f"{power} / whole", f"{power} * (1.0 / whole)")
    return _rows(choices) | {
        "body": (top + total + _loop('-float("inf")', _STORE.format(value))).rstrip("\n")
    }


def _normalised(choices: Choices, names: tuple[str, ...], eps: str) -> dict[str, str]:
    ones = {"weight": "ones", "bias": "zeros"}
    made = "".join(f"        self.{n} = nn.Parameter(torch.{ones[n]}(features))\n" for n in names)
    init = (
        f"    def __init__(self, features, eps={eps}):\n        super().__init__()\n{made}"
        "        self.eps = eps\n\n"
    )
    return _rows(choices) | {
        "weights": "".join(f"{n}_ptr, " for n in names),
        "eps": "eps, ",
        "passed": "".join(f"self.{n}, " for n in names),
        "passed_eps": "self.eps, ",
        "init": init,
    }


def _rmsnorm(choices: Choices) -> Mapping[str, str]:
    squares = "    squares = tl.zeros((R,), dtype=tl.float32)\n"
    squares += _loop("0.0", "        squares += tl.sum(x * x, axis=1)\n")
    scale = choices.one(
        "1.0 / tl.sqrt(squares / columns + eps)", "tl.rsqrt(squares / columns + eps)"
    )
    value = choices.one("x * scale[:, None] * weight", "(scale[:, None] * x) * weight")
    body = squares + f"    scale = {scale}\n"
    body += _loop("0.0", _WEIGHT.format("weight"), _STORE.format(value)).rstrip("\n")
    return _normalised(choices, ("weight",), "1e-6") | {"body": body}


def _layernorm(choices: Choices) -> Mapping[str, str]:
    mean = "    total = tl.zeros((R,), dtype=tl.float32)\n"
    mean += _loop("0.0", "        total += tl.sum(x, axis=1)\n")
    mean += "    mean = (total / columns)[:, None]\n"
    spread = "    squares = tl.zeros((R,), dtype=tl.float32)\n" + _loop(
        "0.0",
        "        away = tl.where(mask, x - mean, 0.0)\n",
        "        squares += tl.sum(away * away, axis=1)\n",
    )
    scale = choices.one(
        "1.0 / tl.sqrt(squares / columns + eps)", "tl.rsqrt(squares / columns + eps)"
    )
    value = choices.one(
        "(x - mean) * scale[:, None] * weight + bias",
        "bias + weight * ((x - mean) * scale[:, None])",
    )
    body = mean + spread + f"    scale = {scale}\n"
    loads = _WEIGHT.format("weight"), _WEIGHT.format("bias")
    body += _loop("0.0", *loads, _STORE.format(value)).rstrip("\n")
    return _normalised(choices, ("weight", "bias"), "1e-5") | {"body": body}


def _product(choices: Choices) -> dict[str, str]:
    tm, tn = choices.one(16, 32, 64), choices.one(16, 32, 64)
    swapped = choices.one(True, False) == "True"
    tiles = [f"triton.cdiv(m, {tm})", f"triton.cdiv(n, {tn})"]
    return {
        "tm": tm,
        "tn": tn,
        "tk": choices.one(16, 32, 64),
        "warps": choices.one(2, 4, 8),
        "row_axis": "1" if swapped else "0",
        "column_axis": "0" if swapped else "1",
        "grid": f"({', '.join(reversed(tiles) if swapped else tiles)})",
        "accumulate": choices.one(
            '+= tl.dot(a, b, input_precision="ieee")',
            '= tl.dot(a, b, total, input_precision="ieee")',
        ),
    }


def _matmul(choices: Choices) -> Mapping[str, str]:
    forward = "    def forward(self, a, b):\n        checked(a)"
    return _product(choices) | {"bias": "", "finish": "", "passed": "", "forward": forward}


def _linear_relu(choices: Choices) -> Mapping[str, str]:
    forward = (
        "    def __init__(self, in_features, out_features):\n        super().__init__()\n"
        "        self.fc = nn.Linear(in_features, out_features)\n\n"
        "    def forward(self, x):\n        a, b = checked(x), self.fc.weight.T"
    )
    finish = "    total += tl.load(bias_ptr + column, mask=column < n, other=0.0)\n"
    finish += choices.one(
        "    total = tl.where(total < 0.0, 0.0, total)\n",
        "    total = tl.where(total != total, total, tl.maximum(total, 0.0))\n",
    )
    return _product(choices) | {
        "bias": "bias_ptr, ",
        "finish": finish,
        "passed": "self.fc.bias, ",
        "forward": forward,
    }


FAMILIES = (
    Family("gelu", "gelu", _FLAT, _gelu),
    Family("swiglu", "swiglu", _FLAT, _swiglu),
    Family("row_sum", "row_sum", _ROWS, _row_sum),
    Family("softmax", "softmax", _ROWS, _softmax),
    Family("rmsnorm", "rmsnorm", _ROWS, _rmsnorm),
    Family("layernorm", "layernorm", _ROWS, _layernorm),
    Family("matmul", "matmul", _PRODUCT, _matmul),
    Family("linear_relu", "linear_relu", _PRODUCT, _linear_relu),
)


def triton_sources(seed: int, count: int) -> list[Generated]:
    """So many Triton candidates over the eight tasks."""
    return generated(FAMILIES, seed, count, ".py")
