"""SizeExpression: sizes and places in memory as symbolic whole numbers.

The rule: sizes are at least 0, places are sums of products of loop variables and sizes wherever
that is possible, so that dimensions which lie behind one another can be joined.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import sympy
from sympy.printing.str import StrPrinter

from assay.python_tree import expression_tree

Size: TypeAlias = Any  # a sympy expression


class FloorDiv(sympy.Function):  # type: ignore[misc]
    """Whole division of numbers that are not negative."""

    is_integer = True
    nargs = (2,)


class Remainder(sympy.Function):  # type: ignore[misc]
    """What a whole division leaves."""

    is_integer = True
    nargs = (2,)


def size_symbol(name: str) -> sympy.Symbol:
    """A size by its name."""
    return sympy.Symbol(name, integer=True, positive=True)


def loop_variable(name: str) -> sympy.Symbol:
    """A variable of a loop, or an index that is computed."""
    return sympy.Symbol(name, integer=True, nonnegative=True)


def parse_size(text: str) -> Size:
    """Text of Python's as a size; anything but whole arithmetic is a ValueError."""
    return _parsed(expression_tree(text).body)


def _parsed(node: ast.expr) -> Size:
    match node:
        case ast.Constant(value=int(value)):
            return sympy.Integer(value)
        case ast.Name(id=name):
            return size_symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_parsed(operand)
        case ast.BinOp(left=left, op=op, right=right):
            return _operation(op, _parsed(left), _parsed(right))
    raise ValueError(f"the size {ast.unparse(node)} is not whole arithmetic")


def _operation(op: ast.operator, a: Size, b: Size) -> Size:
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return sympy.expand(a * b)
        case ast.Pow() if b.is_Integer and b >= 0:
            return a**b
        case ast.FloorDiv():
            return floor_div(a, b)
        case ast.Mod():
            return remainder(a, b)
    raise ValueError(f"a size is computed by {type(op).__name__}")


def product(sizes: Sequence[Size]) -> Size:
    """How many elements."""
    found: Size = sympy.Integer(1)
    for one in sizes:
        found = sympy.expand(found * one)
    return found


def strides_of(shape: Sequence[Size]) -> tuple[Size, ...]:
    """Of a tensor without gaps."""
    return tuple(product(shape[place + 1 :]) for place in range(len(shape)))


def linear(index: Sequence[Size], shape: Sequence[Size]) -> Size:
    """The place of an element in a tensor without gaps."""
    found: Size = sympy.Integer(0)
    for one, stride in zip(index, strides_of(shape), strict=True):
        found = found + one * stride
    return _rejoined(sympy.expand(found))


def _rejoined(place: Size) -> Size:
    """A whole division and its remainder, b (x // b) + x % b, are x again."""
    for part in place.atoms(Remainder):
        x, b = part.args
        step = place.coeff(part)
        whole = FloorDiv(x, b)
        rest = sympy.expand(place - step * part - step * b * whole)
        if not rest.has(whole) and not rest.has(part):
            place = sympy.expand(rest + step * x)
    return place


def _split(a: Size, b: Size, ranges: Mapping[Any, Size]) -> tuple[Size, Size] | None:
    """A as b q + r with 0 <= r < b, where the terms say so."""
    whole: Size = sympy.Integer(0)
    rest: Size = sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.expand(a)):
        ratio = sympy.cancel(term / b)
        if sympy.fraction(ratio)[1] == 1:
            whole += ratio
        else:
            rest += term
    gap = sympy.expand(b - _largest(rest, ranges))
    if rest == 0 or (rest.is_nonnegative is not False and gap.is_positive):
        return whole, rest
    return None


def _largest(rest: Size, ranges: Mapping[Any, Size]) -> Size:
    """No less than any value of a sum of indices."""
    known: dict[Any, Size] = {}
    for one in rest.atoms(FloorDiv):
        ratio = sympy.cancel(ranges.get(one.args[0], one.args[0] + 1) / one.args[1])
        if sympy.fraction(ratio)[1] == 1:
            known[one] = ratio - 1
    for one in rest.atoms(Remainder):
        known[one] = one.args[1] - 1
    found = rest.subs(known, simultaneous=True)
    return found.subs({s: ranges[s] - 1 for s in found.free_symbols if s in ranges})


def floor_div(a: Size, b: Size, ranges: Mapping[Any, Size] | None = None) -> Size:
    """A // b, simplified by the ranges of loop variables."""
    if a.is_Integer and b.is_Integer:
        return sympy.Integer(int(a) // int(b))
    found = _split(a, b, ranges or {})
    return found[0] if found else FloorDiv(a, b)


def remainder(a: Size, b: Size, ranges: Mapping[Any, Size] | None = None) -> Size:
    """A % b, simplified by the ranges of loop variables."""
    if a.is_Integer and b.is_Integer:
        return sympy.Integer(int(a) % int(b))
    found = _split(a, b, ranges or {})
    return found[1] if found else Remainder(a, b)


def unravelled(place: Size, shape: Sequence[Size], ranges: Mapping[Any, Size]) -> tuple[Size, ...]:
    """The index of the element at a place of a tensor without gaps."""
    found: list[Size] = []
    rest = place
    for size in reversed(shape[1:]):
        found.append(remainder(rest, size, ranges))
        rest = floor_div(rest, size, ranges)
    return (rest, *reversed(found)) if shape else ()


class _Printer(StrPrinter):  # type: ignore[misc]
    """Whole arithmetic in the words that Python, Triton and C++ share."""

    def __init__(self, divide: str) -> None:
        super().__init__()
        self._divide = divide

    def _print_FloorDiv(self, one: FloorDiv) -> str:
        return f"(({self._print(one.args[0])}) {self._divide} ({self._print(one.args[1])}))"

    def _print_Remainder(self, one: Remainder) -> str:
        return f"(({self._print(one.args[0])}) % ({self._print(one.args[1])}))"

    def _print_Pow(self, one: sympy.Pow, rational: bool = False) -> str:
        base, exponent = one.args
        if not exponent.is_Integer or exponent < 1:
            raise ValueError(f"the size {one} is not whole arithmetic")
        return "*".join([f"({self._print(base)})"] * int(exponent))


def python_text(size: Size) -> str:
    """A size in Python or Triton."""
    return str(_Printer("//").doprint(size))


def cpp_text(size: Size) -> str:
    """A size in C++."""
    return str(_Printer("/").doprint(size))
