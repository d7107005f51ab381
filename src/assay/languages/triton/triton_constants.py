"""Constants of a Triton kernel when nobody launches it: what the source says, else a guess.

The rule: the launch decides, then the default in the signature, and last a guess by use and name:
64 for one of several block sizes, 128 for a single one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

from assay.languages.triton.triton_function import TritonFunction
from assay.languages.triton.triton_signature import CONSTANT, LanguageType, TritonParameter

_TRUTH = re.compile(r"^(?:HAS|IS|USE|WITH|DO|ENABLE|EVEN|CAUSAL|TRAIN|APPLY|STORE|LOAD)(?:_|$)")
_TYPE = re.compile(r"(?:b?float|u?int)\d+(?:e\dm\d\w*)?")
OPEN = object()  # a value that only running would tell
LAUNCH, _DEFAULT, _GUESS = "its launch", "its default", "a guess"


def chosen_constant(
    function: TritonFunction, name: str, given: dict[str, Any], defaults: dict[str, ast.expr]
) -> TritonParameter:
    """A constant with its value, and where that comes from."""
    if name in given:
        return TritonParameter(name, CONSTANT, given[name], LAUNCH)
    if name in defaults and (value := value_of(defaults[name], {})) is not OPEN:
        return TritonParameter(name, CONSTANT, value, _DEFAULT)
    return TritonParameter(name, CONSTANT, _guess(function, name), _GUESS)


def _guess(function: TritonFunction, name: str) -> Any:
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


def value_of(node: ast.expr, names: dict[str, ast.expr], depth: int = 0) -> Any:
    """The value of an expression that needs no running."""
    if depth > 10:
        return OPEN
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in names:
            return value_of(names[name], names, depth + 1)
        case ast.Attribute(attr=name) if _TYPE.fullmatch(name):
            return LanguageType(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = value_of(operand, names, depth + 1)
            return -value if isinstance(value, int | float) else OPEN
        case ast.Call(func=ast.Attribute(attr="next_power_of_2"), args=[inner]):
            value = value_of(inner, names, depth + 1)
            return 1 << max(0, value - 1).bit_length() if type(value) is int else OPEN
    return OPEN


def assigned_once(nodes: Iterable[ast.AST]) -> dict[str, ast.expr]:
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
