"""Objects in the abstract run: how one of a class of the candidate is made, called and ended.

The rule: what an object is made from stays with it, whether its class has an `__init__` or only
fields.
"""

from __future__ import annotations

import ast

from assay.guard.arguments import Arguments
from assay.guard.trace import Phase
from assay.guard.trace_methods import MethodTrace
from assay.guard.values import (
    ANY_NAME,
    NOTHING,
    Box,
    ClassObject,
    ClassRef,
    Instance,
    InstanceObject,
    Scope,
    Value,
    join,
    ref,
)


class ObjectTrace(MethodTrace):
    """Makes objects."""

    def construct(self, item: ClassRef, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """An instance of a class of the candidate."""
        creator = item.object.find("__new__")
        whole = Arguments((ref(item), *given.positional), given.keywords)
        made = self.call(creator, whole, node, scope) if creator is not None else NOTHING
        own = [r for r in made.refs if isinstance(r, Instance) and r.object.kind is item.object]
        if not own:
            own = [Instance(InstanceObject(item.object))]
            made = join([made, ref(own[0])]) if creator is not None else ref(own[0])
        for instance in own:
            if item.object.find("__init__") is not None:
                self.call(self.attribute(ref(instance), "__init__"), given, node, scope)
            else:
                self._fill_fields(instance, given)
        self._follow_finaliser(item, ref(own[0]), node, scope)
        return made

    def _fill_fields(self, item: Instance, given: Arguments) -> None:
        """Keep what an object without `__init__` is made from: dataclasses, tuples, structures."""
        names = _fields(item.object.kind)
        for position, value in enumerate(given.positional):
            name = names[position] if position < len(names) else ANY_NAME
            held = item.object.attrs.get(ANY_NAME)
            item.object.attrs[name] = join([held, value]) if name == ANY_NAME and held else value
        item.object.attrs.update(given.keywords)
        self.special(item, "__post_init__")

    def _follow_finaliser(self, item: ClassRef, made: Value, node: ast.AST, scope: Scope) -> None:
        """`__del__` of an object made in forward: cleaning up is free, work on tensors is not."""
        if item.object.find("__del__") is None or self.phase is not Phase.FORWARD:
            return
        before, self.finalising = self.finalising, True
        self.call(self.attribute(made, "__del__"), Arguments(), node, scope)
        self.finalising = before

    def call_instance(self, item: Instance, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """Call an object: its `__call__`, its `forward`, or the layer it derives from."""
        for name in ("__call__", "forward"):
            if item.object.kind.find(name) is not None or name in item.object.attrs:
                return self.call(self.attribute(ref(item), name), given, node, scope)
        layer = self.library_base(item)
        return (
            self.call(layer, given, node, scope)
            if layer.refs
            else self.unknown_call(given, node, scope)
        )


def _fields(kind: ClassObject) -> list[str]:
    """Names of the values an object is made from, where its class has no `__init__`."""
    found: list[str] = []
    for base in reversed(kind.lineage()):
        notes = [s.target for s in base.node.body if isinstance(s, ast.AnnAssign)]
        found += [target.id for target in notes if isinstance(target, ast.Name)]
        for pair in _items(base.attrs.names.get("_fields_", NOTHING)):
            found += [title.text() or ANY_NAME for title in _items(pair)[:1]]
    return list(dict.fromkeys(found))


def _items(value: Value) -> list[Value]:
    return [v for r in value.refs if isinstance(r, Box) for v in r.object.items.values()]
