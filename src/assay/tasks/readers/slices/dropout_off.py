"""Dropout off: a call of a function that drops elements at random, asked for without it.

The rule: a reference whose answer is random can be held against nothing. Where it has a parameter
`training`, the task asks with `training=False`, and its remarks say so.
"""

from __future__ import annotations

import ast

_PARAMETER = "training"


def without_dropout(call: ast.Call, tree: ast.Module) -> ast.Call:
    """The call with dropout switched off, where the function of the module can do that."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name and _drops(node):
            return _switched_off(call, node)
    return call


def _drops(function: ast.FunctionDef) -> bool:
    every = [*function.args.args, *function.args.kwonlyargs]
    has_switch = any(arg.arg == _PARAMETER for arg in every)
    called = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    return has_switch and any("dropout" in ast.unparse(one) for one in called)


def _switched_off(call: ast.Call, function: ast.FunctionDef) -> ast.Call:
    names = [arg.arg for arg in function.args.args]
    place = names.index(_PARAMETER) if _PARAMETER in names else len(call.args)
    off = ast.Constant(False)
    if place < len(call.args):
        given = [*call.args[:place], off, *call.args[place + 1 :]]
        return ast.Call(call.func, given, call.keywords)
    others = [word for word in call.keywords if word.arg != _PARAMETER]
    return ast.Call(call.func, call.args, [*others, ast.keyword(_PARAMETER, off)])
