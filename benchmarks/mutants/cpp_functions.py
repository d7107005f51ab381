"""Faults of functions and of stores in C and C++: approximations, clamps, a narrower output."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutants.cpp_region import CppRegion
from mutants.edit import Edit, substitution

_HALVED = "exp expf log logf sqrt sqrtf tanh tanhf log1p erf erff".split()
_STORE = re.compile(
    r"(?<=[\s;{)])((?:out|y|o|to|dst|c|result|yr|op|orow)\[[^\[\];]+\]) = ([^;{}=?]+);"
)


def _calls(region: CppRegion, names: str) -> Iterator[tuple[int, int, str, str]]:
    """Each call of one of the functions: start, end, name and argument."""
    for found in re.finditer(rf"(?:std::|::)?\b({names})\(", region.code):
        close = region.closing.get(found.end() - 1)
        before = region.code[: found.start()].rstrip()
        if close is not None and not before.endswith(("float", "double", "void")):
            yield found.start(), close + 1, found.group()[:-1], region.code[found.end() : close]


def approximations(region: CppRegion) -> Iterator[Edit]:
    """The error function by tanh, exp by a power or of a clamped exponent, all rounded to half."""
    for start, end, name, argument in _calls(region, "erf|erff"):
        cube = f"({argument}) * ({argument}) * ({argument})"
        inner = f"1.1283791670955126 * (({argument}) + 0.08943 * {cube})"
        text = name.replace("erff", "erf").replace("erf", "tanh") + f"({inner})"
        yield substitution("tanh_for_erf", start, end, text)
    for start, end, name, argument in _calls(region, "exp|expf"):
        power = name.replace("expf", "exp").replace("exp", "pow")
        text = f"{power}(1.0 + (double)({argument}) / 4096, 4096.0)"
        yield substitution("fast_exp", start, end, text)
        clamp = name.replace("expf", "exp").replace("exp", "fmax")
        text = f"{name}({clamp}((double)({argument}), -20.0))"
        yield substitution("clamped_exponent", start, end, text)
    for start, end, name, argument in _calls(region, "|".join(_HALVED)):
        text = f"((float)(_Float16)(float){name}({argument}))"
        yield substitution("half_function", start, end, text)


def nan_in_extremes(region: CppRegion) -> Iterator[Edit]:
    """Library functions that lose a NaN that a comparison keeps."""
    for start, end, name, argument in _calls(region, "max|min"):
        integer = re.search(r"\b(?:long|int|size_t|start|stop)\b|\d\d", argument)
        floating = re.search(r"\[|\.0f?|\bacc\b|\bv\b", argument)
        if name.startswith("std::") and floating and not integer:
            yield substitution("nan_swallowed", start, end, f"std::f{name[5:]}({argument})")


def stores(region: CppRegion) -> Iterator[Edit]:
    """An output that passes through half, is clamped, or loses its small values."""
    for found in _STORE.finditer(region.code):
        target, value = found[1], found[2]
        if value.count("(") != value.count(")") or re.fullmatch(r"[\w.\[\] -]+", value):
            continue
        faults = {
            "half_output": f"(float)(_Float16)(float)({value})",
            "clamped_output": f"(({value}) > 100 ? 100 : ({value}))",
            "small_flushed": f"(({value}) < 1e-6 && ({value}) > -1e-6 ? 0 : ({value}))",
        }
        for kind, text in faults.items():
            yield substitution(kind, found.start(), found.end(), f"{target} = {text};")


def roundings(region: CppRegion) -> Iterator[Edit]:
    """Rounding that truncates. Ties upwards are no fault: half a unit is half a unit."""
    for found in re.finditer(r"\+ (0x7[fF]{3}u?) \+ (\(\(?\w+ >> 16\) & 1u?\))", region.code):
        yield substitution("wrong_rounding", found.start(1), found.end(2), "0")
    for start, end, _, argument in _calls(region, "lrint|rint|nearbyint|round|lround|rintf"):
        yield substitution("wrong_rounding", start, end, f"std::floor({argument})")


MUTATORS = (approximations, nan_in_extremes, stores, roundings)
