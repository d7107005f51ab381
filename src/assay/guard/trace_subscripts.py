"""Subscripts in the abstract run: what `a[b]` may be, by whatever `a` may be.

The rule: an item under a constant key is that item, under any other every item there is; a slice of
data shares its storage.
"""

from __future__ import annotations

import ast
from abc import abstractmethod

from assay.guard.arguments import Arguments
from assay.guard.tags import Weight
from assay.guard.trace_expressions import ExpressionTrace
from assay.guard.values import (
    NOTHING,
    Box,
    ClassRef,
    Extension,
    Generated,
    Instance,
    Kernel,
    Layer,
    Library,
    Lost,
    Method,
    Ref,
    Scope,
    Value,
    join,
    ref,
)


class SubscriptTrace(ExpressionTrace):
    """Evaluates subscripts."""

    def on_Subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        """`a[b]`: a launch grid, a container's item, or a view of data."""
        base, key = self.evaluate(node.value, scope), self.evaluate(node.slice, scope)
        parts = [self._item(item, key, scope) for item in base.refs]
        if base.buffers and key.is_data and base.is_data:
            where = self.place(node, scope)
            parts.append(self.compute("indexing by a tensor", Weight.LIGHT, [base, key], where))
        elif base.buffers:
            parts.append(Value(buffers=base.buffers, scalar=base.scalar))
        return join(parts) if parts else NOTHING

    def _item(self, base: Ref, index: Value, scope: Scope) -> Value:
        key = index.constant()
        if isinstance(base, Kernel | Layer | Generated | Lost):
            return ref(base)
        if isinstance(base, Extension):
            return ref(self.extension_kernel(base, str(key.value) if key else "a kernel"))
        if isinstance(base, Instance):
            return self.special(base, "__getitem__", index) or NOTHING
        if isinstance(base, ClassRef):
            maker = base.object.find("__class_getitem__")
            if maker is not None:
                given = Arguments((index,))
                return self.call(self.bound(maker, ref(base)), given, base.object.node, scope)
            return self.special(base, "__getitem__", index) or ref(base)
        if isinstance(base, Box):
            box = base.object
            if key is not None and _hashable(key.value) and key.value in box.items:
                return join([box.items[key.value], *([box.rest] if box.rest else [])])
            return join([*box.items.values(), box.rest or NOTHING])
        if isinstance(base, Method):
            return self.told([base.receiver] if base.receiver.scalar else [])
        if isinstance(base, Library) and key is not None and isinstance(key.value, str):
            return self.library_item(base.name, key.value, scope)
        return NOTHING

    @abstractmethod
    def own_module(self, name: str) -> Value | None:
        """A module of the candidate's own by its `__name__`; None for any other."""

    def library_item(self, name: str, key: str, scope: Scope) -> Value:
        """`torch.__dict__["mm"]`, `sys.modules["torch"]`, `globals()["f"]`."""
        if name.endswith(".__dict__"):
            return ref(Library(f"{name.removesuffix('.__dict__')}.{key}"))
        if name == "sys.modules":
            return self.own_module(key) or ref(Library(key))
        if name.endswith("__pyx_capi__"):
            return ref(Library(f"native_compute.{key}"))
        if name.startswith("native") and "." not in name:
            return ref(Library(f"{name}.{key}"))
        if name in ("builtins.globals()", "builtins.locals()", "builtins.vars()"):
            return scope.find(key) or NOTHING
        return NOTHING


def _hashable(value: object) -> bool:
    return value.__hash__ is not None
