"""RandomValues: the expression that draws one random input, from its dtype, name and meaning.

The rule: values that the operation can take (a variance is positive, probabilities sum to one), and
no input so plain that an answer which ignores it would pass.
"""

from __future__ import annotations

import re

from assay.errors import UsageError
from assay.tasks.readers.definitions.definition import TensorSpec

_FLOATS = {"float64", "float32", "float16", "bfloat16"}
_SMALL_FLOATS = {"float8_e4m3fn", "float8_e5m2"}
_INTEGERS = {
    "int64": (-1024, 1024),
    "int32": (-1024, 1024),
    "int16": (-1024, 1024),
    "int8": (-128, 128),
    "uint8": (0, 256),
}
_POSITIVE = re.compile(r"(^|_)(rstd|std|variance|var)$")
_BINARY = re.compile(r"^(x_mask|text_mask|aspect_ratio_mask|drop_mask|attention_mask)$")
_CAUSAL = re.compile(r"^(attention_mask|causal_mask)$")
_DECAY = re.compile(r"^(A|g|A_log|A_cumsum)$")
_WEIGHT = re.compile(r"_(weight|proj)$|^weight$")
_PROBABILITIES = re.compile(r"(^|_)probs$|^attn_weights$")


def draw(spec: TensorSpec, shape: tuple[str, ...]) -> str:
    """The expression of a tensor of that shape, whose parts are expressions too."""
    size = f"({', '.join(shape)}{',' if len(shape) == 1 else ''})"
    dtype = f"torch.{spec.dtype}"
    if spec.dtype in _FLOATS:
        return f"{_float(spec, shape, size)}.to({dtype})"
    if spec.dtype in _SMALL_FLOATS:
        return f"torch.randn({size}).clamp(-2, 2).to({dtype})"
    if spec.dtype == "bool":
        return f"torch.randint(0, 2, {size}).bool()"
    if spec.dtype in _INTEGERS:
        low, high = _INTEGERS[spec.dtype]
        return f"torch.randint({low}, {high}, {size}, dtype={dtype})"
    raise UsageError(f"the input '{spec.name}' is {spec.dtype}, which cannot be drawn")


def _float(spec: TensorSpec, shape: tuple[str, ...], size: str) -> str:
    normal = f"torch.randn({size})"
    square = len(shape) >= 2 and shape[-1] == shape[-2]
    if _CAUSAL.match(spec.name) and square:
        return f"torch.full({size}, torch.finfo(torch.{spec.dtype}).min).triu(1)"
    if _BINARY.match(spec.name):
        return f"torch.randint(0, 2, {size})"
    if _POSITIVE.search(spec.name):
        return f"({normal}.abs() + 0.1)"
    if _DECAY.match(spec.name):
        return f"(-torch.rand({size}))"
    if _PROBABILITIES.search(spec.name):
        return f"torch.softmax({normal}, dim=-1)"
    if _WEIGHT.search(spec.name) and len(shape) >= 2:
        return f"({normal} / {shape[-1]} ** 0.5)"
    return normal
