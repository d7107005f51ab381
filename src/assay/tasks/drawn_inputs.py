"""DrawnInput: one argument of a reference's `forward`, and the expression that draws it.

The rule: read from the source without running it. What cannot be read - inputs that a loop makes,
for instance - is shown as it stands in the file.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from assay.data.task import Task
from assay.data.workload import Direction
from assay.python_tree import module_tree

GRADIENTS = "output_gradients"


@dataclass(frozen=True)
class DrawnInput:
    """A name, and the Python that makes its value."""

    name: str
    expression: str


def drawn_inputs(task: Task) -> tuple[DrawnInput, ...]:
    """Every argument in order; the gradients of a backward task are one entry, the last."""
    tree = module_tree(task.source)
    drawn = _returned(_function(tree, "get_inputs"))
    names = argument_names(tree)
    more = [f"argument {number}" for number in range(len(names), len(drawn))]
    found = [DrawnInput(*pair) for pair in zip([*names, *more], drawn, strict=False)]
    if task.direction is Direction.BACKWARD:
        found.append(DrawnInput(GRADIENTS, "torch.randn, shaped as each floating output"))
    return tuple(found)


def argument_names(tree: ast.Module) -> list[str]:
    """What `Model.forward` is given, by name; empty where that is not written in the file."""
    forward = method_of(tree, "Model", "forward")
    if forward is None:
        return []
    given = [*forward.args.posonlyargs, *forward.args.args]
    return [one.arg for one in given[1:]]


def method_of(tree: ast.Module, class_name: str, name: str) -> ast.FunctionDef | None:
    """A method as the class itself defines it."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            for one in node.body:
                if isinstance(one, ast.FunctionDef) and one.name == name:
                    return one
    return None


def _function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    """The first of that name: a later one of a backward task wraps it."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    return None


def _returned(function: ast.FunctionDef | None) -> list[str]:
    """The elements of what it returns, names replaced by what was last assigned to them."""
    if function is None:
        return []
    assigned: dict[str, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned[node.targets[0].id] = ast.unparse(node.value)
    last = function.body[-1]
    if not isinstance(last, ast.Return) or last.value is None:
        return [ast.unparse(last)]
    made = last.value
    elements = made.elts if isinstance(made, ast.List | ast.Tuple) else [made]
    texts = [ast.unparse(one) for one in elements]
    return [assigned.get(text, text) for text in texts]
