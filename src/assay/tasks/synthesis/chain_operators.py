"""Operator: one function that a chain is made of.

The rule: each names the native task that asks for it alone, and has a plain version on numbers, so
that a chain can be tried without torch. `{x}` in a text is the value so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, pvariance

Row = Sequence[float]


@dataclass(frozen=True)
class Pointwise:
    """Element by element: one number in, one out; ValueError outside its domain."""

    native: str
    text: str
    of: Callable[[float], float]


@dataclass(frozen=True)
class Pairwise:
    """Element by element with a second input."""

    native: str
    text: str  # with {x} and {y}
    of: Callable[[float, float], float]


@dataclass(frozen=True)
class RowReduction:
    """A row in, one number out."""

    native: str
    text: str
    of: Callable[[Row], float]


@dataclass(frozen=True)
class RowMap:
    """A row in, a row out."""

    native: str
    text: str
    of: Callable[[Row], list[float]]


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _softplus(x: float) -> float:
    return math.log1p(math.exp(-abs(x))) + max(x, 0.0)


def _normal(x: float) -> float:
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def _logsumexp(row: Row) -> float:
    top = max(row)
    return top + math.log(sum(math.exp(x - top) for x in row))


def _softmax(row: Row) -> list[float]:
    """Times the length of the row, so that long rows do not end near zero."""
    whole = _logsumexp(row)
    return [math.exp(x - whole) * len(row) for x in row]


def _log_softmax(row: Row) -> list[float]:
    whole = _logsumexp(row)
    return [x - whole for x in row]


def _layer_norm(row: Row) -> list[float]:
    mean, scale = fmean(row), math.sqrt(pvariance(row) + 1e-5)
    return [(x - mean) / scale for x in row]


def _rms_norm(row: Row) -> list[float]:
    scale = math.sqrt(fmean(x * x for x in row) + 1e-6)
    return [x / scale for x in row]


POINTWISE = (
    Pointwise("relu", "torch.relu({x})", lambda x: max(x, 0.0)),
    Pointwise("gelu", "F.gelu({x})", lambda x: x * _normal(x)),
    Pointwise("silu", "F.silu({x})", lambda x: x * _sigmoid(x)),
    Pointwise("sigmoid", "torch.sigmoid({x})", _sigmoid),
    Pointwise("tanh", "torch.tanh({x})", math.tanh),
    Pointwise("softplus", "F.softplus({x})", _softplus),
    Pointwise("mish", "F.mish({x})", lambda x: x * math.tanh(_softplus(x))),
    Pointwise("elu", "F.elu({x})", lambda x: x if x > 0 else math.expm1(x)),
    Pointwise("leaky_relu", "F.leaky_relu({x}, 0.1)", lambda x: x if x > 0 else 0.1 * x),
    Pointwise("hardsigmoid", "F.hardsigmoid({x})", lambda x: min(max(x + 3, 0.0), 6.0) / 6),
    Pointwise("clamp", "torch.clamp({x}, -1.5, 2.0)", lambda x: min(max(x, -1.5), 2.0)),
    Pointwise("reciprocal", "torch.reciprocal(torch.abs({x}) + 1)", lambda x: 1 / (abs(x) + 1)),
    Pointwise("hardswish", "F.hardswish({x})", lambda x: x * min(max(x + 3, 0.0), 6.0) / 6),
    Pointwise("cos", "torch.cos({x})", math.cos),
    Pointwise("erf", "torch.erf({x})", math.erf),
    Pointwise("exp_sqrt", "torch.exp({x})", math.exp),
    Pointwise("log1p", "torch.log1p(torch.abs({x}))", lambda x: math.log1p(abs(x))),
    Pointwise("sqrt_exp", "torch.sqrt(torch.abs({x}) + 1)", lambda x: math.sqrt(abs(x) + 1)),
    Pointwise("rsqrt", "torch.rsqrt({x} * {x} + 1)", lambda x: 1 / math.sqrt(x * x + 1)),
    Pointwise("squared_relu", "torch.square(torch.relu({x}))", lambda x: max(x, 0.0) ** 2),
    Pointwise("absolute", "torch.abs({x})", abs),
)
PAIRWISE = (
    Pairwise("add", "{x} + {y}", lambda x, y: x + y),
    Pairwise("sub", "{x} - {y}", lambda x, y: x - y),
    Pairwise("mul", "{x} * {y}", lambda x, y: x * y),
    Pairwise("div", "{x} / ({y} * {y} + 1)", lambda x, y: x / (y * y + 1)),
    Pairwise("minimum", "torch.minimum({x}, {y})", min),
    Pairwise("swiglu", "{x} * F.silu({y})", lambda x, y: x * y * _sigmoid(y)),
    Pairwise("gradient_magnitude", "torch.hypot({x}, {y} + 1)", lambda x, y: math.hypot(x, y + 1)),
)
REDUCTIONS = (
    RowReduction("row_sum", "{x}.sum(dim=-1)", sum),
    RowReduction("mean", "{x}.mean(dim=-1)", fmean),
    RowReduction("global_max_pool", "{x}.amax(dim=-1)", max),
    RowReduction("min_gelu", "{x}.amin(dim=-1)", min),
    RowReduction("logsumexp", "torch.logsumexp({x}, dim=-1)", _logsumexp),
    RowReduction("std", "{x}.std(dim=-1, correction=0)", lambda row: pvariance(row) ** 0.5),
    RowReduction(
        "row_norm",
        "torch.linalg.vector_norm({x}, dim=-1)",
        lambda row: math.sqrt(sum(x * x for x in row)),
    ),
)
ROW_MAPS = (
    RowMap("softmax", "torch.softmax({x}, dim=-1) * {x}.shape[-1]", _softmax),
    RowMap("log_softmax", "torch.log_softmax({x}, dim=-1)", _log_softmax),
    RowMap("layernorm", "F.layer_norm({x}, {x}.shape[-1:])", _layer_norm),
    RowMap("rmsnorm", "F.rms_norm({x}, {x}.shape[-1:], eps=1e-6)", _rms_norm),
)
