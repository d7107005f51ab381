"""Narrowing: places where a source puts a value into a smaller float than it had.

The rule: only a value that was loaded or handed in counts, not a running sum: that one is a choice
of accumulator. What is done only for inputs of a narrow type narrows nothing. What is found is a
note. Whether it did harm, the calls tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay.data.candidate import Candidate
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.python_tree import module_tree
from assay.source_analysis.cpp.cpp_tokens import Token, looks_like_cpp, tokenize

_NARROW = frozenset(
    ("float16", "half", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8e4nv", "float8e5")
)
_CASTS = frozenset(("to", "type", "astype", "cast"))
_METHODS = frozenset(("half", "bfloat16"))
_PASSING = frozenset(  # calls whose result is the value they were given, or one that was loaded
    ("load", "contiguous", "reshape", "view", "t", "transpose", "detach", "flatten", "permute")
)
_CPP_NARROW = frozenset(
    ("_Float16", "__fp16", "__bf16", "__half", "half", "__nv_bfloat16", "nv_bfloat16", "bfloat16_t")
)
_CPP_CONVERSIONS = ("__float2half", "__float2bfloat16", "_cvtss_sh", "_mm256_cvtps_ph")


def narrowings(candidate: Candidate) -> tuple[Evidence, ...]:
    """One note for each line that narrows a value."""
    found = []
    for file in candidate.sources:
        if file.path.endswith(".py"):
            lines = _python_lines(file.text)
        else:
            lines = _cpp_lines(tokenize(file.text), 1)
        found += [_note(f"{file.path}:{line}") for line in sorted(set(lines))]
    return tuple(found)


def _note(where: str) -> Evidence:
    text = "a value is put into a 16-bit or smaller float before it is used."
    kind, severity = EvidenceKind.LOWER_PRECISION, Severity.NOTE
    return Evidence(kind=kind, severity=severity, where=where, text=text)


def _python_lines(text: str) -> Iterator[int]:
    try:
        tree = module_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    sums = {_name(node.target) for node in ast.walk(tree) if isinstance(node, ast.AugAssign)}
    aliases = _aliases(tree)
    narrow_already = _of_narrow_inputs(tree, aliases)
    for node in ast.walk(tree):
        if node in narrow_already:
            continue
        if isinstance(node, ast.Call) and _narrows(node, aliases, sums):
            yield node.lineno
        elif isinstance(node, ast.Constant) and _is_cpp(node.value):
            yield from _cpp_lines(tokenize(str(node.value)), node.lineno)


def _is_cpp(value: object) -> bool:
    return isinstance(value, str) and looks_like_cpp(value)


def _aliases(tree: ast.Module) -> frozenset[str]:
    """Names that stand for a narrow type."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _is_type(node.value, frozenset()):
            found |= {_name(target) for target in node.targets}
    return frozenset(found - {""})


def _of_narrow_inputs(tree: ast.Module, aliases: frozenset[str]) -> set[ast.AST]:
    """All that stands behind `dtype == float16` and the like, or in the `else` of its opposite."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp) and isinstance(node.test, ast.Compare):
            asked = [node.test.left, *node.test.comparators]
            types = any(_is_type(part, aliases) for one in asked for part in _parts(one))
            if types and len(node.test.ops) == 1:
                equal = isinstance(node.test.ops[0], ast.Eq | ast.Is | ast.In)
                branch = node.body if equal else node.orelse
                for one in branch if isinstance(branch, list) else [branch]:
                    found.update(ast.walk(one))
    return found


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]


def _is_type(node: ast.expr, aliases: frozenset[str]) -> bool:
    if isinstance(node, ast.Constant):
        return node.value in _NARROW
    if isinstance(node, ast.Name):
        return node.id in aliases
    return isinstance(node, ast.Attribute) and node.attr in _NARROW


def _narrows(call: ast.Call, aliases: frozenset[str], sums: set[str]) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    name, given = call.func.attr, [*call.args, *(k.value for k in call.keywords)]
    if name in _METHODS and not given:
        return _is_value(call.func.value, sums)
    if name in _CASTS and any(_is_type(one, aliases) for one in given):
        values = [one for one in call.args if not _is_type(one, aliases)]
        return _is_value(values[0] if name == "cast" and values else call.func.value, sums)
    return name in _NARROW and len(call.args) == 1 and _is_value(call.args[0], sums)


def _is_value(node: ast.expr, sums: set[str]) -> bool:
    """A value that was loaded or handed in: no arithmetic, and no running sum."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in _PASSING
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and _name(node) not in sums


def _name(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _cpp_lines(tokens: list[Token], first: int) -> Iterator[int]:
    for number, token in enumerate(tokens):
        if token.kind == "word" and _narrows_here(tokens, number):
            yield first + token.line - 1


def _narrows_here(tokens: list[Token], number: int) -> bool:
    """`(T)x`, `T(x)`, `static_cast<T>(x)`, `T v = x` and the conversions by name."""
    name = tokens[number].text
    before = tokens[number - 1].text if number else ""
    after = tokens[number + 1 : number + 4]
    if name.startswith(_CPP_CONVERSIONS):
        return bool(after) and after[0].text == "("
    if name not in _CPP_NARROW or len(after) < 2:
        return False
    if after[0].text == ")" and before == "(":
        return after[1].kind == "word"
    if after[0].text == "(" and name != "half":  # of that name there are functions
        return after[1].kind == "word"
    if after[0].text == ">" and after[1].text == "(":
        return len(after) > 2 and after[2].kind == "word"
    declared = after[0].kind == "word" and after[1].text == "=" and len(after) > 2
    return declared and after[2].kind == "word"
