"""Answer memory: what a function of inputs makes for an answer to be written into.

The rule: what is returned counts where it is `torch.empty(...)` or `torch.empty_like(...)`, or a
name that is bound once to such a call and stands nowhere else. What is written into is an input.
"""

from __future__ import annotations

import ast

_EMPTY = frozenset({"empty", "empty_like"})
_KEPT = frozenset({"contiguous", "cuda", "to"})  # methods behind which it is empty still


def answer_memory(function: ast.FunctionDef | None) -> tuple[bool, ...]:
    """For each returned value whether it is such memory; none where not one tuple is returned."""
    if function is None:
        return ()
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    if len(returns) != 1 or not isinstance(returns[0].value, ast.Tuple):
        return ()
    empty = _empty_names(function)
    return tuple(
        one.id in empty if isinstance(one, ast.Name) else _is_empty(one)
        for one in returns[0].value.elts
    )


def _empty_names(function: ast.FunctionDef) -> set[str]:
    names = [node.id for node in ast.walk(function) if isinstance(node, ast.Name)]
    return {
        node.targets[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and _is_empty(node.value)
        and names.count(node.targets[0].id) == 2  # here and in the return
    }


def _is_empty(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=name)):
            return name in _EMPTY
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr=name)):
            return name in _KEPT and _is_empty(inner)
    return False
