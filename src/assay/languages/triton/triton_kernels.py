"""Triton kernels of a candidate, found in its Python without running it, with a signature for each.

The rule: what is launched is a kernel, and what kernels use is none of its own.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from assay.data.candidate import Candidate
from assay.languages.triton.triton_constants import (
    LAUNCH,
    OPEN,
    assigned_once,
    chosen_constant,
    value_of,
)
from assay.languages.triton.triton_function import TritonFunction
from assay.languages.triton.triton_roles import Roles
from assay.languages.triton.triton_signature import CONSTANT, TritonLaunch, TritonParameter
from assay.python_tree import module_tree

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def triton_launches(candidate: Candidate) -> tuple[TritonLaunch, ...]:
    """One for each kernel that is launched, or that nothing else uses and returns no value."""
    found: list[TritonLaunch] = []
    for number, file in enumerate(candidate.sources):
        if file.path.endswith(".py"):
            try:
                tree = module_tree(file.text)
            except (SyntaxError, ValueError, RecursionError):
                continue
            name = "" if number == 0 else file.path
            found += [replace(one, file=name) for one in _File(tree).launches()]
    return tuple(found)


class _File:
    """One Python file."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._triton = _names_of_triton(tree)
        self._kernels = {
            node.name: node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and self._is_jit(node)
        }
        self._roles = Roles(self._kernels)
        self._sites = self._find_sites()

    def launches(self) -> list[TritonLaunch]:
        """Of every kernel in it."""
        used = {
            node.id
            for kernel in self._kernels.values()
            for node in ast.walk(kernel)
            if isinstance(node, ast.Name)
        }
        return [
            self._launch(kernel)
            for name, kernel in self._kernels.items()
            if name in self._sites or (name not in used and not _returns(kernel))
        ]

    def _is_jit(self, node: ast.FunctionDef) -> bool:
        for decorator in node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            words = ast.unparse(target).split(".")
            if words[-1] == "jit" and words[0] in self._triton:
                return True
        return False

    def _find_sites(self) -> dict[str, tuple[ast.Call, dict[str, ast.expr]]]:
        """The first launch of each kernel, and what the names around it stand for."""
        found: dict[str, tuple[ast.Call, dict[str, ast.expr]]] = {}
        outer = assigned_once(self._tree.body)
        scopes: list[tuple[ast.AST, dict[str, ast.expr]]] = [(self._tree, outer)]
        scopes += [
            (node, outer | assigned_once(ast.walk(node)))
            for node in ast.walk(self._tree)
            if isinstance(node, ast.FunctionDef)
        ]
        for scope, names in reversed(scopes):  # the innermost function knows most names
            for node in ast.walk(scope):
                match node:
                    case ast.Call(func=ast.Subscript(value=ast.Name(id=name))):
                        if name in self._kernels:
                            found.setdefault(name, (node, names))
        return found

    def _launch(self, kernel: ast.FunctionDef) -> TritonLaunch:
        function = TritonFunction(kernel)
        given, options = self._given(function)
        defaults = dict(function.defaults)
        parameters = []
        for name in function.parameters:
            if name in function.constants:
                parameters.append(chosen_constant(function, name, given, defaults))
            elif name in given and given[name] is None:
                parameters.append(TritonParameter(name, CONSTANT, None, LAUNCH))
            else:
                kind = self._roles.kind(kernel.name, name)
                literal = given.get(name, OPEN)
                if isinstance(literal, float) and not kind.startswith("*"):
                    kind = "fp32"
                parameters.append(TritonParameter(name, kind))
        return TritonLaunch(kernel.name, kernel.lineno, tuple(parameters), options)

    def _given(
        self, function: TritonFunction
    ) -> tuple[dict[str, Any], tuple[tuple[str, int], ...]]:
        """Values that the launch states, by parameter, and its options."""
        if function.name not in self._sites:
            return {}, ()
        call, names = self._sites[function.name]
        pairs = list(zip(function.parameters, call.args, strict=False))
        pairs += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
        values = {name: value_of(node, names) for name, node in pairs}
        known = {name: value for name, value in values.items() if value is not OPEN}
        options = [(name, known.pop(name)) for name in _OPTIONS if name in known]
        return known, tuple((name, value) for name, value in options if type(value) is int)


def _returns(kernel: ast.FunctionDef) -> bool:
    """Kernels return nothing; what does is called by kernels."""
    found = (node for node in ast.walk(kernel) if isinstance(node, ast.Return))
    return any(node.value is not None for node in found)


def _names_of_triton(tree: ast.Module) -> set[str]:
    """Names under which triton, or what is imported from it, is known."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots = [alias for alias in node.names if alias.name.split(".")[0] == "triton"]
            found |= {alias.asname or "triton" for alias in roots}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "triton":
            found |= {alias.asname or alias.name for alias in node.names}
    return found
