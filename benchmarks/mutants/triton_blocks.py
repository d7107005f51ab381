"""Faults that only Triton knows: masks, fill values, grids, axes, the type of a block."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mutants.edit import Edit, Splice
from mutants.python_source import PythonSource


def masks(source: PythonSource) -> Iterator[Edit]:
    """No mask, another fill value, a bound one too small or one too large."""
    if not source.is_triton:
        return
    for node in source.kernel_nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("tl.load", "tl.store"):
            yield from _call(source, node)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt):
            left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
            yield source.replaced("tail_off_by_one", node, f"({left} < {right} - 1)")
            yield source.replaced("one_too_many", node, f"({left} <= {right})")
            yield source.replaced("vector_tail_dropped", node, f"({left} < {right} // 8 * 8)")


def _call(source: PythonSource, node: ast.Call) -> Iterator[Edit]:
    masked = [k for k in node.keywords if k.arg in ("mask", "other")]
    other = next((k for k in masked if k.arg == "other"), None)
    if masked:
        bare = ast.Call(node.func, node.args, [k for k in node.keywords if k not in masked])
        yield source.replaced("mask_dropped", node, ast.unparse(bare))
    reduces = any(name in source.text for name in ("tl.sum(", "tl.max(", "tl.dot("))
    if other is not None and reduces:  # elsewhere what was filled in is never stored
        yield source.replaced("wrong_fill", other.value, "0.5")


def precision(source: PythonSource) -> Iterator[Edit]:
    """Loads that pass through half or bfloat16, and stores that do."""
    if not source.is_triton:
        return
    for node in source.kernel_nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "tl.load":
            whole = ast.unparse(node)
            text = f"{whole}.to(tl.float16).to(tl.float32)"
            yield source.replaced("half_operands", node, text)
            text = f"{whole}.to(tl.bfloat16).to(tl.float32)"
            yield source.replaced("bf16_operands", node, text)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "tl.store":
            value = node.args[1]
            text = f"({ast.unparse(value)}).to(tl.float16).to(tl.float32)"
            yield source.replaced("half_output", value, text)


def blocks(source: PythonSource) -> Iterator[Edit]:
    """A grid without its last block, a reduction over half of a block, sums in half."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or not source.is_triton:
            continue
        name = ast.unparse(node.func)
        if name == "triton.cdiv":
            first, second = (ast.unparse(a) for a in node.args)
            yield source.replaced("missing_last_block", node, f"max(1, {first} // {second})")
        elif name == "tl.zeros":
            text = ast.unparse(node).replace("tl.float32", "tl.float16")
            if text != ast.unparse(node):
                yield source.replaced("half_accumulation", node, text)
        elif name == "tl.sum":
            text = f"({ast.unparse(node)}).to(tl.float16).to(tl.float32)"
            yield source.replaced("half_accumulation", node, text)


def narrow(source: PythonSource) -> Iterator[Edit]:
    """Places that wrap as 16-bit ones do."""
    if not source.is_triton:
        return
    for node in source.kernel_nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "tl.load":
            pointer = node.args[0]
            if isinstance(pointer, ast.BinOp) and isinstance(pointer.op, ast.Add):
                start, end = source.positions.span(pointer.right)
                place = ast.unparse(pointer.right)
                for kind, mask in (("narrow_index_uint16", 0xFFFF), ("narrow_index_int16", 0x7FFF)):
                    yield Edit(kind, (Splice(start, end, f"(({place}) & {mask})"),))


MUTATORS = (masks, precision, blocks, narrow)
