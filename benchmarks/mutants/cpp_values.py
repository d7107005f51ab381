"""Faults of single expressions in C and C++: constants, signs, comparisons, weights, order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutants.cpp_region import CppRegion
from mutants.edit import Edit, substitution

_ELEMENT = r"\w+\[[^\[\];]+\]"
_LARGEST = r"(?:largest|biggest|best|peak|top|mx|maxv|max_?\w*|m|hi|run_?max)"
_GAIN = r"(?:w|weight|weights|gain|gamma|g|scale)"
_BIAS = r"(?:b|bias|beta|shift|be)"
_FLOAT = re.compile(r"(?<![\w.])(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)(f?)(?![\w.])")


def _each(kind: str, pattern: str, text: str, region: CppRegion) -> Iterator[Edit]:
    """One edit for every place where a pattern stands."""
    for found in re.finditer(pattern, region.code):
        new = found.expand(text)
        if new != found.group():
            yield substitution(kind, found.start(), found.end(), new)


def constants(region: CppRegion) -> Iterator[Edit]:
    """A constant that is a thousandth off; a threshold at zero that is moved."""
    for found in _FLOAT.finditer(region.code):
        value = float(found[1])
        if value and value < 1e4:
            text = f"{value * 1.001!r}{found[2]}"
            yield substitution("constant_changed", found.start(), found.end(), text)
    yield from _each("threshold_moved", r"([<>]=?) 0\.0?f?( ?[?)])", r"\1 0.01f\2", region)


def signs(region: CppRegion) -> Iterator[Edit]:
    """Minus where plus belongs, and the reverse, between values."""
    yield from _each("sign_flipped", rf"({_ELEMENT}|\)) - (?=[a-z])", r"\1 + ", region)
    yield from _each("sign_flipped", rf"(\) \* \w+|\* {_ELEMENT}) \+ (?=[a-z])", r"\1 - ", region)


def comparisons(region: CppRegion) -> Iterator[Edit]:
    """A maximum that is a minimum, NaN that never wins, ties that the last one wins."""
    name = rf"(?:\w+|{_ELEMENT})"
    yield from _each("comparison_reversed", rf"(?<=if \()({name}) > ({name})", r"\1 < \2", region)
    yield from _each("comparison_reversed", rf"(?<=if \()({name}) < ({name})", r"\1 > \2", region)
    if "exp" not in region.code:  # a softmax hands NaN on by itself
        yield from _each("nan_swallowed", rf"(?: \|\| )({name}) != \1(?=[^\w\[])", "", region)
        yield from _each("nan_swallowed", r" \|\| std::isnan\([^()]+\)", "", region)
    for found in re.finditer(
        rf"if \({name} (>) {name}[^;]*?\{{[^}}]*\b(?:arg|idx|at|where|pos|i)\w* = ", region.code
    ):
        yield substitution("wrong_tie_break", found.start(1), found.end(1), ">=")


def extremes(region: CppRegion) -> Iterator[Edit]:
    """A running maximum that does not begin low enough, or is not subtracted."""
    lowest = r"-(?:std::numeric_limits<\w+>::)?[\w:]*(?:INF|inf)\w*(?:\(\))?"
    first = rf"\b((?:float|double) {_LARGEST}) = (?:{lowest}|\w+\[0\])"
    yield from _each("max_from_zero", first, r"\1 = 0.0f", region)
    yield from _each("max_from_minus_1e4", first, r"\1 = -1e4f", region)
    yield from _each(
        "max_not_subtracted", rf"(exp\w*\((?:[^()]|\([^()]*\))*?) - {_LARGEST}\)", r"\1)", region
    )


def epsilons(region: CppRegion) -> Iterator[Edit]:
    """Epsilon left out, ten times as large, outside the root."""
    eps = r"(?:eps|epsilon|EPS|e)"
    yield from _each("eps_missing", rf" \+ (?:\(double\)|\(float\))?{eps}\b(?=\))", "", region)
    yield from _each("eps_larger", rf" \+ ({eps})\b(?=\))", r" + 10 * \1", region)
    yield from _each(
        "eps_outside_root", rf"sqrt\(((?:[^()]|\([^()]*\))+) \+ ({eps})\)", r"sqrt(\1) + \2", region
    )


def divisors(region: CppRegion) -> Iterator[Edit]:
    """A mean over one element fewer (the other variance), or over none."""
    cast = r"((?:\((?:double|float)\)|static_cast<\w+>\()?)"
    count = "(n|N|len|length|cols|columns|features|D|count|inner|rows|M|L|P|HW)"
    yield from _each("wrong_divisor", rf" / {cast}{count}\b(?=[\s;)+])", r" / \1(\2 - 1)", region)


def weights(region: CppRegion) -> Iterator[Edit]:
    """A gain or a bias that is left out, or taken from one place for all."""
    yield from _each("gain_ignored", rf" \* (?:double\()?{_GAIN}\[[^\[\]]+\](?=[\s;])", "", region)
    yield from _each("bias_ignored", rf" \+ {_BIAS}\[[^\[\]]+\](?=[\s;)])", "", region)
    yield from _each("bias_ignored", rf"= {_BIAS}\[[^\[\]]+\];", "= 0;", region)
    named = rf"\b({_GAIN}|{_BIAS})\[(?!0\])[^\[\]]+\]"
    yield from _each("wrong_broadcast", named, r"\1[0]", region)


def order(region: CppRegion) -> Iterator[Edit]:
    """A bracket around a sum that is lost, and indices that change places."""
    term = rf"(?:{_ELEMENT}|\w+)"
    yield from _each(
        "order_of_operations", rf"(?<=[\s=(])\(({term} [-+] {term})\) ([*/])", r"\1 \2", region
    )
    yield from _each("swapped_stride", r"\[(\w+) \* (\w+) \+ (\w+)\]", r"[\3 * \2 + \1]", region)
    yield from _each(
        "wrong_stride", r"\[(\w+) \* (\w+) \+ (\w+)\]", r"[\1 * (\2 - 1) + \3]", region
    )


MUTATORS = (constants, signs, comparisons, extremes, epsilons, divisors, weights, order)
