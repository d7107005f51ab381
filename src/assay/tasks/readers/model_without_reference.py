"""ModelWithoutReference: the module class of a functional task, over a candidate's function.

The rule: what a candidate is given of the task is the module that holds the parameters. The
function that computes the answer is left out, and so is everything that only it needs.
"""

from __future__ import annotations

import ast

from assay.languages.candidate_file import ENTRY
from assay.python_tree import expression_tree, module_tree
from assay.tasks.readers.slices.function_source import usable_imports

_REFERENCE = "forward_fn"
_AUTOGRAD = "AutogradFunction"
_GRADIENTS = ("_float_tensors", "_Given", "ModelBackward")


def module_text(source: str, direction: str) -> str:
    """`ModelNew` of a task in that direction; the candidate's function has the direction's name."""
    tree = module_tree(source)
    if direction == "backward":
        names = [_AUTOGRAD, "Model", *_GRADIENTS]
        ends = f"{_AUTOGRAD}.backward_fn = backward\n{ENTRY} = ModelBackward\n"
        called = f"{_AUTOGRAD}.apply"
    else:
        names, ends, called = ["Model"], f"{ENTRY} = Model\n", direction
    kept = _needed(tree, names)
    for node in kept:
        if isinstance(node, ast.ClassDef) and node.name == "Model":
            _call_instead(node, called)
    lines = dict.fromkeys(["import torch", *map(ast.unparse, usable_imports(tree))])
    definitions = "\n\n".join(ast.unparse(ast.fix_missing_locations(node)) for node in kept)
    return "\n".join([*lines, "", definitions, ends])


def _call_instead(model: ast.ClassDef, function: str) -> None:
    """Gives `forward` the candidate's function where it would take the reference."""
    for node in ast.walk(model):
        if isinstance(node, ast.FunctionDef):
            arguments = node.args
            arguments.defaults = [_other(d, function) for d in arguments.defaults]
            arguments.kw_defaults = [d and _other(d, function) for d in arguments.kw_defaults]


def _other(default: ast.expr, function: str) -> ast.expr:
    if isinstance(default, ast.Name) and default.id == _REFERENCE:
        return expression_tree(function).body
    return default


def _needed(tree: ast.Module, names: list[str]) -> list[ast.stmt]:
    """The definitions of some names, and those that they use, in the order of the source."""
    defined = {name: node for node in tree.body for name in _bound(node)}
    open_, seen = list(names), {_REFERENCE}
    kept: list[ast.stmt] = []
    while open_:
        name = open_.pop()
        node = defined.get(name)
        if name in seen or node is None:
            continue
        seen.add(name)
        if node not in kept:
            kept.append(node)
        open_ += [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    return [node for node in tree.body if node in kept]


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
