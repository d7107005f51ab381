"""Statements of an interpreted Triton kernel, given the meaning that Triton's compiler gives them.

The rule: what the compiler takes stays taken, and means the same. The interpreter runs a kernel as
Python (measured on 3.7.1), so `a and b` of two masks is `b` and a masked load runs off its tensor,
`not mask` is one truth value, and `half = BLOCK // 2` turns a constant into a tensor that no shape
accepts. Nearly every reduction in a public library of Triton kernels is written in such words.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

_NAME = "kernel_statements"  # what rewritten kernels call; it reaches them through their globals
_KEPT = "add radd sub rsub mul rmul floordiv rfloordiv mod rmod neg pos lshift rshift".split()


class KernelStatements:
    """What rewritten kernels call in place of Python's own words."""

    def __init__(self, semantic: Any, tensor: type) -> None:
        self._semantic, self._tensor = semantic, tensor
        self._constant = _constant_type(semantic)

    def assigned(self, value: Any) -> Any:
        """An integer stays a constant, as it is to the compiler; other numbers become tensors."""
        plain = isinstance(value, int) and not isinstance(value, bool)
        if plain and -(2**31) <= value < 2**31:
            return self._constant(value)
        return self._semantic.to_tensor(value, False)

    def both(self, *values: Callable[[], Any]) -> Any:
        """`and`: element by element between tensors; a false constant ends it."""
        return self._joined(values, "logical_and", ends_it=False)

    def either(self, *values: Callable[[], Any]) -> Any:
        """`or`: element by element between tensors; a true constant ends it."""
        return self._joined(values, "logical_or", ends_it=True)

    def negated(self, value: Any) -> Any:
        """`not`: element by element of a tensor."""
        return self._truths(value).__not__() if isinstance(value, self._tensor) else not value

    def _joined(self, values: tuple[Callable[[], Any], ...], name: str, ends_it: bool) -> Any:
        tensors: list[Any] = []
        value: Any = None
        for read in values:
            value = read()
            if isinstance(value, self._tensor):
                tensors.append(self._truths(value))
            elif bool(value) is ends_it:
                return value
        if not tensors:
            return value
        joined = tensors.pop()
        while tensors:
            joined = getattr(tensors.pop(), name)(joined)
        return joined

    def _truths(self, tensor: Any) -> Any:
        """Truth values. Of other types the compiler takes none; there Python's truth stays."""
        return tensor if tensor.type.scalar.is_int1() else tensor != 0


def _constant_type(semantic: Any) -> type[int]:
    """Integers that shapes accept, and that answer like a tensor where they are asked as one."""

    class Constant(int):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return getattr(semantic.to_tensor(int(self)), name)

    def kept(original: Callable[..., Any]) -> Callable[..., Any]:
        def operation(*operands: Any) -> Any:
            result = original(*operands)
            return Constant(result) if type(result) is int else result

        return operation

    for name in _KEPT:
        setattr(Constant, f"__{name}__", kept(getattr(int, f"__{name}__")))
    return Constant


def repair_statements(interpreter: Any, tl: Any) -> None:
    """Rewrite kernels with these meanings from now on."""
    statements = KernelStatements(interpreter.interpreter_semantic, tl.tensor)
    transformer = interpreter.FunctionRewriter.ast_transformer
    if not hasattr(transformer, "visit_Assign"):
        raise AttributeError("visit_Assign")
    setattr(interpreter, _NAME, statements)
    interpreter.FunctionRewriter.ast_transformer = _StatementRewriter()


class _StatementRewriter(ast.NodeTransformer):
    """From Python's words to calls of `KernelStatements`."""

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """`x = value`: the compiler refuses several targets, so this does too."""
        self.generic_visit(node)
        if len(node.targets) > 1:
            raise ValueError("Multiple assignments are not supported")
        node.value = _call("assigned", node.value)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        """A loop's variable answers like any other that was assigned."""
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            name = node.target.id
            value = _call("assigned", ast.Name(name, ast.Load()))
            node.body.insert(0, ast.Assign([ast.Name(name, ast.Store())], value))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.Call:
        """Operands are read in turn and only as far as needed, hence the functions."""
        self.generic_visit(node)
        nothing = ast.arguments([], [], None, [], [], None, [])
        values = [ast.Lambda(nothing, value) for value in node.values]
        return _call("both" if isinstance(node.op, ast.And) else "either", *values)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Of the unary operators only `not` cannot be overloaded."""
        self.generic_visit(node)
        return _call("negated", node.operand) if isinstance(node.op, ast.Not) else node


def _call(method: str, *values: ast.expr) -> ast.Call:
    function = ast.Attribute(ast.Name(_NAME, ast.Load()), method, ast.Load())
    return ast.Call(function, list(values), [])
