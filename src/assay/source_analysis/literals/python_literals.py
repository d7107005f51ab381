"""Literals of Python text: Triton and Numba kernels, wrappers, and everything else in a file.

The rule: names of constants are followed and constant expressions are worked out, so that 640 is
found in `WIDTH = 20 * 32` and `n == WIDTH`. A counter is what one call leaves for the next.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.source_analysis.literals.constant_folding import constant
from assay.source_analysis.literals.python_counters import counted, follows
from assay.source_analysis.literals.source_literal import LiteralUse, SourceLiteral

_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_TABLES = (ast.Tuple, ast.List, ast.Set)
_LIMITS = frozenset(("min", "max", "minimum", "maximum", "clamp", "clip"))
_SHOWN = 40  # characters of an expression


@dataclass(frozen=True)
class _ParsedModule:
    """What is known of a file while its nodes are read."""

    path: str
    names: dict[str, float]
    tables: dict[str, tuple[float, ...]]
    counted: frozenset[str]

    def literal(
        self, value: float, use: LiteralUse, node: ast.AST, other: str = "", residue: int = 0
    ) -> SourceLiteral:
        where = f"{self.path}:{getattr(node, 'lineno', 1)}"
        return SourceLiteral(value, use, where, other[:_SHOWN], residue)

    def is_counter(self, node: ast.expr) -> bool:
        """Whether an expression follows what earlier calls left."""
        return follows(node, self.counted)


def python_literals(tree: ast.Module, path: str) -> Iterator[SourceLiteral]:
    """Every number of a file, with its use; some several times."""
    names, tables = _constants(tree)
    module = _ParsedModule(path, names, tables, counted(tree))
    for node in ast.walk(tree):
        yield from _of_node(node, module)


def _constants(tree: ast.Module) -> tuple[dict[str, float], dict[str, tuple[float, ...]]]:
    """Names that are assigned one number, or one table of numbers, and nothing else."""
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign | ast.AugAssign) and node.value is not None:
            pairs = [(node.target, node.value)]
        else:
            continue
        for target, value in pairs:
            assigned.setdefault(ast.unparse(target).rpartition(".")[2], []).append(value)
    names: dict[str, float] = {}
    tables: dict[str, tuple[float, ...]] = {}
    for name, values in assigned.items():
        number = constant(values[0], names) if len(values) == 1 else None
        if number is not None:
            names[name] = number
        elif len(values) == 1:
            tables[name] = tuple(_elements(values[0], names))
    return names, tables


def _elements(node: ast.expr, names: dict[str, float]) -> Iterator[float]:
    inner = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    if isinstance(node, ast.Call) and len(node.args) == 1:  # frozenset((640, 1000))
        inner = getattr(node.args[0], "elts", [])
    for one in inner:
        value = constant(one, names) if one is not None else None
        if value is not None:
            yield value


def _of_node(node: ast.AST, module: _ParsedModule) -> Iterator[SourceLiteral]:
    if isinstance(node, ast.Compare):
        yield from _compared(node, module)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield from _within(node.test, module)
    elif isinstance(node, ast.MatchValue):
        yield from _values(node.value, LiteralUse.COMPARED, module)
    elif isinstance(node, ast.BinOp):
        yield from _divided(node, module)
    elif isinstance(node, (*_TABLES, ast.Dict)):
        for value in _elements(node, module.names):
            yield module.literal(value, LiteralUse.TABLE, node)
    elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        for argument in node.iter.args:
            yield from _values(argument, LiteralUse.LOOP, module)
    elif isinstance(node, ast.Slice):
        yield from _bounds([node.lower, node.upper, node.step], module)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _LIMITS:
        yield from _bounds(node.args, module)
    elif isinstance(node, ast.expr):
        yield from _values(node, LiteralUse.PLAIN, module)


def _bounds(nodes: Iterable[ast.expr | None], module: _ParsedModule) -> Iterator[SourceLiteral]:
    """Numbers beyond which something is cut off."""
    for node in nodes:
        value = constant(node, module.names) if node is not None else None
        if node is not None and value is not None:
            found = module.literal(value, LiteralUse.COMPARED, node)
            yield SourceLiteral(found.value, found.use, found.where, strict=True)


def _values(node: ast.expr, use: LiteralUse, module: _ParsedModule) -> Iterator[SourceLiteral]:
    value = constant(node, module.names)
    if value is not None:
        yield module.literal(value, use, node)


def _within(test: ast.expr, module: _ParsedModule) -> Iterator[SourceLiteral]:
    """Every number in a condition: `abs(n - 640) < 1` decides at 640."""
    counter = module.is_counter(test)
    use = LiteralUse.COUNTER if counter else LiteralUse.COMPARED
    remainders = [n for n in ast.walk(test) if isinstance(n, ast.BinOp)]
    moduli = {id(n.right) for n in remainders if isinstance(n.op, ast.Mod)}
    for node in ast.walk(test):
        if isinstance(node, ast.expr) and (counter or id(node) not in moduli):
            yield from _values(node, use, module)


def _compared(node: ast.Compare, module: _ParsedModule) -> Iterator[SourceLiteral]:
    sides = [node.left, *node.comparators]
    for left, kind, right in zip(sides, node.ops, sides[1:], strict=False):
        for value_side, other in ((left, right), (right, left)):
            yield from _against(value_side, other, kind, module)
    yield from _within(node, module)


def _against(
    side: ast.expr, other: ast.expr, kind: ast.cmpop, module: _ParsedModule
) -> Iterator[SourceLiteral]:
    value = constant(side, module.names)
    values = [value] if value is not None else []
    if isinstance(kind, ast.In | ast.NotIn):
        values += _elements(side, module.names)
        values += module.tables.get(ast.unparse(side).rpartition(".")[2], ())
    use = LiteralUse.COUNTER if module.is_counter(other) else LiteralUse.COMPARED
    said = ast.unparse(other)
    modulus = _modulus(other, module)
    for one in values:
        if modulus is not None and use is LiteralUse.COMPARED:
            kept = LiteralUse.MODULUS
            yield module.literal(modulus, kept, side, said, residue=int(one) % int(modulus))
        else:
            found = module.literal(one, use, side, said)
            strict = isinstance(kind, _ORDER)
            yield SourceLiteral(found.value, use, found.where, found.other, 0, strict)


def _modulus(node: ast.expr, module: _ParsedModule) -> float | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        value = constant(node.right, module.names)
        return value if value is not None and abs(value) >= 1 else None
    return None


def _divided(node: ast.BinOp, module: _ParsedModule) -> Iterator[SourceLiteral]:
    """A remainder, a quotient, a mask; of anything else the number alone."""
    value = constant(node.right, module.names)
    if value is None or constant(node.left, module.names) is not None:
        yield from _values(node, LiteralUse.PLAIN, module)
        return
    said = ast.unparse(node.left)
    if module.is_counter(node.left):
        yield module.literal(value, LiteralUse.COUNTER, node, said)
    elif isinstance(node.op, ast.Mod):
        yield module.literal(value, LiteralUse.MODULUS, node, said)
    elif isinstance(node.op, ast.FloorDiv | ast.BitAnd | ast.BitXor | ast.RShift):
        yield module.literal(value, LiteralUse.DIVISOR, node, said)
