"""DrawnLaw: the law of a function that does nothing but draw.

The rule: only a function whose whole body is the return of one of torch's own draws has a law that
its syntax shows; whatever else draws has none here.
"""

from __future__ import annotations

import ast

from assay.data.contract import Law, Stochastic

_LAWS = {"rand": Law.UNIFORM, "rand_like": Law.UNIFORM}


def drawn_law(tree: ast.Module, name: str) -> Stochastic | None:
    """The contract of a top-level function; None where it computes anything."""
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    body = [node for node in functions[-1].body if not _is_text(node)] if functions else []
    match body:
        case [
            ast.Return(value=ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=draw)))
        ]:
            return Stochastic(law=_LAWS[draw]) if draw in _LAWS else None
    return None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
