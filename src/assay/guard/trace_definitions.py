"""Definitions in the abstract run: functions with their decorators, imports.

The rule: a definition runs nothing but its decorators; an import of another file of the candidate
is followed, any other is a name.
"""

from __future__ import annotations

import ast
from abc import abstractmethod

from assay.guard.arguments import Arguments
from assay.guard.foreign_modules import foreign_module
from assay.guard.own_modules import absolute_name
from assay.guard.reach import MAIN_REACH
from assay.guard.trace_classes import ClassTrace
from assay.guard.values import (
    NOTHING,
    ClassObject,
    ClassRef,
    Function,
    Library,
    Scope,
    Value,
    ref,
)

_CACHES = ("functools.lru_cache", "functools.cache", "joblib.Memory", "cachetools.")


class DefinitionTrace(ClassTrace):
    """Runs definitions and imports."""

    def do_Global(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        """`global a`."""
        scope.outer_names.update(node.names)

    do_Nonlocal = do_Global

    def do_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        """A function, with whatever its decorators make of it."""
        value = ref(Function(node, scope))
        for decorator in reversed(node.decorator_list):
            maker = self.evaluate(decorator, scope)
            value = self._decorated(maker, value, node, scope)
            if any(isinstance(r, Library) and r.name.startswith(_CACHES) for r in maker.refs):
                self.cached.add(node)
        scope.names[node.name] = value

    do_AsyncFunctionDef = do_FunctionDef

    def _decorated(self, maker: Value, value: Value, node: ast.AST, scope: Scope) -> Value:
        """A decorator's result; an unknown one leaves the function as it is."""
        for item in maker.refs:
            if isinstance(item, Library) and item.name == "atexit.register":
                self.call_library(item.name, Arguments((value,)), node, scope)
        known = [r for r in maker.refs if not isinstance(r, Library) or self.transforms(r.name)]
        if not known:
            return value
        made = self.call(Value(frozenset(known)), Arguments((value,)), node, scope)
        return made if made.refs and not any(isinstance(r, Library) for r in made.refs) else value

    def do_Import(self, node: ast.Import, scope: Scope) -> None:
        """`import a.b as c`."""
        for alias in node.names:
            if alias.name == "__main__":
                self.see(MAIN_REACH, "__main__", self.place(node, scope))
            self._watch_import(alias.name, node, scope)
            module = self.module(alias.name)
            if alias.asname:
                scope.names[alias.asname] = module
            else:
                root = alias.name.split(".")[0]
                scope.names[root] = self.module(root)

    def _watch_import(self, name: str, node: ast.AST, scope: Scope) -> None:
        reach = foreign_module(name, by_call=False)
        if reach is not None and not self.has_module(name):
            self.see(reach, name, self.place(node, scope))

    @abstractmethod
    def has_module(self, name: str) -> bool:
        """True where the candidate has a file or folder that is this module."""

    def module(self, name: str) -> Value:
        """A module by its dotted name: the candidate's own, or a library."""
        own = self.run_module(name)
        if own is None:
            return ref(Library(name))
        held = ClassObject(name, ast.ClassDef(name, [], [], [], []), own, ())
        value = ref(ClassRef(held))
        package, _, last = name.rpartition(".")
        above = self.run_module(package)
        if above is not None:  # Python binds a submodule in its package, and that in its own
            above.names.setdefault(last, value)
            self.module(package)
        return value

    def do_ImportFrom(self, node: ast.ImportFrom, scope: Scope) -> None:
        """`from a import b as c`, and `from .a import b` out of the file's own package."""
        name = absolute_name(node.module or "", node.level, scope.module)
        own = self.run_module(name)
        if own is None and node.level == 0:
            self._watch_import(name, node, scope)
        for alias in node.names:
            if own is not None and alias.name == "*":
                scope.names.update(own.names)
            elif own is not None:
                scope.names[alias.asname or alias.name] = self._member(name, alias.name, own)
            elif alias.name == "*":
                self.star_modules.append(name.lstrip("."))
            else:
                found = self.library(f"{name.lstrip('.')}.{alias.name}")
                scope.names[alias.asname or alias.name] = found

    def _member(self, package: str, name: str, own: Scope) -> Value:
        """A name that a module of the candidate's binds, or else the submodule of that name."""
        if name in own.names:
            return own.names[name]
        inner = f"{package}.{name}" if package.strip(".") else package + name
        return self.module(inner) if self.has_module(inner) else NOTHING
