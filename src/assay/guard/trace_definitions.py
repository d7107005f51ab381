"""Definitions in the abstract run: functions with their decorators, imports.

The rule: a definition runs nothing but its decorators; an import of another file of the candidate
is followed, any other is a name.
"""

from __future__ import annotations

import ast
from abc import abstractmethod

from assay.guard.arguments import Arguments
from assay.guard.foreign_modules import foreign_module
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
            name = alias.name if alias.asname else alias.name.split(".")[0]
            scope.names[alias.asname or name] = self._module(name)

    def _watch_import(self, name: str, node: ast.AST, scope: Scope) -> None:
        path = name.lstrip(".").replace(".", "/")
        reach = foreign_module(name, by_call=False)
        if reach is not None and not self.has_module(path):
            self.see(reach, name, self.place(node, scope))

    @abstractmethod
    def has_module(self, path: str) -> bool:
        """True where the candidate has a file or folder of this name."""

    def _module(self, name: str) -> Value:
        own = self.run_module(name)
        if own is None:
            return ref(Library(name))
        held = ClassObject(name, ast.ClassDef(name, [], [], [], []), own, ())
        return ref(ClassRef(held))

    def do_ImportFrom(self, node: ast.ImportFrom, scope: Scope) -> None:
        """`from a import b as c`."""
        own = self.run_module(node.module or "")
        if own is None and node.level == 0:
            self._watch_import(node.module or "", node, scope)
        for alias in node.names:
            if own is not None and alias.name == "*":
                scope.names.update(own.names)
            elif own is not None:
                scope.names[alias.asname or alias.name] = own.names.get(alias.name, NOTHING)
            elif alias.name == "*":
                self.star_modules.append(node.module or "")
            else:
                found = self.library(f"{node.module}.{alias.name}")
                scope.names[alias.asname or alias.name] = found
