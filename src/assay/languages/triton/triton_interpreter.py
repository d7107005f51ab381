"""Repairs of Triton's interpreter, applied inside the sandboxed child when Triton runs on a CPU.

The rule: a repair makes the interpreter do what the hardware does, never more; one that does not
fit the installed version is left out and not named. What is broken (measured on 3.7.1) is that bf16
data are 16-bit integers to NumPy: arithmetic adds bit patterns, `tl.dot` multiplies them, the cast
from float32 truncates (mean error -0.495 ulp; after the repair it equals torch's bit for bit).
Autotuning over several configs asks for a GPU driver to time them. What a launch hands over, what
Python's own words mean in a kernel, and the device's mathematical library have files of their own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from assay.languages.triton.triton_launch import (
    repair_constexpr_spelling,
    repair_driver,
    repair_float_argument,
    repair_pointers,
)
from assay.languages.triton.triton_libdevice import repair_libdevice
from assay.languages.triton.triton_names import (
    repair_aliases,
    repair_dtype_value,
    repair_function_type,
)
from assay.languages.triton.triton_statements import repair_statements

_ARITHMETIC = (
    "fadd fsub fmul fdiv frem precise_divf fma clampf minimumf minnumf maximumf maxnumf fneg "
    "fcmpOLT fcmpOGT fcmpOLE fcmpOGE fcmpOEQ fcmpONE fcmpULT fcmpUGT fcmpULE fcmpUGE fcmpUEQ "
    "fcmpUNE cos sin exp exp2 log log2 sqrt precise_sqrt rsqrt floor ceil erf fabs"
).split()
_CASTS = "si_to_fp ui_to_fp fp_to_si fp_to_ui fp_ext fp_trunc int_cast".split()


def repair() -> tuple[str, ...]:
    """Repair the interpreter of the installed Triton; the names of what was repaired."""
    try:
        import numpy
        import triton.language as tl
        from triton.runtime import autotuner, interpreter, jit
    except (ImportError, RuntimeError, OSError, AttributeError):
        return ()
    brain = _Bfloat16(numpy, tl, interpreter)
    repairs: dict[str, Callable[[], None]] = {
        "bf16_arithmetic": brain.repair_arithmetic,
        "bf16_cast": brain.repair_casts,
        "bf16_dot": brain.repair_dot,
        "bf16_constant": brain.repair_constants,
        "bf16_atomic": brain.repair_atomics,
        "autotune": lambda: _repair_autotune(autotuner),
        "scalar_index": lambda: _repair_index(interpreter),
        "constexpr_spelling": lambda: repair_constexpr_spelling(interpreter),
        "float_argument": lambda: repair_float_argument(interpreter, numpy, tl),
        "pointers": lambda: repair_pointers(interpreter),
        "statements": lambda: repair_statements(interpreter, tl),
        "libdevice": lambda: repair_libdevice(interpreter, numpy),
        "aliases": lambda: repair_aliases(interpreter, tl),
        "dtype_value": lambda: repair_dtype_value(tl),
        "function_type": lambda: repair_function_type(interpreter, jit),
        "driver": repair_driver,
    }
    return tuple(name for name, apply in repairs.items() if _applied(apply))


def _applied(apply: Callable[[], None]) -> bool:
    """True where a repair fits; an interpreter of another shape is left as it is."""
    try:
        apply()
    except (AttributeError, TypeError, KeyError, ImportError):
        return False
    return True


class _Bfloat16:
    """bf16 done in float32 and rounded to nearest even, as the hardware does."""

    def __init__(self, numpy: Any, tl: Any, interpreter: Any) -> None:
        self.np, self.tl, self.module = numpy, tl, interpreter
        self.builder = interpreter.InterpreterBuilder
        self.handle = interpreter.TensorHandle

    def is_bf16(self, item: Any) -> bool:
        """True for a tensor handle whose elements are bf16 bit patterns."""
        if not isinstance(item, self.handle) or item.data.dtype != self.np.uint16:
            return False
        return bool(item.dtype.scalar == self.tl.bfloat16)

    def widen(self, data: Any) -> Any:
        """bf16 bit patterns to float32: exact."""
        return (data.astype(self.np.uint32) << 16).view(self.np.float32)

    def narrow(self, data: Any) -> Any:
        """float32 to bf16 bit patterns, to nearest even; a NaN stays one."""
        np = self.np
        bits = np.ascontiguousarray(data, dtype=np.float32).view(np.uint32).reshape(np.shape(data))
        rounded = (bits + ((bits >> 16) & 1) + np.uint32(0x7FFF)) >> 16
        quiet_nan = (bits >> 16) | 0x40
        is_nan = (bits & 0x7FFFFFFF) > 0x7F800000
        return np.where(is_nan, quiet_nan, rounded).astype(np.uint16)

    def wide_handle(self, item: Any) -> Any:
        """The same tensor in float32; anything else as it is."""
        return self.handle(self.widen(item.data), self.tl.float32) if self.is_bf16(item) else item

    def narrow_handle(self, result: Any) -> Any:
        """A float32 result as bf16; a comparison's result as truth values."""
        if result.data.dtype == self.np.bool_:
            return self.handle(result.data, self.tl.int1)
        return self.handle(self.narrow(result.data), self.tl.bfloat16)

    def repair_arithmetic(self) -> None:
        """Wrap every floating operation of the builder."""
        names = [
            "create_" + name for name in _ARITHMETIC if hasattr(self.builder, "create_" + name)
        ]
        if "create_fadd" not in names:
            raise AttributeError("create_fadd")
        for name in names:
            setattr(self.builder, name, self._wrapped(getattr(self.builder, name)))

    def _wrapped(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def operation(builder: Any, *operands: Any) -> Any:
            if not any(self.is_bf16(item) for item in operands):
                return original(builder, *operands)
            with self.np.errstate(all="ignore"):
                wide = original(builder, *(self.wide_handle(item) for item in operands))
            return self.narrow_handle(wide)

        return operation

    def repair_casts(self) -> None:
        """Casts from and to bf16 go through float32."""
        original = self.builder.cast_impl
        rounding = self.module._ir.ROUNDING_MODE.RTZ
        convert = self.builder.create_fp_to_fp

        def cast_impl(builder: Any, source: Any, target: Any) -> Any:
            wide = self.wide_handle(source)
            if target.scalar != self.tl.bfloat16:
                if wide is not source and target.scalar == self.tl.float32:
                    return wide
                return original(builder, wide, target)
            if wide is not source:
                return source
            return self.handle(self.narrow(source.data.astype(self.np.float32)), self.tl.bfloat16)

        def fp_to_fp(builder: Any, source: Any, target: Any, mode: Any) -> Any:
            plain = source.dtype.scalar == self.tl.float32 and target.scalar == self.tl.bfloat16
            if plain and mode != rounding:
                return self.handle(self.narrow(source.data), self.tl.bfloat16)
            return convert(builder, source, target, mode)

        self.builder.cast_impl = cast_impl
        self.builder.create_fp_to_fp = fp_to_fp

    def repair_dot(self) -> None:
        """A product of bf16 tiles is accumulated in float32."""
        original = self.builder.create_dot

        def create_dot(builder: Any, a: Any, b: Any, d: Any, *options: Any) -> Any:
            wide = [self.wide_handle(item) for item in (a, b, d)]
            result = original(builder, *wide, *options)
            return self.narrow_handle(result) if self.is_bf16(d) else result

        self.builder.create_dot = create_dot

    def repair_constants(self) -> None:
        """`tl.full(..., dtype=tl.bfloat16)` needs a way to write a bf16 constant."""

        def get_bf16(builder: Any, value: float) -> Any:
            return self.handle(
                self.narrow(self.np.array([value], self.np.float32)), self.tl.bfloat16
            )

        self.builder.get_bf16 = get_bf16

    def repair_atomics(self) -> None:
        """Atomic additions of bf16: programs run in turn, so load, add, store is atomic."""
        original = self.builder.create_atomic_rmw
        native, adds = self.module._interpreter, self.module._ir.ATOMIC_OP.FADD

        def create_atomic_rmw(
            builder: Any, kind: Any, ptr: Any, val: Any, mask: Any, *rest: Any
        ) -> Any:
            if kind != adds or not self.is_bf16(val):
                return original(builder, kind, ptr, val, mask, *rest)
            old = self.np.zeros_like(val.data)
            for place in self.np.ndindex(val.data.shape):
                if mask.data[place]:
                    at = ptr.data[place].reshape(1)
                    one = self.np.ones(1, dtype=bool)
                    before = native.load(at, one, self.np.zeros(1, self.np.uint16), old.dtype)
                    total = self.widen(before) + self.widen(val.data[place].reshape(1))
                    native.store(at, self.narrow(total), one)
                    old[place] = before[0]
            return self.handle(old, self.tl.bfloat16)

        self.builder.create_atomic_rmw = create_atomic_rmw


def _repair_index(interpreter: Any) -> None:
    """Up to Triton 3.6 a loop bound is `int(array([n]))`, which NumPy 2.5 no longer accepts."""
    original = interpreter._patch_lang_tensor
    if "squeeze" in inspect.getsource(original):
        raise AttributeError("not broken in this version")

    def patched(tensor: Any, *rest: Any) -> Any:
        result = original(tensor, *rest)
        tensor.__index__ = lambda self: int(self.handle.data.item())
        return result

    interpreter._patch_lang_tensor = patched


def _repair_autotune(autotuner: Any) -> None:
    """Without a device there is nothing to time: the first config that runs is taken.

    Pruning and the check for conflicting arguments stay Triton's own. A config that the interpreter
    refuses (a failed assertion about its block size) gives way to the next, as it would on a GPU.
    """
    from triton.runtime.errors import InterpreterError

    original_run = autotuner.Autotuner.run

    def bench(self: Any, *args: Any, config: Any, **meta: Any) -> list[float]:
        conflicts = meta.keys() & config.kwargs.keys()
        if conflicts:
            raise ValueError(f"Conflicting meta-parameters: {', '.join(sorted(conflicts))}.")
        cost = float("inf") if config in getattr(self, "refused_configs", ()) else 0.0
        return [cost, cost, cost]

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        for _ in self.configs[1:]:
            try:
                return original_run(self, *args, **kwargs)
            except InterpreterError:
                self.refused_configs = [*getattr(self, "refused_configs", ()), self.best_config]
                self.cache.clear()
        return original_run(self, *args, **kwargs)

    autotuner.Autotuner._bench = bench
    autotuner.Autotuner.run = run
