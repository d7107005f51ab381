"""Triton function: a function under `@triton.jit` as its source shows it."""

from __future__ import annotations

import ast


class TritonFunction:
    """One function under `@triton.jit`, with its parameters."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.node, self.name = node, node.name
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        self.parameters = tuple(one.arg for one in given)
        marked = [one for one in given if one.annotation and _marks_constant(one.annotation)]
        self.constants = tuple(one.arg for one in marked)
        positional = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
        defaults = node.args.defaults
        self.defaults = dict(
            zip(positional[len(positional) - len(defaults) :], defaults, strict=True)
        )
        pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        self.defaults |= {one.arg: value for one, value in pairs if value is not None}


def _marks_constant(annotation: ast.expr) -> bool:
    return "constexpr" in ast.unparse(annotation)
