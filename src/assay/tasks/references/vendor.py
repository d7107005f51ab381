"""Vendor: the library's own call for a task, where the task's module names one.

The rule: a module writes `class Vendor(Model)` with a `forward` that makes the direct call, or
`Vendor = Model` where the reference is that call already. Being a `Model`, it has its constructor
and its parameters; for gradients its place in the order of bases does the rest.
"""

from __future__ import annotations

import ast

from assay.data.task import Task
from assay.data.workload import Direction
from assay.python_tree import module_tree

NAME = "Vendor"
_BASE = "Model"
_GRADIENTS = """

class AssayVendor({entry}, Vendor):
    pass
"""


def vendor_of(task: Task) -> tuple[str, str] | None:
    """Source and entry of the direct call; None where the task knows none."""
    if not any(_declares(node) for node in module_tree(task.source).body):
        return None
    if task.direction is Direction.FORWARD:
        return task.source, NAME
    return task.source + _GRADIENTS.format(entry=task.entry), "AssayVendor"


def _declares(node: ast.stmt) -> bool:
    match node:
        case ast.ClassDef(name=name, bases=[ast.Name(id=base)]):
            return name == NAME and base == _BASE
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=value)):
            return name == NAME and value == _BASE
    return False
