"""Dropout off: a call of a function that drops elements at random, asked for without it.

The rule: a reference whose answer is random can be held against nothing. Where it has a parameter
`training`, the task asks with `training=False`, and its remarks say so. A function that gives the
same parameter to a batch norm without running statistics has no answer then: it, and one without
such a parameter, is asked with a rate of zero, where the rate is a parameter.
"""

from __future__ import annotations

import ast

_PARAMETER = "training"
_BATCH_NORM = ("input", "running_mean", "running_var", "weight", "bias", _PARAMETER)
_DROPOUT = ("input", "p", _PARAMETER)


def without_dropout(call: ast.Call, tree: ast.Module) -> ast.Call:
    """The call with dropout switched off, where the function of the module can do that."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name and _calls(node, "dropout"):
            if _PARAMETER in _parameters(node) and not _needs_batch(node):
                return _with_argument(call, node, _PARAMETER, ast.Constant(False))
            rate = _rate(node)
            return _with_argument(call, node, rate, ast.Constant(0.0)) if rate else call
    return call


def _parameters(function: ast.FunctionDef) -> list[str]:
    return [arg.arg for arg in (*function.args.args, *function.args.kwonlyargs)]


def _calls(function: ast.FunctionDef, word: str) -> list[ast.Call]:
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return [call for call in calls if word in ast.unparse(call.func)]


def _given(call: ast.Call, names: tuple[str, ...], wanted: str) -> ast.expr | None:
    """What a call gives for one of its parameters, by place or by name."""
    placed = dict(zip(names, call.args, strict=False))
    named = {word.arg: word.value for word in call.keywords}
    return named.get(wanted, placed.get(wanted))


def _needs_batch(function: ast.FunctionDef) -> bool:
    """Whether some batch norm has no statistics but those of the batch, and `training` says so."""
    for call in _calls(function, "batch_norm"):
        statistics = _given(call, _BATCH_NORM, "running_mean")
        switch = _given(call, _BATCH_NORM, _PARAMETER)
        without = isinstance(statistics, ast.Constant) and statistics.value is None
        if without and isinstance(switch, ast.Name) and switch.id == _PARAMETER:
            return True
    return False


def _rate(function: ast.FunctionDef) -> str:
    """The parameter of the function that every dropout has as its rate; empty where none is."""
    given = [_given(call, _DROPOUT, "p") for call in _calls(function, "dropout")]
    names = {node.id if isinstance(node, ast.Name) else "" for node in given}
    name = names.pop() if len(names) == 1 else ""
    return name if name in _parameters(function) else ""


def _with_argument(
    call: ast.Call, function: ast.FunctionDef, name: str, value: ast.expr
) -> ast.Call:
    names = [arg.arg for arg in function.args.args]
    place = names.index(name) if name in names else len(call.args)
    if place < len(call.args):
        given = [*call.args[:place], value, *call.args[place + 1 :]]
        return ast.Call(call.func, given, call.keywords)
    others = [word for word in call.keywords if word.arg != name]
    return ast.Call(call.func, call.args, [*others, ast.keyword(name, value)])
