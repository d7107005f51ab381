"""Faults of single expressions in Numba and Triton: signs, constants, comparisons, masks, axes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mutants.edit import Edit
from mutants.python_source import PythonSource

_LARGEST = re.compile(r"(?:largest|best|m|mx|peak|top|max\w*)")
_EPS = re.compile(r"(?:self\.)?(?:eps|epsilon|EPS)")
_GAIN = re.compile(r"(?:w|weight|gain|gamma|g)\b")
_BIAS = re.compile(r"(?:b|bias|beta)\b")
_COUNT = re.compile(r"(?:columns|n|N|count|cols|classes|features|\(?N \* P\)?|\w+\.shape\[\d\])")


def _binary(source: PythonSource) -> Iterator[tuple[ast.BinOp, str, str]]:
    for node in source.kernel_nodes():
        if isinstance(node, ast.BinOp):
            yield node, ast.unparse(node.left), ast.unparse(node.right)


def arithmetic(source: PythonSource) -> Iterator[Edit]:
    """Epsilon, signs, divisors, weights left out, the maximum left in, brackets lost."""
    for node, left, right in _binary(source):
        match node.op:
            case ast.Add() if _EPS.fullmatch(right):
                yield source.replaced("eps_missing", node, left)
                yield source.replaced("eps_larger", node, f"{left} + 10.0 * {right}")
            case ast.Add() if _BIAS.match(right):
                yield source.replaced("bias_ignored", node, left)
            case ast.Add() if not _indexes(source, node):
                yield source.replaced("sign_flipped", node, f"({left} - ({right}))")
            case ast.Sub() if _LARGEST.fullmatch(right) or "tl.max" in right:
                yield source.replaced("max_not_subtracted", node, left)
            case ast.Sub() if not _indexes(source, node):
                yield source.replaced("sign_flipped", node, f"({left} + {right})")
            case ast.Mult() if _GAIN.match(right):
                yield source.replaced("gain_ignored", node, left)
            case ast.Div() if _COUNT.fullmatch(right):
                yield source.replaced("wrong_divisor", node, f"{left} / ({right} - 1)")
        if isinstance(node.op, ast.Mult | ast.Div) and isinstance(node.left, ast.BinOp):
            inner = node.left
            if isinstance(inner.op, ast.Add | ast.Sub) and not _indexes(source, node):
                sign = "*" if isinstance(node.op, ast.Mult) else "/"
                yield source.replaced("order_of_operations", node, f"({left} {sign} {right})")


def _indexes(source: PythonSource, node: ast.AST) -> bool:
    """Whether a node computes a place: in a subscript, an argument of range, a pointer."""
    words = ("tl.arange", "program_id", "_ptr", "shape", "start", "offsets", "TILE", "BLOCK")
    if any(word in ast.unparse(node) for word in words):
        return True
    for other in source.kernel_nodes():
        inside = other.slice if isinstance(other, ast.Subscript) else None
        if isinstance(other, ast.Call) and ast.unparse(other.func).endswith("range"):
            inside = other
        if inside is not None and any(n is node for n in ast.walk(inside)):
            return True
    return False


def roots(source: PythonSource) -> Iterator[Edit]:
    """Epsilon outside the root."""
    for node in source.kernel_nodes():
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("sqrt"):
            continue
        inner = node.args[0]
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add):
            left, right = ast.unparse(inner.left), ast.unparse(inner.right)
            text = f"({ast.unparse(node.func)}({left}) + {right})"
            yield source.replaced("eps_outside_root", node, text)


def constants(source: PythonSource) -> Iterator[Edit]:
    """A constant that is a thousandth off."""
    for node in source.kernel_nodes():
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, float)
            and 0 < node.value < 1e4
        ):
            yield source.replaced("constant_changed", node, repr(node.value * 1.001))


def comparisons(source: PythonSource) -> Iterator[Edit]:
    """A maximum that is a minimum, ties that the last one wins, NaN that never wins."""
    for node in source.kernel_nodes():
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            kept = [ast.unparse(v) for v in node.values if not _asks_for_nan(v)]
            softmax = "exp(" in source.text  # which hands NaN on by itself
            if kept and len(kept) < len(node.values) and not softmax:
                yield source.replaced("nan_swallowed", node, " or ".join(kept))
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or source.is_triton:
            continue  # masks are bounds: triton_blocks changes them
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        if isinstance(node.ops[0], ast.Gt):
            yield source.replaced("comparison_reversed", node, f"{left} < {right}")
            if re.search(r"\[.*best\]", right):
                yield source.replaced("wrong_tie_break", node, f"{left} >= {right}")
        elif isinstance(node.ops[0], ast.Lt):
            yield source.replaced("comparison_reversed", node, f"{left} > {right}")


def _asks_for_nan(node: ast.expr) -> bool:
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotEq):
        return ast.unparse(node.left) == ast.unparse(node.comparators[0])
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("isnan")


def extremes(source: PythonSource) -> Iterator[Edit]:
    """A running maximum that begins at zero or at minus ten thousand."""
    for node in source.kernel_nodes():
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, ast.unparse(node.value)
            if _LARGEST.fullmatch(name) and ("inf" in value or re.search(r"\b0\]$", value)):
                yield source.replaced("max_from_zero", node, f"{name} = 0.0")
                yield source.replaced("max_from_minus_1e4", node, f"{name} = -10000.0")


def broadcasts(source: PythonSource) -> Iterator[Edit]:
    """One gain or bias for all."""
    for node in source.kernel_nodes():
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
            name = ast.unparse(node.value)
            if (_GAIN.fullmatch(name) or _BIAS.fullmatch(name)) and isinstance(node.ctx, ast.Load):
                yield source.replaced("wrong_broadcast", node, f"{name}[0]")


def functions(source: PythonSource) -> Iterator[Edit]:
    """Exp by a power or of a clamped exponent, erf by tanh."""
    for node in source.kernel_nodes():
        if not isinstance(node, ast.Call) or len(node.args) != 1:
            continue
        name, value = ast.unparse(node.func), ast.unparse(node.args[0])
        if name == "math.exp":
            yield source.replaced("fast_exp", node, f"(1.0 + ({value}) / 4096.0) ** 4096.0")
            yield source.replaced("clamped_exponent", node, f"math.exp(max({value}, -20.0))")
        elif name == "tl.exp":
            text = f"tl.exp(tl.maximum({value}, -20.0))"
            yield source.replaced("clamped_exponent", node, text)
        elif name == "math.erf":
            inner = f"1.1283791670955126 * (({value}) + 0.08943 * ({value}) ** 3)"
            yield source.replaced("tanh_for_erf", node, f"math.tanh({inner})")


MUTATORS = (arithmetic, roots, constants, comparisons, extremes, broadcasts, functions)
