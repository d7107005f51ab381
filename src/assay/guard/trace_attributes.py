"""Attributes in the abstract run: what `a.b` may be, by whatever `a` may be.

The rule: data shares its storage with its views, metadata of data is free, and an attribute of a
library is the library's dotted name.
"""

from __future__ import annotations

import ast

from assay.guard.surroundings import tells_surroundings
from assay.guard.trace import Trace
from assay.guard.values import (
    NOTHING,
    ClassRef,
    Extension,
    Function,
    Generated,
    Instance,
    Kernel,
    Layer,
    Library,
    Method,
    Outline,
    Ref,
    Value,
    join,
    ref,
)

_METADATA = frozenset(
    """shape dtype device ndim is_cuda is_cpu layout requires_grad is_leaf itemsize nbytes strides
    flags grad_fn _version is_sparse names is_quantized is_meta size_in_bytes training""".split()
)
_SAME_DATA = frozenset("T mT H mH data real imag values indices grad ctypes base flat".split())


class AttributeTrace(Trace):
    """Resolves attributes."""

    def extension_kernel(self, extension: Extension, name: str) -> Kernel:
        """The kernel behind an attribute of a built module."""
        raise NotImplementedError

    def library(self, name: str) -> Value:
        """A library name, with what it tells of the surroundings or of installed folders."""
        found = ref(Library(name))
        if tells_surroundings(name):
            return join([found, self.surroundings(name)])
        if name.endswith(".__file__"):
            folder = name.removesuffix(".__file__").replace(".", "/")
            return join([found, ref(Outline(f"/site-packages/{folder}/__init__.py"))])
        return found

    def attribute(self, base: Value, name: str) -> Value:
        """An attribute of a value, by whatever the value may be."""
        parts = [self._attribute_of(item, base, name) for item in base.refs]
        if base.buffers:
            if name == "__class__":
                parts.append(ref(Library("torch.Tensor")))
            elif name in _SAME_DATA:
                parts.append(Value(buffers=base.buffers, scalar=base.scalar))
            elif name not in _METADATA:
                parts.append(ref(Method(Value(buffers=base.buffers, scalar=base.scalar), name)))
        if not parts and not base.refs:
            return ref(Method(base, name))
        return join(parts) if parts else NOTHING

    def _attribute_of(self, item: Ref, base: Value, name: str) -> Value:
        if isinstance(item, Library):
            return self.library(f"{item.name}.{name}")
        if isinstance(item, Extension):
            return ref(self.extension_kernel(item, name))
        if isinstance(item, Kernel | Generated):
            return ref(item)
        if isinstance(item, Layer):
            return self._layer_attribute(item, name)
        if isinstance(item, Instance):
            return self._instance_attribute(item, name)
        if isinstance(item, ClassRef):
            return self._class_attribute(item, name)
        if isinstance(item, Function) and name in ("__call__", "__wrapped__", "fn", "func"):
            return ref(item)
        return ref(Method(ref(item), name))

    def _layer_attribute(self, layer: Layer, name: str) -> Value:
        if name in ("forward", "__call__"):
            return ref(layer)
        holds_data = any(
            part in name for part in ("weight", "bias", "running", "proj", "mean", "var")
        )
        weights = Value(buffers=frozenset((layer.weights,)))
        return weights if holds_data else ref(Method(ref(layer), name))

    def _instance_attribute(self, item: Instance, name: str) -> Value:
        held = item.object
        if name in held.attrs:
            return held.attrs[name]
        if name == "__class__":
            return ref(ClassRef(held.kind))
        found = held.kind.find(name)
        if found is None:
            return ref(Method(ref(item), name))
        return self._bound(found, ref(item))

    def _bound(self, found: Value, owner: Value) -> Value:
        refs: set[Ref] = set()
        for item in found.refs:
            if isinstance(item, Function) and item.bound is None and not _is_static(item):
                refs.add(Function(item.node, item.scope, owner))
            else:
                refs.add(item)
        return Value(frozenset(refs), found.buffers, found.scalar)

    def _class_attribute(self, item: ClassRef, name: str) -> Value:
        is_autograd = any(b.endswith("Function") for b in item.object.library_bases())
        if name == "apply" and is_autograd:
            forward = item.object.find("forward") or NOTHING
            return self._bound_static(forward)
        found = item.object.find(name)
        if found is None:
            return ref(Method(ref(item), name))
        functions = [r for r in found.refs if isinstance(r, Function)]
        if any(_decorated(f, "classmethod") for f in functions):
            return self._bound(found, ref(item))
        return found

    def _bound_static(self, forward: Value) -> Value:
        """autograd.Function.forward called by apply: the context comes first."""
        refs = [r for r in forward.refs if isinstance(r, Function)]
        context = ref(Library("torch.autograd.function.context()"))
        return Value(frozenset(Function(r.node, r.scope, context) for r in refs))


def _decorated(function: Function, name: str) -> bool:
    decorators = getattr(function.node, "decorator_list", [])
    return any(isinstance(d, ast.Name) and d.id == name for d in decorators)


def _is_static(function: Function) -> bool:
    return isinstance(function.node, ast.Lambda) or _decorated(function, "staticmethod")
