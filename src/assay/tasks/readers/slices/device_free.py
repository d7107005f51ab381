"""DeviceFree: statements without devices, gradients and foreign generators of tensors.

The rule: a task draws its inputs on the CPU and the judge moves them. What a test says of devices
is dropped; generators of the format's own library become torch's of the same law.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable

from assay.python_tree import expression_tree

_WORDS = frozenset({"device", "requires_grad", "generator", "pin_memory"})
_MOVES = frozenset({"cuda", "cpu", "requires_grad_", "detach"})
_DEVICES = ("cuda", "cpu", "hip", "xpu", "mps")


class DeviceFree(ast.NodeTransformer):
    """Rewrites statements; `attributes` are those of `self` in a class they come from."""

    def __init__(self, attributes: dict[str, ast.expr] | None = None) -> None:
        self._attributes = attributes or {}
        self._devices = {"device", "DEVICE"}

    def run(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        """New statements; those given are left alone."""
        made: list[ast.stmt] = []
        for node in statements:
            if isinstance(node, ast.Assign) and self._is_device(node.value):
                self._devices |= {t.id for t in node.targets if isinstance(t, ast.Name)}
            else:
                made.append(ast.fix_missing_locations(self.visit(copy.deepcopy(node))))
        return made

    def expression(self, node: ast.expr) -> ast.expr:
        """The same of the call that is asked for; where it follows a tensor's device it still does.

        Its inputs are where the judge puts them.
        """
        followed = [word for word in getattr(node, "keywords", ()) if _follows_device(word)]
        made: ast.expr = self.visit(copy.deepcopy(node))
        if isinstance(made, ast.Call):
            made.keywords += [copy.deepcopy(word) for word in followed]
        return ast.fix_missing_locations(made)

    def _is_device(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=str() as word):
                return word.split(":")[0] in _DEVICES
            case ast.Name(id=name):
                return name in self._devices
            case ast.Attribute(attr="device"):
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="device")):
                return True
            case ast.IfExp(body=body):
                return self._is_device(body)
        return False

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """`self.dtype` as what the constructor left there."""
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            known = self._attributes.get(node.attr)
            if known is not None and isinstance(node.ctx, ast.Load):
                return copy.deepcopy(known)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Without a device; a foreign generator as torch's."""
        self.generic_visit(node)
        node.keywords = [word for word in node.keywords if word.arg not in _WORDS]
        if isinstance(node.func, ast.Attribute):
            node.args = [given for given in node.args if not self._is_device(given)]
            if node.func.attr in _MOVES and not node.args:
                return node.func.value
            if node.func.attr == "to" and not node.args and not node.keywords:
                return node.func.value
            if node.func.attr == "empty":  # what lies in memory is nobody's input
                node.func.attr = "zeros"
        if isinstance(node.func, ast.Name) and node.func.id in _GENERATORS:
            return _GENERATORS[node.func.id](node)
        return node


def _follows_device(word: ast.keyword) -> bool:
    match word:
        case ast.keyword(
            arg="device", value=ast.Attribute(value=ast.Name(id=owner), attr="device")
        ):
            return owner != "self"
    return False


def _keyword(node: ast.Call, name: str, default: ast.expr) -> ast.expr:
    return next((word.value for word in node.keywords if word.arg == name), default)


def _shape(node: ast.Call) -> ast.expr:
    return node.args[0] if node.args else _keyword(node, "shape", ast.Tuple([], ast.Load()))


def _torch(name: str, arguments: list[ast.expr], dtype: ast.expr | None) -> ast.Call:
    function = ast.Attribute(ast.Name("torch", ast.Load()), name, ast.Load())
    words = [ast.keyword("dtype", dtype)] if dtype is not None else []
    return ast.Call(function, arguments, words)


def _tensor(node: ast.Call) -> ast.expr:
    """Standard and outlier draws as normal ones: the judge draws outliers of its own."""
    dtype = _keyword(node, "dtype", expression_tree("torch.float32").body)
    mode = _keyword(node, "mode", ast.Constant("standard"))
    if not (isinstance(mode, ast.Constant) and mode.value == "uniform"):
        return _torch("randn", [_shape(node)], dtype)
    low, high = (_keyword(node, n, ast.Constant(v)) for n, v in (("low", -1.0), ("high", 1.0)))
    spread = ast.BinOp(high, ast.Sub(), low)
    drawn = ast.BinOp(_torch("rand", [_shape(node)], dtype), ast.Mult(), spread)
    return ast.BinOp(drawn, ast.Add(), copy.deepcopy(low))


def _integers(node: ast.Call) -> ast.expr:
    low, high = (_keyword(node, n, ast.Constant(v)) for n, v in (("low", 0), ("high", 2)))
    dtype = _keyword(node, "dtype", expression_tree("torch.int64").body)
    return _torch("randint", [low, high, _shape(node)], dtype)


def _truths(node: ast.Call) -> ast.expr:
    drawn = [ast.Constant(0), ast.Constant(2), _shape(node)]
    return _torch("randint", drawn, expression_tree("torch.bool").body)


_GENERATORS = {"rand_tensor": _tensor, "rand_int": _integers, "rand_bool": _truths}
