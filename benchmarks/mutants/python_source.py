"""PythonSource: a Python kernel file with its tree, its kernel functions and its forward method.

The rule: a fault is one node written anew (`ast.unparse`) where it stood; the rest of the text
stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mutants.edit import Edit, Splice
from mutants.python_positions import Positions

_DECORATORS = ("jit", "njit", "vectorize", "guvectorize", "stencil")


@dataclass(frozen=True)
class PythonSource:
    """One file."""

    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """Parsed once: mutators compare nodes by identity."""
        return ast.parse(self.text)

    @cached_property
    def positions(self) -> Positions:
        """Where nodes stand."""
        return Positions(self.text)

    @cached_property
    def kernels(self) -> tuple[ast.FunctionDef, ...]:
        """Functions that a compiler of kernels is asked to compile."""
        functions = [n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef)]
        return tuple(f for f in functions if any(map(_compiles, f.decorator_list)))

    @property
    def is_triton(self) -> bool:
        """Whether its kernels are Triton's."""
        return "import triton" in self.text

    @cached_property
    def forward(self) -> ast.FunctionDef | None:
        """The entry's forward method, where it has one."""
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef) and node.name == "ModelNew":
                methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
                return next((m for m in methods if m.name == "forward"), None)
        return None

    def kernel_nodes(self) -> Iterator[ast.AST]:
        """Every node in the bodies of the kernels."""
        for function in self.kernels:
            for statement in function.body:
                yield from ast.walk(statement)

    def replaced(self, kind: str, node: ast.expr | ast.stmt, new: str) -> Edit:
        """An edit that puts `new` where a node stood."""
        start, end = self.positions.span(node)
        return Edit(kind, (Splice(start, end, new),))

    def before_kernels(self, text: str) -> Splice:
        """A helper put before the first kernel, above its decorators and what it is defined in."""
        first = min(kernel.lineno for kernel in self.kernels)
        around = [s for s in self.tree.body if s.lineno <= first <= (s.end_lineno or 0)]
        start, _ = self.positions.span(around[0])
        marks = len(getattr(around[0], "decorator_list", ()))
        start = self.text.rfind("\n@", 0, start) + 1 if marks else start
        return Splice(start, start, text)


def _compiles(decorator: ast.expr) -> bool:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in _DECORATORS
