"""CpuText: a foreign text whose tensors are made on the CPU, changed in those places only.

The rule: only the word of a device is replaced, where it is given as one; comments, names and lines
stay. The judge moves inputs to where they are used.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay.python_tree import module_tree

_CPU = "'cpu'"
_TAKES_DEVICE = frozenset({"to", "device", "Generator", "set_default_device"})
_NAMES = frozenset({"device", "DEVICE"})


def on_cpu(text: str) -> str:
    """The text with the CPU in place of the GPU."""
    lines = text.splitlines(keepends=True)
    edits = sorted(set(_edits(module_tree(text))), reverse=True)
    for line, start, end, word in edits:  # from the end, so that positions stay true
        content = lines[line - 1].encode()
        lines[line - 1] = (content[:start] + word.encode() + content[end:]).decode()
    return "".join(lines)


def _edits(tree: ast.Module) -> Iterator[tuple[int, int, int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg="device", value=value):
                yield from _word(value)
            case ast.Call(func=ast.Attribute(attr="cuda") as method, args=[], keywords=[]):
                yield from _method(method)
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=args) if (
                name in _TAKES_DEVICE
            ):
                for value in args:
                    yield from _word(value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in _NAMES:
                yield from _word(value)
            case ast.FunctionDef(args=ast.arguments(args=given, defaults=values)):
                pairs = zip(reversed(given), reversed(values), strict=False)
                for parameter, value in pairs:
                    if parameter.arg in _NAMES:
                        yield from _word(value)


def _word(node: ast.expr) -> Iterator[tuple[int, int, int, str]]:
    """A constant that names a GPU; of a choice between two the first."""
    inner = node.body if isinstance(node, ast.IfExp) else node
    if (
        isinstance(inner, ast.Constant)
        and isinstance(inner.value, str)
        and inner.value.partition(":")[0] in ("cuda", "hip")
        and inner.end_col_offset is not None
    ):
        yield inner.lineno, inner.col_offset, inner.end_col_offset, _CPU


def _method(node: ast.Attribute) -> Iterator[tuple[int, int, int, str]]:
    """`x.cuda()` as `x.cpu()`."""
    end = node.end_col_offset
    if node.end_lineno is not None and end is not None:
        yield node.end_lineno, end - len("cuda"), end, "cpu"
