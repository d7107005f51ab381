"""Protocols of Python objects: special methods, bound methods, descriptors, iteration.

The rule: an operator, a subscript, a loop or a `with` on an object of the candidate is a call of
the method its class defines for that.
"""

from __future__ import annotations

import ast

from assay.source_analysis.interpreter import Interpreter
from assay.source_analysis.values import (
    NOTHING,
    Box,
    ClassObject,
    ClassRef,
    Function,
    Instance,
    Lost,
    Property,
    Ref,
    Value,
    join,
    ref,
)

_OPERATORS: dict[type[ast.operator] | type[ast.unaryop], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv",
    ast.Pow: "pow", ast.Mod: "mod", ast.FloorDiv: "floordiv", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift", ast.USub: "neg",
    ast.UAdd: "pos", ast.Invert: "invert",
}  # fmt: skip


def special(
    run: Interpreter, item: Ref, name: str, *given: Value, keywords: dict[str, Value] | None = None
) -> Value | None:
    """The result of a special method; None where no class of the candidate defines it."""
    for kind in _kinds(item):
        found = kind.find(name)
        if found is not None:
            return run.call(bound(found, ref(item)), kind.call(*given, keywords=keywords))
    return None


def _kinds(item: Ref) -> tuple[ClassObject, ...]:
    """The classes whose methods are special for a thing: its own, or its metaclasses."""
    if isinstance(item, Instance):
        return (item.object.kind,)
    return item.object.metaclasses if isinstance(item, ClassRef) else ()


def specials(run: Interpreter, value: Value, name: str, *given: Value) -> list[Value]:
    """The same for everything a value may be."""
    made = [special(run, item, name, *given) for item in value.refs]
    return [result for result in made if result is not None]


def special_operator(
    run: Interpreter, kind: ast.operator | ast.unaryop, operands: list[Value]
) -> Value | None:
    """An operator on objects of the candidate; None where neither side defines it."""
    title = _OPERATORS.get(type(kind))
    if title is None:
        return None
    made = specials(run, operands[0], f"__{title}__", *operands[1:])
    if len(operands) == 2:
        made += specials(run, operands[1], f"__r{title}__", operands[0])
    return join(made) if made else None


def bound(found: Value, owner: Value) -> Value:
    """An attribute of a class as its objects have it: functions become methods."""
    refs = frozenset(_bound_one(item, owner) for item in found.refs)
    return Value(refs, found.buffers, found.scalar)


def _bound_one(item: Ref, owner: Value) -> Ref:
    if isinstance(item, Function) and item.bound is None and not _is_static(item):
        return Function(item.node, item.scope, owner)
    return item


def decorated(function: Function, name: str) -> bool:
    """True where a function stands under a decorator of this name."""
    decorators = getattr(function.node, "decorator_list", [])
    return any(isinstance(d, ast.Name) and d.id == name for d in decorators)


def _is_static(function: Function) -> bool:
    if isinstance(function.node, ast.Lambda):
        return [a.arg for a in function.node.args.args[:1]] != ["self"]
    return function.node.name == "__new__" or decorated(function, "staticmethod")


def read_by(run: Interpreter, found: Value, owner: Instance) -> Value:
    """An attribute of a class read through an object: properties and descriptors run."""
    plain: set[Ref] = set()
    parts: list[Value] = []
    for item in found.refs:
        made = _described(run, item, owner)
        if made is not None:
            parts.append(made)
        else:
            plain.add(item)
    if plain or found.buffers or not parts:
        rest = Value(frozenset(plain), found.buffers, found.scalar)
        parts.append(bound(rest, ref(owner)))
    return join(parts)


def _described(run: Interpreter, item: Ref, owner: Instance) -> Value | None:
    kind = owner.object.kind
    if isinstance(item, Property):
        return run.call(item.getter, kind.call(ref(owner)))
    return special(run, item, "__get__", ref(owner), ref(ClassRef(kind)))


def contents(run: Interpreter, value: Value) -> Value:
    """What iterating over a value yields."""
    parts = [value.data]
    for item in value.refs:
        if isinstance(item, Box):
            parts += [*item.object.items.values(), item.object.rest or NOTHING]
            now = run.flow.forward_calls
            if run.heap.generators.get(item.object, now) != now:
                parts.append(run.heap.unknown())  # it goes on working when it is asked
        elif isinstance(item, Lost):
            parts.append(ref(item))
        elif isinstance(item, Instance):
            parts += _iterated(run, item)
    return join(parts)


def _iterated(run: Interpreter, item: Instance) -> list[Value]:
    """What a loop over an object of the candidate yields, by the methods of its class."""
    made = special(run, item, "__iter__")
    if made is not None and ref(item) != made:
        return [contents(run, made)]
    found = special(run, item, "__next__") or special(run, item, "__getitem__", NOTHING)
    return [found] if found is not None else []


def spread(run: Interpreter, value: Value) -> list[Value]:
    """The items of `*value`: in order where the container is known."""
    if len(value.refs) == 1 and not value.buffers:
        item = next(iter(value.refs))
        if isinstance(item, Box) and item.object.rest is None:
            return list(item.object.items.values())
    return [contents(run, value)]


def entered(run: Interpreter, value: Value) -> Value:
    """What `with value as name` binds."""
    parts = [value.data]
    for item in value.refs:
        made = special(run, item, "__enter__") or special(run, item, "__aenter__")
        if isinstance(item, Box):
            made = contents(run, ref(item))
        parts.append(made if made is not None else ref(item))
    return join(parts)
