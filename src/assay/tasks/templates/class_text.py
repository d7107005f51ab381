"""ClassText: the part of a reference that a candidate shares: constructor, helpers, imports.

The rule: it stands as it was written in the task, so that parameters have the same names.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from assay.data.task import Task
from assay.python_tree import module_tree
from assay.tasks.families.module_text import FamilyText, names_in

_MODULE = "torch.nn.Module"


@dataclass(frozen=True)
class ClassText:
    """Imports and helpers before the class, its bases, and its body without `forward`."""

    before: str
    bases: str
    body: str

    @classmethod
    def of(cls, task: Task) -> ClassText:
        """Of the class `Model` of a task; empty parts where the file has none of its own."""
        file = FamilyText(task.source, module_tree(task.source))
        model = file.parts.get("Model")
        if not isinstance(model, ast.ClassDef):
            return cls("", _MODULE, "")
        shared = [node for node in model.body if not _left_out(node)]
        read = {name for node in [*shared, *model.bases] for name in names_in(node)}
        wanted = sorted(read - _parameters(shared))
        needed = [file.of(file.parts[name]) for name in file.needed(wanted) if name != "Model"]
        body = "\n\n".join("\n".join(_lines(file, node)) for node in shared)
        imports = file.imports if shared or model.bases else ""
        before = "\n\n\n".join([imports, *needed]).strip()
        return cls(before, ", ".join(map(ast.unparse, model.bases)) or _MODULE, body)


def reference_text(task: Task) -> str:
    """The whole reference, without what draws its inputs."""
    file = FamilyText(task.source, module_tree(task.source))
    needed = [file.of(file.parts[name]) for name in file.needed([task.entry])]
    return "\n\n\n".join([file.imports, *needed])


def _left_out(node: ast.stmt) -> bool:
    """The docstring and `forward`."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    return isinstance(node, ast.FunctionDef) and node.name == "forward"


def _parameters(nodes: list[ast.stmt]) -> set[str]:
    """What the methods are given: a size of the file may have the same name."""
    methods = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    return {one.arg for method in methods for one in method.args.args}


def _lines(file: FamilyText, node: ast.stmt) -> list[str]:
    decorated = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    first = min([node.lineno, *(one.lineno for one in decorated)])
    return file.lines[first - 1 : node.end_lineno]
