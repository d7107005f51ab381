"""The device's mathematical library for interpreted Triton, where it has no device.

The rule: Triton's own tables decide which types a function takes; here is only what it computes, in
float64 and rounded once. What is not listed stays as it was and fails loudly. Unrepaired (3.7.1) a
kernel that calls `libdevice.tanh` gets None.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

_SAME = (
    "tanh sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh cbrt floor ceil trunc "
    "rint hypot copysign nextafter fmod"
).split()
_RENAMED = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "atan2": "arctan2",
    "fabs": "absolute",
    "pow": "power",
    "powi": "power",
    "nearbyint": "rint",
    "ddiv_rn": "divide",
    "fdiv_rn": "divide",
    "dsqrt_rn": "sqrt",
    "fsqrt_rn": "sqrt",
    "fadd_rn": "add",
    "fmul_rn": "multiply",
    "fsub_rn": "subtract",
}
_QUESTIONS = {  # their names do not follow the others'
    "isnanf": "isnan",
    "isnand": "isnan",
    "isinff": "isinf",
    "isinfd": "isinf",
    "finitef": "isfinite",
    "isfinited": "isfinite",
    "signbitf": "signbit",
    "signbitd": "signbit",
}
_FAST = {
    "fast_expf": "exp",
    "fast_exp10f": "exp10",
    "fast_logf": "log",
    "fast_log2f": "log2",
    "fast_log10f": "log10",
    "fast_sinf": "sin",
    "fast_cosf": "cos",
    "fast_tanf": "tan",
    "fast_powf": "pow",
    "fast_fdividef": "fdiv_rn",
}


def repair_libdevice(interpreter: Any, numpy: Any) -> None:
    """Give both spellings of the library functions that work."""
    from triton.language.extra import libdevice as neutral
    from triton.language.extra.cuda import libdevice as of_cuda

    if "_semantic" not in inspect.signature(of_cuda.tanh).parameters:
        raise AttributeError("_semantic")
    symbols = _by_symbol(numpy)
    interpreter.InterpreterBuilder.create_extern_elementwise = _elementwise(
        interpreter, numpy, symbols
    )
    functions = inspect.getmembers(of_cuda, inspect.isfunction)
    for name, original in functions:
        if "_semantic" in inspect.signature(original).parameters:
            bound = _bound(original, interpreter.interpreter_semantic)
            setattr(of_cuda, name, bound)
            setattr(neutral, name, bound)


def _bound(original: Callable[..., Any], semantic: Any) -> Callable[..., Any]:
    """The function as a kernel calls it: the compiler would add what it means."""

    def function(*values: Any) -> Any:
        return original(*values, _semantic=semantic)

    return function


def _elementwise(interpreter: Any, numpy: Any, symbols: dict[str, Callable[..., Any]]) -> Any:
    def create(builder: Any, library: str, path: str, symbol: str, *rest: Any) -> Any:
        values, result, *_ = rest
        if symbol not in symbols:
            raise NotImplementedError(f"{symbol} is not known to the interpreter")
        kind = interpreter._get_np_dtype(result.scalar)
        with numpy.errstate(all="ignore"):
            computed = symbols[symbol](*(_wide(numpy, value.data) for value in values))
        return interpreter.TensorHandle(numpy.asarray(computed).astype(kind), result.scalar)

    return create


def _wide(numpy: Any, data: Any) -> Any:
    return data.astype(numpy.float64) if data.dtype.kind == "f" else data


def _by_symbol(numpy: Any) -> dict[str, Callable[..., Any]]:
    """`__nv_tanhf` and `__nv_tanh`, and the like, to what each computes."""
    stems: dict[str, Callable[..., Any]] = {name: getattr(numpy, name) for name in _SAME}
    stems |= {name: getattr(numpy, theirs) for name, theirs in _RENAMED.items()}
    stems |= {name: numpy.vectorize(getattr(math, name)) for name in ("erf", "erfc")}
    stems |= {
        "rsqrt": lambda x: 1.0 / numpy.sqrt(x),
        "exp10": lambda x: numpy.power(10.0, x),
        "rcbrt": lambda x: 1.0 / numpy.cbrt(x),
        "frcp_rn": lambda x: 1.0 / x,
        "drcp_rn": lambda x: 1.0 / x,
        "fma": lambda x, y, z: x * y + z,
        "fma_rn": lambda x, y, z: x * y + z,
        "fdim": lambda x, y: numpy.maximum(x - y, 0.0),
        "remainder": lambda x, y: x - y * numpy.rint(x / y),
        "round": lambda x: numpy.trunc(x) + (abs(x - numpy.trunc(x)) >= 0.5) * numpy.sign(x),
        "saturate": lambda x: numpy.clip(x, 0.0, 1.0),
        "normcdf": lambda x: 0.5 * numpy.vectorize(math.erfc)(-x / math.sqrt(2.0)),
        "abs": numpy.absolute,
        "llabs": numpy.absolute,
    }
    named = {f"__nv_{stem}": function for stem, function in stems.items()}
    named |= {f"__nv_{stem}f": function for stem, function in stems.items()}
    named |= {f"__nv_{name}": getattr(numpy, theirs) for name, theirs in _QUESTIONS.items()}
    return named | {f"__nv_{name}": stems[theirs] for name, theirs in _FAST.items()}
