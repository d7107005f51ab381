"""CppWriter: expressions in C++.

The rule: narrow floats become float when they are loaded. Extremes let a NaN through.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.generators.templates.graph.expression import FLOATS, ElementLoad
from assay.generators.templates.graph.symbolic_size import Size, cpp_text
from assay.generators.templates.targets.expression_writer import ExpressionWriter, placed

TYPES = {
    "float32": "float", "float64": "double", "float16": "half_t", "bfloat16": "bfloat_t",
    "bool": "bool", "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t",
    "int32": "int32_t", "int64": "int64_t",
}  # fmt: skip
_MATHS = frozenset(
    "exp exp2 expm1 log log1p log2 log10 sqrt tanh erf erfc sin cos tan asin acos atan sinh cosh"
    " floor ceil trunc atan2 fmod pow lgamma".split()
)
_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "bit_and": "&", "bit_or": "|",
          "bit_xor": "^", "and": "&&", "or": "||", "xor": "!=", "eq": "==", "ne": "!=",
          "lt": "<", "le": "<=", "gt": ">", "ge": ">="}  # fmt: skip
VECTORISED = ("expf", "logf", "sinf", "cosf", "powf")

PRELUDE = r"""
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>
#if defined(__x86_64__) && defined(__GLIBC__)
extern "C" {
__attribute__((simd("notinbranch"))) float expf(float);
__attribute__((simd("notinbranch"))) float logf(float);
#if __GLIBC_PREREQ(2, 35)
__attribute__((simd("notinbranch"))) float erff(float);
__attribute__((simd("notinbranch"))) float tanhf(float);
__attribute__((simd("notinbranch"))) float log1pf(float);
__attribute__((simd("notinbranch"))) float expm1f(float);
#endif
}
#endif
typedef _Float16 half_t;
struct bfloat_t {
  uint16_t bits;
  inline operator float() const {
    const uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    return value;
  }
  inline bfloat_t& operator=(float value) {
    uint32_t wide;
    std::memcpy(&wide, &value, 4);
    bits = value != value ? 0x7fc0 : uint16_t((wide + 0x7fff + ((wide >> 16) & 1)) >> 16);
    return *this;
  }
};
template <class T> static inline T larger(T a, T b) { return (a > b || a != a) ? a : b; }
template <class T> static inline T smaller(T a, T b) { return (a < b || a != a) ? a : b; }
"""


class CppWriter(ExpressionWriter):
    """Values of one element."""

    def place(self, place: Size, texts: Mapping[Any, str]) -> str:
        """A place in the target's words."""
        return cpp_text(placed(place, {**self.names, **texts}))

    def number(self, value: float | int | bool, dtype: str) -> str:
        """A constant."""
        return number_text(value, dtype)

    def load(self, one: ElementLoad, mask: str) -> str:
        """A load, only where the mask holds."""
        found = f"{one.buffer}[{self.index(one.offset, one.computed, mask)}]"
        found = f"({TYPES[one.dtype]}){found}"
        return f"{mask} ? {found} : ({TYPES[one.dtype]})0" if mask else found

    def operation(self, name: str, dtype: str, given: Sequence[str], kinds: Sequence[str]) -> str:
        """A function of texts whose dtypes are `kinds`."""
        if name in _INFIX:
            return f"{given[0]} {_INFIX[name]} {given[1]}"
        if name in _MATHS:
            return f"{name}{'f' if dtype == 'float32' else ''}({', '.join(given)})"
        if name == "cast":
            return f"{given[0]} != 0" if dtype == "bool" else f"({TYPES[dtype]}){given[0]}"
        return _special(name, dtype, given)

    def both(self, first: str, second: str) -> str:
        """Two conditions at once."""
        return f"{first} && {second}"

    def assignment(self, dtype: str, name: str, text: str) -> str:
        """A statement that names a value."""
        return f"const {TYPES[dtype]} {name} = {text};"


def number_text(value: float | int | bool, dtype: str) -> str:
    """A number as C++ writes it."""
    kind = TYPES[dtype]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return f"std::numeric_limits<{kind}>::quiet_NaN()"
        if math.isinf(value):
            return f"{'-' if value < 0 else ''}std::numeric_limits<{kind}>::infinity()"
        return f"{value!r}f" if dtype == "float32" else repr(value)
    return f"(({kind}){value}LL)"


def _special(name: str, dtype: str, given: Sequence[str]) -> str:
    (a, *more) = given
    b = more[0] if more else ""
    f = "f" if dtype == "float32" else ""
    one, zero = ("1.0f", "0.0f") if f else ("1.0", "0.0")
    if dtype not in FLOATS:
        one, zero = f"({TYPES[dtype]})1", f"({TYPES[dtype]})0"
    texts = {
        "neg": f"-{a}",
        "not": f"!{a}",
        "bit_not": f"~{a}",
        "rsqrt": f"{one} / sqrt{f}({a})",
        "sigmoid": f"{one} / ({one} + exp{f}(-{a}))",
        "relu": f"({a} < {zero} ? {zero} : {a})",
        "sign": f"({a} > {zero} ? {one} : ({a} < {zero} ? -{one} : {a}))",
        "abs": f"fabs{f}({a})" if dtype in FLOATS else f"({a} < 0 ? -{a} : {a})",
        "round": f"nearbyint{f}({a})",
        "isnan": f"{a} != {a}",
        "isinf": f"std::isinf({a})",
        "signbit": f"std::signbit({a})",
        "remainder": f"{a} - floor{f}({a} / {b}) * {b}",
        "maximum": f"larger({a}, {b})",
        "minimum": f"smaller({a}, {b})",
        "where": f"{a} ? {' : '.join(more)}",
    }
    if name not in texts:
        raise ValueError(f"no text in C++ for {name}")
    return texts[name]
