"""Roles of a Triton kernel's parameters: pointer, integer or float, by what the kernel does.

The rule: what an address begins with is a pointer; what reaches an offset, a mask, a bound or a
whole division is an integer; the rest of what is used is a float. A pointer whose loaded values
reach an offset holds int64.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.languages.triton.triton_function import TritonFunction

_ACCESS = frozenset(
    """load store atomic_add atomic_max atomic_min atomic_xchg atomic_cas atomic_and atomic_or
    atomic_xor make_block_ptr make_tensor_descriptor""".split()
)
_BASE_KEYWORDS = frozenset(("pointer", "base", "ptr"))
_WHOLE = frozenset("range static_range arange cdiv rand randn randint philox program_id".split())
_WHOLE_KEYWORDS = frozenset("mask shape strides offsets block_shape".split())
_THROUGH = frozenset("multiple_of max_contiguous to assume cast advance broadcast_to".split())


@dataclass(slots=True)
class _Use:
    """What one function does with names."""

    values: dict[str, list[ast.expr]] = field(default_factory=dict)  # assigned, by name
    addresses: list[ast.expr] = field(default_factory=list)
    whole: list[ast.expr] = field(default_factory=list)
    calls: list[ast.Call] = field(default_factory=list)
    mentioned: set[str] = field(default_factory=set)


class Roles:
    """Of all functions of one file, since pointers are handed from one to another."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef]) -> None:
        self._functions = {name: TritonFunction(node) for name, node in functions.items()}
        self._uses = {name: _use(node) for name, node in functions.items()}
        self._pointers: dict[str, dict[str, str]] = {}

    def kind(self, function: str, parameter: str) -> str:
        """The type to compile with."""
        pointers = self._pointers_of(function)
        if parameter in pointers:
            return pointers[parameter]
        if parameter.lower().endswith(("_ptr", "_pointer")):
            return "*fp32"
        use = self._uses[function]
        whole = parameter not in use.mentioned or parameter in self._whole(use)
        return "i32" if whole or "stride" in parameter.lower() else "fp32"

    def _pointers_of(self, name: str) -> dict[str, str]:
        if name not in self._pointers:
            self._pointers[name] = {}  # a function that calls itself ends here
            use, function = self._uses[name], self._functions[name]
            use.addresses += [node for call in use.calls for node in self._handed_over(call)]
            bases = [self._base(function, use, node) for node in use.addresses]
            indices = self._indices(function, use)
            self._pointers[name] = {
                base: "*i64" if base in indices else "*fp32" for base in bases if base
            }
        return self._pointers[name]

    def _handed_over(self, call: ast.Call) -> Iterator[ast.expr]:
        """What another function receives as a pointer."""
        assert isinstance(call.func, ast.Name)
        called = self._functions.get(call.func.id)
        if called is None:
            return
        received = self._pointers_of(called.name)
        pairs = list(zip(called.parameters, call.args, strict=False))
        pairs += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
        yield from (node for name, node in pairs if name in received)

    def _base(self, function: TritonFunction, use: _Use, address: ast.expr) -> str:
        """The parameter an address begins with; the first where several are added."""
        found = list(_leaves(address, use.values, set()))
        ours = [name for name in found if name in function.parameters]
        ours = [name for name in ours if name not in function.constants]
        named = [name for name in ours if "ptr" in name.lower()]
        return (named or ours or [""])[0]

    def _indices(self, function: TritonFunction, use: _Use) -> set[str]:
        """Parameters whose loaded values reach an address."""
        reached = _reaching(use.addresses, use.values)
        found = set()
        for name in reached:
            for value in use.values.get(name, ()):
                for node in ast.walk(value):
                    if isinstance(node, ast.Call) and _attribute(node) == "load" and node.args:
                        found.add(self._base(function, use, node.args[0]))
        return found - {""}

    def _whole(self, use: _Use) -> set[str]:
        return _reaching([*use.whole, *use.addresses], use.values)


def _use(node: ast.FunctionDef) -> _Use:
    use = _Use()
    for child in ast.walk(node):
        match child:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    _note_value(use, target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                _note_value(use, target, value)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                use.values.setdefault(name, []).append(value)
            case ast.For(iter=bounds):
                use.whole.append(bounds)
            case ast.BinOp(op=ast.FloorDiv() | ast.Mod(), left=left, right=right):
                use.whole += [left, right]
            case ast.Call():
                _note_call(use, child)
            case ast.Name(id=name, ctx=ast.Load()):
                use.mentioned.add(name)
    return use


def _note_value(use: _Use, target: ast.expr, value: ast.expr) -> None:
    match target, value:
        case ast.Name(id=name), _:
            use.values.setdefault(name, []).append(value)
        case (ast.Tuple(elts=names), ast.Tuple(elts=parts)) if len(names) == len(parts):
            for name_node, part in zip(names, parts, strict=True):
                _note_value(use, name_node, part)
        case ((ast.Tuple(elts=names) | ast.List(elts=names)), _):
            for name_node in names:
                _note_value(use, name_node, value)


def _note_call(use: _Use, call: ast.Call) -> None:
    name = _attribute(call)
    if isinstance(call.func, ast.Name):
        use.calls.append(call)
    if name in _ACCESS and isinstance(call.func, ast.Attribute):
        base = [one.value for one in call.keywords if one.arg in _BASE_KEYWORDS]
        use.addresses += [*call.args[:1], *base]
        mask = 2 if name not in ("load",) else 1
        use.whole += call.args[mask : mask + 1]
    if name in _WHOLE:
        use.whole += call.args
    use.whole += [one.value for one in call.keywords if one.arg in _WHOLE_KEYWORDS]


def _leaves(node: ast.expr, values: dict[str, list[ast.expr]], seen: set[str]) -> Iterator[str]:
    """Names that stand as a summand in an expression, through the variables it is made of."""
    match node:
        case ast.Name(id=name):
            if name not in values:
                yield name
            elif name not in seen:
                seen.add(name)
                yield name  # a parameter that is moved along is assigned as well
                for value in values[name]:
                    yield from _leaves(value, values, seen)
        case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
            yield from _leaves(left, values, seen)
            yield from _leaves(right, values, seen)
        case ast.Subscript(value=inner):
            yield from _leaves(inner, values, seen)
        case ast.IfExp(body=body, orelse=other):
            yield from _leaves(body, values, seen)
            yield from _leaves(other, values, seen)
        case ast.Call(func=ast.Attribute(value=inner, attr=name), args=arguments):
            if name in _ACCESS and name.startswith("make_"):
                keywords = [one.value for one in node.keywords if one.arg in _BASE_KEYWORDS]
                for base in (*arguments[:1], *keywords):
                    yield from _leaves(base, values, seen)
            elif name in _THROUGH:
                yield from _leaves(
                    arguments[0] if name != "to" and arguments else inner, values, seen
                )


def _reaching(nodes: list[ast.expr], values: dict[str, list[ast.expr]]) -> set[str]:
    """Names that have a part in expressions, through the variables these are made of."""
    found: set[str] = set()
    queue = list(nodes)
    while queue:
        for name in _names(queue.pop()):
            if name not in found:
                found.add(name)
                queue += values.get(name, ())
    return found


def _names(node: ast.AST) -> Iterator[str]:
    """Names in an expression, but for what is loaded: its address is another expression."""
    if isinstance(node, ast.Call) and _attribute(node) == "load":
        return
    if isinstance(node, ast.Name):
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _names(child)


def _attribute(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""
