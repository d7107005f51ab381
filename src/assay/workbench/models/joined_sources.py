"""Joined sources: several Python modules as one, with names that do not meet.

The rule: by syntax tree, nothing is run. What a module defines at its top level gets a prefix
wherever the module means it; names of a function's own stay. What is imported has no prefix,
unless another module imports something else under the same name.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from assay.errors import UsageError
from assay.python_tree import module_tree


class JoinedSources:
    """Gathers modules: imports once, definitions under a prefix."""

    def __init__(self) -> None:
        self._imports: dict[str, str] = {}  # by the name that they bind
        self._future: list[str] = []
        self._bodies: list[str] = []

    def add(self, source: str, prefix: str, without: Iterable[str] = ()) -> None:
        """One module; with an empty prefix its names stay. `without` are left out."""
        left_out = frozenset(without)
        kept: list[ast.stmt] = []
        renamed: set[str] = set()
        for node in module_tree(source).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                renamed |= self._import(node, prefix)
            elif not _defined(node) & left_out and not _is_docstring(node):
                kept.append(node)
        tree = ast.Module(body=kept, type_ignores=[])
        if prefix:
            names = renamed | {name for node in kept for name in _defined(node)}
            names -= {name for name in names if name.startswith("__")}
            tree = _Prefixed(prefix, names).visit(tree)
        self._bodies.append(ast.unparse(ast.fix_missing_locations(tree)))

    def text(self) -> str:
        """All imports, then the modules in order."""
        head = "\n".join([*dict.fromkeys(self._future), *dict.fromkeys(self._imports.values())])
        return "\n\n\n".join([head, *self._bodies]) + "\n"

    def _import(self, node: ast.Import | ast.ImportFrom, prefix: str) -> set[str]:
        """Keep the imports of one statement; the names that had to get the prefix."""
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            self._future.append(ast.unparse(node))
            return set()
        renamed = set()
        for alias in node.names:
            name = alias.asname or alias.name
            text = ast.unparse(_alone(node, alias))
            if self._imports.setdefault(name, text) == text:
                continue
            if not prefix:
                raise UsageError(f"`{text}` and `{self._imports[name]}` bind one name")
            other = ast.alias(name=alias.name, asname=prefix + name)
            self._imports[prefix + name] = ast.unparse(_alone(node, other))
            renamed.add(name)
        return renamed


def _alone(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    """The statement with one name."""
    if isinstance(node, ast.Import):
        return ast.Import(names=[alias])
    return ast.ImportFrom(module=node.module, names=[alias], level=node.level)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _defined(node: ast.stmt) -> set[str]:
    """What a top-level statement binds."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {node.name}
    return {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }


class _Prefixed(ast.NodeTransformer):
    """Global names of one module under a prefix; a function's own names are left alone."""

    def __init__(self, prefix: str, names: set[str]) -> None:
        self._prefix = prefix
        self._names = names - set(dir(builtins))
        self._own: list[set[str]] = []

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if self._is_global(node.id):
            node.id = self._prefix + node.id
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        node.names = [self._prefix + name if name in self._names else name for name in node.names]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if not self._own and node.name in self._names:
            node.name = self._prefix + node.name
        node.bases = [self.visit(one) for one in node.bases]
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        body_names = {
            name
            for one in node.body
            if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            for name in _defined(one)
        }
        for one in node.body:
            is_method = isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
            if is_method:
                self._function(one, is_global=False)  # type: ignore[arg-type]
            else:
                self._own.append(body_names)
                self.visit(one)
                self._own.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node, is_global=not self._own)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._own.append({one.arg for one in _arguments(node.args)})
        self.generic_visit(node)
        self._own.pop()
        return node

    def _function(self, node: ast.FunctionDef, is_global: bool) -> ast.AST:
        if is_global and node.name in self._names:
            node.name = self._prefix + node.name
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        for given in _arguments(node.args):
            if given.annotation is not None:
                given.annotation = self.visit(given.annotation)
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.args.kw_defaults = [
            self.visit(one) if one is not None else None for one in node.args.kw_defaults
        ]
        if node.returns is not None:
            node.returns = self.visit(node.returns)
        self._own.append(_local_names(node))
        node.body = [self.visit(one) for one in node.body]
        self._own.pop()
        return node

    def _is_global(self, name: str) -> bool:
        return name in self._names and not any(name in own for own in self._own)


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    more = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *more]


def _local_names(function: ast.FunctionDef) -> set[str]:
    """Arguments, and what is assigned inside and not declared global."""
    names = {one.arg for one in _arguments(function.args)}
    declared: set[str] = set()
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Global):
                declared |= set(node.names)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
    return names - declared
