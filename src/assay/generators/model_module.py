"""ModelModule: a task's module rewritten as a candidate's, by its syntax tree.

The rule: the reference's class keeps its constructor, so parameters have the same names. What only
the judge needs (inputs, axes, tags, contract, the vendor's class) is left out. Nothing is run.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from assay.python_tree import module_tree

ENTRY = "ModelNew"
_OF_THE_JUDGE = frozenset(
    {
        "AXES",
        "TAGS",
        "CONTRACT",
        "BACKWARD",
        "CONTIGUOUS_INPUTS",
        "Vendor",
        "get_inputs",
        "get_init_inputs",
    }
)


class ModelModule:
    """The module of one reference, to be written out as a candidate."""

    def __init__(self, source: str, entry: str) -> None:
        kept = [node for node in module_tree(source).body if not _names(node) & _OF_THE_JUDGE]
        self._tree = _Renamed(entry).visit(ast.Module(body=kept, type_ignores=[]))
        self._tree.body = _without_unused(self._tree.body)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the arguments of `forward`, `self` left out."""
        arguments = self._forward().args
        return tuple(one.arg for one in [*arguments.posonlyargs, *arguments.args][1:])

    def replace_forward(self, lines: Sequence[str]) -> None:
        """Another body of `forward`."""
        self._forward().body = module_tree("\n".join(lines)).body

    def text(self, with_title: bool = True) -> str:
        """The module as Python source, with or without its docstring."""
        titled = ast.get_docstring(self._tree) is not None
        body = self._tree.body if with_title or not titled else self._tree.body[1:]
        return ast.unparse(ast.fix_missing_locations(ast.Module(body, []))) + "\n"

    def _forward(self) -> ast.FunctionDef:
        classes = [n for n in self._tree.body if isinstance(n, ast.ClassDef) and n.name == ENTRY]
        methods = [n for c in classes for n in c.body if isinstance(n, ast.FunctionDef)]
        found = [node for node in methods if node.name == "forward"]
        if not found:
            raise ValueError("the task's module defines no class with a `forward` of its own")
        return found[0]


class _Renamed(ast.NodeTransformer):
    """The entry's class under a candidate's name, wherever it is mentioned."""

    def __init__(self, entry: str) -> None:
        self._entry = entry

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = ENTRY if node.name == self._entry else node.name
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = ENTRY if node.id == self._entry else node.id
        return node


def _names(node: ast.stmt) -> set[str]:
    """What a top-level statement defines."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    if isinstance(node, ast.Assign):
        return {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return set()


def _without_unused(body: list[ast.stmt]) -> list[ast.stmt]:
    """Assigned names that nothing reads are left out: they are the sizes of the task's inputs."""
    read = {
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return [n for n in body if not isinstance(n, ast.Assign) or _names(n) & read]
