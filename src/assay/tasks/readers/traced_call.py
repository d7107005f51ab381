"""TracedCall: the arguments of a call as text, `((T([2, 3], f32), 1), {})`, taken apart.

The rule: the text is parsed, never evaluated. Tensors are inputs, drawn from 0 to 1 as the format
draws them; everything else stays in the call as it is, but for devices.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from assay.errors import UsageError
from assay.python_tree import expression_tree

_DTYPES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "u8": "uint8",
    "b8": "bool",
    "c64": "complex64",
    "c128": "complex128",
}
_LEFT_OUT = frozenset({"device", "pin_memory"})


@dataclass(frozen=True)
class TracedCall:
    """Text of the arguments in names of inputs, and how each input is drawn."""

    arguments: str
    inputs: dict[str, str]


def traced_call(text: str) -> TracedCall:
    """The call of one line."""
    try:
        tree = expression_tree(text.strip()).body
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"its arguments are not in the form of a trace: {error}") from error
    match tree:
        case ast.Tuple(elts=[ast.Tuple(elts=given), ast.Dict(keys=names, values=values)]):
            inputs: dict[str, str] = {}
            parts = [_argument(node, inputs) for node in given]
            for name, value in zip(names, values, strict=True):
                word = name.value if isinstance(name, ast.Constant) else None
                if not isinstance(word, str) or not word.isidentifier():
                    raise UsageError("a keyword of the call is no name")
                if word not in _LEFT_OUT:
                    parts.append(f"{word}={_argument(value, inputs)}")
        case _:
            raise UsageError("its arguments are no pair of a tuple and a dict")
    if not inputs:
        raise UsageError("none of its arguments is a tensor")
    return TracedCall(", ".join(parts), inputs)


def _argument(node: ast.expr, inputs: dict[str, str]) -> str:
    match node:
        case ast.Call(func=ast.Name(id="T"), args=[shape, ast.Name(id=dtype), *stride]):
            name = f"tensor_{len(inputs)}"
            inputs[name] = _drawn(_sizes(shape), dtype, [_sizes(one) for one in stride])
            return name
        case ast.List(elts=parts):
            return f"[{', '.join(_argument(part, inputs) for part in parts)}]"
        case ast.Tuple(elts=parts):
            return f"({''.join(f'{_argument(part, inputs)}, ' for part in parts)})"
        case ast.Name(id=name) if name in _DTYPES:
            return f"torch.{_DTYPES[name]}"
        case ast.Constant(value=str() as word) if word in _DTYPES:
            return f"torch.{_DTYPES[word]}"
        case ast.Name(id="inf" | "nan" as name):
            return f"float({name!r})"
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id="inf")):
            return "float('-inf')"
        case ast.Attribute(value=ast.Name(id="torch" | "th"), attr=name):
            return f"torch.{name}"
    try:
        return repr(ast.literal_eval(node))
    except (ValueError, TypeError) as error:
        raise UsageError(f"the argument {ast.unparse(node)} is not known") from error


def _sizes(node: ast.expr) -> list[int]:
    try:
        sizes = ast.literal_eval(node)
    except (ValueError, TypeError) as error:
        raise UsageError(f"{ast.unparse(node)} is no shape") from error
    if not isinstance(sizes, list | tuple) or not all(type(size) is int for size in sizes):
        raise UsageError(f"{ast.unparse(node)} is no shape")
    return list(sizes)


def _drawn(shape: list[int], dtype: str, strides: list[list[int]]) -> str:
    """A tensor of that shape; with strides a view of as much memory as they reach."""
    if dtype not in _DTYPES:
        raise UsageError(f"the dtype {dtype} is not known")
    size = repr(tuple(shape))
    if strides and strides[0] and 0 not in shape:
        if len(strides[0]) != len(shape):
            raise UsageError(f"strides {strides[0]} do not fit the shape {shape}")
        reach = sum((n - 1) * step for n, step in zip(shape, strides[0], strict=True)) + 1
        return f"{_flat(f'({reach},)', dtype)}.as_strided({size}, {tuple(strides[0])!r})"
    return _flat(size, dtype)


def _flat(size: str, dtype: str) -> str:
    name = f"torch.{_DTYPES[dtype]}"
    if dtype[0] in "iu":
        return f"torch.randint(0, 2, {size}, dtype={name})"
    if dtype == "b8":
        return f"torch.randint(0, 2, {size}).bool()"
    return f"torch.rand({size}, dtype={name})"
