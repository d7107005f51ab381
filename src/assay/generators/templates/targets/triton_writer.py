"""TritonWriter: expressions in Triton.

The rule: narrow floats become float32 when they are loaded. Extremes let a NaN through.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.generators.templates.graph.expression import FLOATS, ElementLoad
from assay.generators.templates.graph.symbolic_size import Size, python_text
from assay.generators.templates.targets.expression_writer import ExpressionWriter, placed

TYPES = {"bool": "tl.int1", "float64": "tl.float64", "float32": "tl.float32"}
_LIBDEVICE = frozenset(
    "tanh erfc log1p expm1 tan asin acos atan sinh cosh atan2 pow fmod lgamma log10 trunc".split()
)
_PLAIN = {"exp": "tl.exp", "log": "tl.log", "sqrt": "tl.sqrt_rn", "sin": "tl.sin", "cos": "tl.cos",
          "abs": "tl.abs", "floor": "tl.floor", "ceil": "tl.ceil", "erf": "tl.erf",
          "exp2": "tl.exp2", "log2": "tl.log2"}  # fmt: skip
_INFIX = {"add": "+", "sub": "-", "mul": "*", "bit_and": "&", "bit_or": "|", "bit_xor": "^",
          "and": "&", "or": "|", "xor": "^", "eq": "==", "ne": "!=", "lt": "<", "le": "<=",
          "gt": ">", "ge": ">="}  # fmt: skip


def triton_type(dtype: str) -> str:
    """A dtype of torch in Triton's words."""
    return TYPES.get(dtype, f"tl.{dtype}")


class TritonWriter(ExpressionWriter):
    """Blocks of values. `masks` says which mask a place has by the variables it depends on."""

    def __init__(
        self,
        names: Mapping[Any, str],
        memory: Mapping[str, str],
        masks: Sequence[tuple[frozenset[Any], str]],
        first: int = 0,
    ) -> None:
        super().__init__(names, memory, first)
        self._masks = masks  # variables of a dimension of the block, and its mask

    def place(self, place: Size, texts: Mapping[Any, str]) -> str:
        """A place in the target's words."""
        return python_text(placed(place, {**self.names, **texts}))

    def number(self, value: float | int | bool, dtype: str) -> str:
        """A constant."""
        if isinstance(value, float) and not math.isfinite(value):
            return f'float("{value}")'
        return repr(value)

    def load(self, one: ElementLoad, mask: str) -> str:
        """A load, only where the mask holds."""
        place = self.index(one.offset, one.computed, mask)
        own = [text for symbols, text in self._masks if symbols & one.symbols]
        if mask:  # a mask may be wider than the place: the place is spread over the whole block
            place, own = f"{place} + zero", [mask, *(text for _, text in self._masks)]
        text = f"{one.buffer} + ({place})"
        if own:
            text += f", mask={' & '.join(own)}, other=0"
        found = f"tl.load({text})"
        memory = self.memory[one.buffer]
        if memory == "bool":
            return f"({found} != 0)"
        return found if memory == one.dtype else f"{found}.to({triton_type(one.dtype)})"

    def operation(self, name: str, dtype: str, given: Sequence[str], kinds: Sequence[str]) -> str:
        """A function of texts whose dtypes are `kinds`."""
        if name in _INFIX:
            return f"{given[0]} {_INFIX[name]} {given[1]}"
        if name == "sqrt" and dtype == "float64":
            return f"tl.sqrt({given[0]})"
        if name in _PLAIN and (dtype in FLOATS or name == "abs"):
            return f"{_PLAIN[name]}({given[0]})"
        if name in _LIBDEVICE:
            return f"libdevice.{name}({', '.join(given)})"
        if name == "cast":
            return self._cast(dtype, given[0])
        return _special(name, dtype, given)

    def _cast(self, dtype: str, text: str) -> str:
        if dtype == "bool":
            return f"{text} != 0"
        return f"tl.cast({text}, {triton_type(dtype)})"

    def both(self, first: str, second: str) -> str:
        """Two conditions at once."""
        return f"{first} & {second}"

    def assignment(self, dtype: str, name: str, text: str) -> str:
        """A statement that names a value."""
        return f"{name} = {text}"


def _special(name: str, dtype: str, given: Sequence[str]) -> str:
    (a, *more) = given
    b = more[0] if more else ""
    nan = "propagate_nan=tl.PropagateNan.ALL"
    texts = {
        "div": f"tl.div_rn({a}, {b})" if dtype == "float32" else f"{a} / {b}",
        "neg": f"-{a}",
        "not": f"{a} == 0",
        "bit_not": f"~{a}",
        "rsqrt": f"tl.div_rn(1.0, tl.sqrt_rn({a}))"
        if dtype == "float32"
        else f"1.0 / tl.sqrt({a})",
        "sigmoid": f"1.0 / (1.0 + tl.exp(-{a}))",
        "relu": f"tl.where({a} < 0, 0, {a})",
        "sign": f"tl.where({a} > 0, 1, tl.where({a} < 0, -1, {a}))",
        "round": f"libdevice.rint({a})",
        "isnan": f"{a} != {a}",
        "isinf": f"tl.abs({a}) == float('inf')",
        "signbit": f"({a}.to(tl.int32, bitcast=True) < 0)",
        "remainder": f"{a} - tl.floor({a} / {b}) * {b}",
        "maximum": f"tl.maximum({a}, {b}, {nan})" if dtype in FLOATS else f"tl.maximum({a}, {b})",
        "minimum": f"tl.minimum({a}, {b}, {nan})" if dtype in FLOATS else f"tl.minimum({a}, {b})",
        "where": f"tl.where({', '.join(given)})",
    }
    if name not in texts:
        raise ValueError(f"no text in Triton for {name}")
    return texts[name]
