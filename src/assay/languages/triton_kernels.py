"""Triton kernels of a candidate, found in its Python without running it, with a signature for each.

The rule: a launch in the source decides. Where it leaves a constant open the default in the
signature does, and last a guess by name: 64 for one of several block sizes, 128 for a single one.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

from assay.data.candidate import Candidate
from assay.languages.triton_roles import Function, Roles
from assay.languages.triton_signature import (
    CONSTANT,
    LanguageType,
    TritonLaunch,
    TritonParameter,
)

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
_TRUTH = re.compile(r"^(?:HAS|IS|USE|WITH|DO|ENABLE|EVEN|CAUSAL|TRAIN|APPLY|STORE|LOAD)(?:_|$)")
_TYPE = re.compile(r"(?:b?float|u?int)\d+(?:e\dm\d\w*)?")
_BY_NAME = {"GROUP": 8, "STAGE": 2, "WARP": 4, "DTYPE": LanguageType("float32")}
_OPEN = object()  # a value that only running would tell
_LAUNCH, _DEFAULT, _GUESS = "its launch", "its default", "a guess"


def triton_launches(candidate: Candidate) -> tuple[TritonLaunch, ...]:
    """One for each kernel that is launched, or that nothing else uses and returns no value."""
    found: list[TritonLaunch] = []
    for number, file in enumerate(candidate.sources):
        if file.path.endswith(".py"):
            try:
                tree = ast.parse(file.text)
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
        outer = _assigned(self._tree.body)
        scopes: list[tuple[ast.AST, dict[str, ast.expr]]] = [(self._tree, outer)]
        scopes += [
            (node, outer | _assigned(list(ast.walk(node))))
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
        function = Function(kernel)
        given, options = self._given(function)
        defaults = dict(function.defaults)
        parameters = []
        for name in function.parameters:
            if name in function.constants:
                parameters.append(_constant(function, name, given, defaults))
            elif name in given and given[name] is None:
                parameters.append(TritonParameter(name, CONSTANT, None, _LAUNCH))
            else:
                kind = self._roles.kind(kernel.name, name)
                literal = given.get(name, _OPEN)
                if isinstance(literal, float) and not kind.startswith("*"):
                    kind = "fp32"
                parameters.append(TritonParameter(name, kind))
        return TritonLaunch(kernel.name, kernel.lineno, tuple(parameters), options)

    def _given(self, function: Function) -> tuple[dict[str, Any], tuple[tuple[str, int], ...]]:
        """Values that the launch states, by parameter, and its options."""
        if function.name not in self._sites:
            return {}, ()
        call, names = self._sites[function.name]
        pairs = list(zip(function.parameters, call.args, strict=False))
        pairs += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
        values = {name: _value(node, names) for name, node in pairs}
        known = {name: value for name, value in values.items() if value is not _OPEN}
        options = [(name, known.pop(name)) for name in _OPTIONS if name in known]
        return known, tuple((name, value) for name, value in options if type(value) is int)


def _returns(kernel: ast.FunctionDef) -> bool:
    """Kernels return nothing; what does is called by kernels."""
    found = (node for node in ast.walk(kernel) if isinstance(node, ast.Return))
    return any(node.value is not None for node in found)


def _constant(
    function: Function, name: str, given: dict[str, Any], defaults: dict[str, ast.expr]
) -> TritonParameter:
    if name in given:
        return TritonParameter(name, CONSTANT, given[name], _LAUNCH)
    if name in defaults and (value := _value(defaults[name], {})) is not _OPEN:
        return TritonParameter(name, CONSTANT, value, _DEFAULT)
    return TritonParameter(name, CONSTANT, _guess(function, name), _GUESS)


def _guess(function: Function, name: str) -> Any:
    """A value by what the kernel does with the constant, and by its name."""
    for node in ast.walk(function.node):
        match node:
            case ast.Compare(
                left=ast.Name(id=found), comparators=[ast.Constant(value=str() as word)]
            ):
                if found == name:
                    return word
            case ast.If(test=ast.Name(id=found)) | ast.IfExp(test=ast.Name(id=found)):
                if found == name:
                    return True
            case ast.Call(func=ast.Attribute(attr="to"), args=[ast.Name(id=found)]):
                if found == name:
                    return LanguageType("float32")
    upper = name.upper()
    if _TRUTH.match(upper):
        return True
    for part, value in (
        ("GROUP", 8),
        ("STAGE", 2),
        ("WARP", 4),
        ("DTYPE", LanguageType("float32")),
    ):
        if part in upper:
            return value
    if re.search(r"(?:BLOCK|TILE)\w*_?K$|^BK$", upper):
        return 32
    return 64 if len(function.constants) > 1 else 128


def _value(node: ast.expr, names: dict[str, ast.expr], depth: int = 0) -> Any:
    """The value of an expression that needs no running."""
    if depth > 10:
        return _OPEN
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in names:
            return _value(names[name], names, depth + 1)
        case ast.Attribute(attr=name) if _TYPE.fullmatch(name):
            return LanguageType(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _value(operand, names, depth + 1)
            return -value if isinstance(value, int | float) else _OPEN
        case ast.Call(func=ast.Attribute(attr="next_power_of_2"), args=[inner]):
            value = _value(inner, names, depth + 1)
            return 1 << max(0, value - 1).bit_length() if type(value) is int else _OPEN
    return _OPEN


def _assigned(nodes: list[Any]) -> dict[str, ast.expr]:
    """Names that are given exactly one value."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found.setdefault(node.target.id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


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
