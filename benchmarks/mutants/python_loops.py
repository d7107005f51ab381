"""Faults of loops and sums in Numba and Triton: bounds, blocks, terms, precision, indices."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mutants.edit import Edit
from mutants.python_source import PythonSource

_WIDTHS = {"narrow_index_int16": 0x7FFF, "narrow_index_uint16": 0xFFFF, "narrow_index_uint8": 0xFF}
_COARSE = """
@__import__("numba").njit
def _coarse(value, bits):
    if value == 0.0 or not math.isfinite(value):
        return value
    mantissa, exponent = math.frexp(value)
    return math.ldexp(float(round(mantissa * 2.0**bits)), exponent - bits)


"""


def _ranges(source: PythonSource) -> Iterator[tuple[ast.For, ast.Call]]:
    for node in source.kernel_nodes():
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
            name = node.iter.func
            if getattr(name, "attr", getattr(name, "id", "")) in ("range", "prange"):
                yield node, node.iter


def bounds(source: PythonSource) -> Iterator[Edit]:
    """The last element left out, the first left out, the tail of eight left out."""
    for _, call in _ranges(source):
        name, args = ast.unparse(call.func), [ast.unparse(a) for a in call.args]
        first, last = ("0", args[0]) if len(args) == 1 else (args[0], args[1])
        if len(args) == 3:
            cut = f"{name}({first}, {last} - ({last}) % ({args[2]}), {args[2]})"
            yield source.replaced("missing_last_block", call, cut)
            continue
        yield source.replaced("tail_off_by_one", call, f"{name}({first}, {last} - 1)")
        yield source.replaced("vector_tail_dropped", call, f"{name}({first}, {last} // 8 * 8)")
        if first == "0":
            yield source.replaced("first_skipped", call, f"{name}(1, {last})")


def _sums(loop: ast.For) -> Iterator[ast.AugAssign]:
    for node in loop.body:
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            yield node


def terms(source: PythonSource) -> Iterator[Edit]:
    """One term twice, one never, every second doubled, all negated, a thousand at most."""
    for loop, call in _ranges(source):
        if not isinstance(loop.target, ast.Name) or source.is_triton:
            continue
        name, args = loop.target.id, [ast.unparse(a) for a in call.args]
        for node in _sums(loop):
            target, value = ast.unparse(node.target), ast.unparse(node.value)
            faults = {
                "sign_of_sum": f"{target} -= {value}",
                "double_counted": f"{target} += (2.0 if {name} == 0 else 1.0) * ({value})",
                "term_dropped": f"{target} += 0.0 if {name} == 1 else {value}",
                "sub_sampled": f"{target} += 2.0 * ({value}) if {name} % 2 == 0 else 0.0",
            }
            yield from (source.replaced(k, node, t) for k, t in faults.items())
            if len(args) == 1:
                yield source.replaced("truncated_reduction", call, f"range(min({args[0]}, 1000))")
                yield source.replaced("every_second_term", call, f"range(0, {args[0]}, 2)")


def precision(source: PythonSource) -> Iterator[Edit]:
    """Sums and factors that keep eleven or eight bits."""
    if source.is_triton or not source.kernels or "import math" not in source.text:
        return
    helper = source.before_kernels(_COARSE)
    for loop, _ in _ranges(source):
        for node in _sums(loop):
            target, value = ast.unparse(node.target), ast.unparse(node.value)
            for kind, bits in (("half_accumulation", 11), ("bf16_accumulation", 8)):
                text = f"{target} = _coarse({target} + {value}, {bits})"
                edit = source.replaced(kind, node, text)
                yield Edit(kind, (helper, *edit.splices))
            if isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.Mult):
                left, right = ast.unparse(node.value.left), ast.unparse(node.value.right)
                edit = source.replaced(
                    "half_operands", node, f"{target} += _coarse({left}, 11) * ({right})"
                )
                yield Edit("half_operands", (helper, *edit.splices))


def narrow(source: PythonSource) -> Iterator[Edit]:
    """An index that wraps as a 16- or 8-bit one does."""
    for loop, _ in _ranges(source):
        if not isinstance(loop.target, ast.Name) or source.is_triton:
            continue
        for node in ast.walk(ast.Module(loop.body, [])):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                places = [n for n in ast.walk(node.slice) if isinstance(n, ast.Name)]
                place = next((n for n in places if n.id == loop.target.id), None)
                if place is not None:
                    for kind, mask in _WIDTHS.items():
                        yield source.replaced(kind, place, f"({place.id} & {mask})")
                    break


MUTATORS = (bounds, terms, precision, narrow)
