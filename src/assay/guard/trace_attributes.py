"""Attributes in the abstract run: what `a.b` may be, by whatever `a` may be.

The rule: data shares its storage with its views, metadata of data is free, and an attribute of a
library is the library's dotted name.
"""

from __future__ import annotations

from abc import abstractmethod

from assay.guard.surroundings import tells_surroundings
from assay.guard.trace_specials import SpecialTrace, decorated
from assay.guard.values import (
    ANY_NAME,
    NOTHING,
    Box,
    BoxObject,
    ClassRef,
    Constant,
    Extension,
    Function,
    Generated,
    Instance,
    Kernel,
    Layer,
    Library,
    Lost,
    Method,
    Outline,
    Partial,
    Property,
    Ref,
    Super,
    Value,
    join,
    ref,
)

_METADATA = frozenset(
    """shape dtype device ndim is_cuda is_cpu layout requires_grad is_leaf itemsize nbytes strides
    flags grad_fn _version is_sparse names is_quantized is_meta size_in_bytes training""".split()
)
_SAME_DATA = frozenset("T mT H mH data real imag values indices grad ctypes base flat".split())
_SUPER = "builtins.super()."
_HOLDS = frozenset(
    """register_buffer register_parameter add_module register_module parameters named_parameters
    buffers state_dict children modules __setattr__ start forward""".split()
)


class AttributeTrace(SpecialTrace):
    """Resolves attributes."""

    @abstractmethod
    def extension_kernel(self, extension: Extension, name: str) -> Kernel:
        """The kernel behind an attribute of a built module."""

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

    def any_attribute(self, base: Value) -> Value:
        """An attribute whose name is not known: whatever the value has."""
        parts = [NOTHING]
        for item in base.refs:
            if isinstance(item, Extension):
                parts.append(ref(self.extension_kernel(item, "a kernel")))
            elif isinstance(item, Kernel | Lost):
                parts.append(ref(item))
            elif isinstance(item, Instance | ClassRef):
                parts += [self._attribute_of(item, base, name) for name in _names_of(item)]
        return join(parts)

    def _attribute_of(self, item: Ref, base: Value, name: str) -> Value:
        if isinstance(item, Library):
            return self._library_attribute(item, name)
        if isinstance(item, Extension):
            return ref(self.extension_kernel(item, name))
        if isinstance(item, Kernel | Generated | Lost):
            return ref(item)
        if isinstance(item, Layer):
            return self._layer_attribute(item, name)
        if isinstance(item, Instance):
            return self._instance_attribute(item, name)
        if isinstance(item, ClassRef):
            return self._class_attribute(item, name)
        if isinstance(item, Function):
            return self._function_attribute(item, name)
        if isinstance(item, Property):
            setter = ref(Library(f"builtins.property.{name}"))
            return item.getter if name in ("fget", "func") else ref(Partial(setter, (ref(item),)))
        if isinstance(item, Super):
            return self._inherited(item, name)
        return ref(Method(ref(item), name))

    def _library_attribute(self, item: Library, name: str) -> Value:
        """An attribute of a library, or what the candidate hung on an object of one."""
        held = self.attached.get(item.name, {})
        if name in held:
            return held[name]
        found = self.library(f"{item.name}.{name}")
        return join([found, held[ANY_NAME]]) if ANY_NAME in held else found

    def _function_attribute(self, item: Function, name: str) -> Value:
        held = self.attached.get(item.node, {})
        if name in held:
            return held[name]
        if name in ("__call__", "__wrapped__", "fn", "func"):
            return ref(item)
        if name in ("__name__", "__qualname__"):
            return ref(Constant(getattr(item.node, "name", "<lambda>")))
        return ref(Method(ref(item), name))

    def _inherited(self, item: Super, name: str) -> Value:
        """`super().name`: the next class that has it, else the library it derives from."""
        owner = item.owner
        kind = owner.object.kind if isinstance(owner, Instance) else owner.object
        lineage = kind.lineage()
        if item.after not in lineage:
            lineage = [k for meta in kind.metaclasses for k in meta.lineage()]
        start = lineage.index(item.after) + 1 if item.after in lineage else 0
        for base in lineage[start:]:
            if name in base.attrs.names:
                found = base.attrs.names[name]
                if isinstance(owner, Instance):
                    return self.read_by(found, owner)
                return self.bound(found, ref(owner))
        layer = self.library_base(owner) if isinstance(owner, Instance) else NOTHING
        if layer.refs:
            return self.attribute(layer, name)
        if name == "__call__":
            return ref(Partial(ref(Library(_SUPER + name)), (ref(owner),)))
        return ref(Method(ref(owner), name)) if name in _HOLDS else self.library(_SUPER + name)

    @abstractmethod
    def library_base(self, item: Instance) -> Value:
        """The library layer an instance derives from; the method trace knows it."""

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
        if name == "__dict__":
            return ref(Box(BoxObject(held.attrs)))
        found = held.kind.find(name)
        if found is not None:
            return self.read_by(found, item)
        made = self.special(item, "__getattr__", ref(Constant(name)))
        parts = [part for part in (made, held.attrs.get(ANY_NAME)) if part is not None]
        return join(parts) if parts else ref(Method(ref(item), name))

    def _class_attribute(self, item: ClassRef, name: str) -> Value:
        is_autograd = any(b.endswith("Function") for b in item.object.library_bases())
        if name == "apply" and is_autograd:
            forward = item.object.find("forward") or NOTHING
            return self._bound_static(forward)
        if name == "__dict__":
            return ref(Box(BoxObject(item.object.attrs.names)))
        if name == "__name__":
            return ref(Constant(item.object.name))
        found = item.object.find(name)
        if found is None:
            return self._metaclass_attribute(item, name)
        functions = [r for r in found.refs if isinstance(r, Function)]
        if any(decorated(f, "classmethod") for f in functions):
            return self.bound(found, ref(item))
        return found

    def _metaclass_attribute(self, item: ClassRef, name: str) -> Value:
        """What a class has from its metaclass, or by a name that was computed."""
        for kind in item.object.metaclasses:
            found = kind.find(name)
            if found is not None:
                return self.bound(found, ref(item))
        made = self.special(item, "__getattr__", ref(Constant(name)))
        parts = [part for part in (made, item.object.find(ANY_NAME)) if part is not None]
        return join(parts) if parts else ref(Method(ref(item), name))

    def _bound_static(self, forward: Value) -> Value:
        """autograd.Function.forward called by apply: the context comes first."""
        refs = [r for r in forward.refs if isinstance(r, Function)]
        context = ref(Library("torch.autograd.function.context()"))
        return Value(frozenset(Function(r.node, r.scope, context) for r in refs))


def _names_of(item: Instance | ClassRef) -> list[str]:
    kind = item.object.kind if isinstance(item, Instance) else item.object
    own = list(item.object.attrs) if isinstance(item, Instance) else []
    names = [name for base in kind.lineage() for name in base.attrs.names]
    return [name for name in dict.fromkeys((*own, *names)) if not name.startswith("__")]
