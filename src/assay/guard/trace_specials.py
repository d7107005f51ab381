"""Special methods in the abstract run: what a class says its objects do.

The rule: an operator, a subscript, a loop or a `with` on an object of the candidate is a call of
the method its class defines for that.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod

from assay.guard.arguments import Arguments
from assay.guard.trace import Trace
from assay.guard.values import (
    ClassObject,
    ClassRef,
    Function,
    Instance,
    Property,
    Ref,
    Scope,
    Value,
    join,
    ref,
)

_OPERATORS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "MatMult": "matmul", "Div": "truediv", "Pow": "pow",
    "Mod": "mod", "FloorDiv": "floordiv", "BitAnd": "and", "BitOr": "or", "BitXor": "xor",
    "LShift": "lshift", "RShift": "rshift", "USub": "neg", "UAdd": "pos", "Invert": "invert",
}  # fmt: skip


class SpecialTrace(Trace, ABC):
    """Calls special methods."""

    @abstractmethod
    def call(self, function: Value, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """Call a value; the call trace knows how."""

    def special(self, item: Ref, name: str, *given: Value) -> Value | None:
        """The result of a special method; None where no class of the candidate defines it."""
        return self.special_call(item, name, Arguments(given))

    def special_call(self, item: Ref, name: str, given: Arguments) -> Value | None:
        """The same with arguments that may be named."""
        for kind in _kinds(item):
            found = kind.find(name)
            if found is not None:
                return self.call(self.bound(found, ref(item)), given, kind.node, kind.attrs)
        return None

    def specials(self, value: Value, name: str, *given: Value) -> list[Value]:
        """The same for everything a value may be."""
        made = [self.special(item, name, *given) for item in value.refs]
        return [result for result in made if result is not None]

    def special_operator(
        self, kind: ast.operator | ast.unaryop, operands: list[Value]
    ) -> Value | None:
        """An operator on objects of the candidate; None where neither side defines it."""
        title = _OPERATORS.get(type(kind).__name__)
        if title is None:
            return None
        made = self.specials(operands[0], f"__{title}__", *operands[1:])
        if len(operands) == 2:
            made += self.specials(operands[1], f"__r{title}__", operands[0])
        return join(made) if made else None

    def bound(self, found: Value, owner: Value) -> Value:
        """An attribute of a class as its objects have it: functions become methods."""
        refs: set[Ref] = set()
        for item in found.refs:
            if isinstance(item, Function) and item.bound is None and not _is_static(item):
                refs.add(Function(item.node, item.scope, owner))
            else:
                refs.add(item)
        return Value(frozenset(refs), found.buffers, found.scalar)

    def read_by(self, found: Value, owner: Instance) -> Value:
        """An attribute of a class read through an object: properties and descriptors run."""
        plain: set[Ref] = set()
        parts: list[Value] = []
        for item in found.refs:
            if isinstance(item, Property):
                kind = owner.object.kind
                given = Arguments((ref(owner),))
                parts.append(self.call(item.getter, given, kind.node, kind.attrs))
                continue
            made = self.special(item, "__get__", ref(owner), ref(ClassRef(owner.object.kind)))
            if made is not None:
                parts.append(made)
            else:
                plain.add(item)
        if plain or found.buffers or not parts:
            rest = Value(frozenset(plain), found.buffers, found.scalar)
            parts.append(self.bound(rest, ref(owner)))
        return join(parts)


def _kinds(item: Ref) -> tuple[ClassObject, ...]:
    if isinstance(item, Instance):
        return (item.object.kind,)
    return item.object.metaclasses if isinstance(item, ClassRef) else ()


def decorated(function: Function, name: str) -> bool:
    """True where a function stands under a decorator of this name."""
    decorators = getattr(function.node, "decorator_list", [])
    return any(isinstance(d, ast.Name) and d.id == name for d in decorators)


def _is_static(function: Function) -> bool:
    if isinstance(function.node, ast.Lambda):
        return [a.arg for a in function.node.args.args[:1]] != ["self"]
    return function.node.name == "__new__" or decorated(function, "staticmethod")
