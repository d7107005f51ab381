"""Attributes: what `a.b` may be, and what `a.b = c` changes, by whatever `a` may be.

The rule: data shares its storage with its views, metadata of data is free, and an attribute of a
library is the library's dotted name, which a candidate may read but does not own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.source_analysis.interpreter.abstract_interpreter import Interpreter
from assay.source_analysis.interpreter.dataflow import (
    bound,
    decorated,
    hand_away,
    keep,
    own_parts,
    read_by,
    special,
    surroundings,
    write,
)
from assay.source_analysis.interpreter.gradients import applied
from assay.source_analysis.interpreter.kernel_calls import extension_kernel, library_base
from assay.source_analysis.interpreter.values import (
    ANY_NAME,
    NOTHING,
    Box,
    Class,
    Constant,
    Extension,
    FunctionValue,
    Generated,
    Instance,
    Kernel,
    Layer,
    Library,
    Method,
    Outline,
    Partial,
    Property,
    Ref,
    Super,
    Untracked,
    Value,
    box,
    class_of,
    join,
    ref,
    stored,
)
from assay.source_analysis.tables.library_names import tells_surroundings
from assay.source_analysis.tables.reach import reach_of_assignment

_METADATA = frozenset(
    """shape dtype device ndim is_cuda is_cpu layout requires_grad is_leaf itemsize nbytes strides
    flags grad_fn _version is_sparse names is_quantized is_meta size_in_bytes training""".split()
)
_SAME_DATA = frozenset("T mT H mH data real imag values indices grad ctypes base flat".split())
_LAYER_DATA = ("weight", "bias", "running", "proj", "mean", "var")
_SUPER = "builtins.super()."
_HOLDS = frozenset(
    """register_buffer register_parameter add_module register_module parameters named_parameters
    buffers state_dict children modules __setattr__ start forward""".split()
)
_C_SIGNATURE = ("restype", "argtypes", "errcheck")  # how ctypes describes a function


def attribute(run: Interpreter, base: Value, name: str) -> Value:
    """An attribute of a value, by whatever the value may be."""
    parts = [_attribute_of(run, item, name) for item in base.refs]
    if base.buffers:
        if name == "__class__":
            parts.append(ref(Library("torch.Tensor")))
        elif name in _SAME_DATA:
            parts.append(base.data)
        elif name not in _METADATA:
            parts.append(ref(Method(base.data, name)))
    if not parts and not base.refs:
        return ref(Method(base, name))
    return join(parts) if parts else NOTHING


def _attribute_of(run: Interpreter, item: Ref, name: str) -> Value:
    rule = _READS.get(type(item))
    return rule(run, item, name) if rule is not None else ref(Method(ref(item), name))


def any_attribute(run: Interpreter, base: Value) -> Value:
    """An attribute whose name is not known: whatever the value has."""
    parts = [NOTHING]
    for item in base.refs:
        if isinstance(item, Extension):
            parts.append(ref(extension_kernel(run, item, "a kernel")))
        elif isinstance(item, Kernel | Untracked):
            parts.append(ref(item))
        elif isinstance(item, Instance | Class):
            own = list(item.attrs) if isinstance(item, Instance) else []
            names = [*own, *(name for k in class_of(item).lineage() for name in k.attrs.names)]
            plain = [name for name in dict.fromkeys(names) if not name.startswith("__")]
            parts += [_attribute_of(run, item, name) for name in plain]
    return join(parts)


def library(name: str) -> Value:
    """A library name, with what it tells of the surroundings or of installed folders."""
    found = ref(Library(name))
    if tells_surroundings(name):
        return join([found, surroundings(name)])
    if name.endswith(".__file__"):
        folder = name.removesuffix(".__file__").replace(".", "/")
        return join([found, ref(Outline(f"/site-packages/{folder}/__init__.py"))])
    return found


def _of_library(run: Interpreter, item: Library, name: str) -> Value:
    """An attribute of a library, or what the candidate hung on an object of one."""
    held = run.heap.attached.get(item.name, {})
    if name in held:
        return held[name]
    found = library(f"{item.name}.{name}")
    return join([found, held[ANY_NAME]]) if ANY_NAME in held else found


def _of_function(run: Interpreter, item: FunctionValue, name: str) -> Value:
    held = run.heap.attached.get(item.node, {})
    if name in held:
        return held[name]
    if name in ("__call__", "__wrapped__", "fn", "func"):
        return ref(item)
    if name in ("__name__", "__qualname__"):
        return ref(Constant(getattr(item.node, "name", "<lambda>")))
    return ref(Method(ref(item), name))


def _of_super(run: Interpreter, item: Super, name: str) -> Value:
    """`super().name`: the next class that has it, else the library it derives from."""
    owner = item.owner
    for base in _classes_behind(item):
        if name in base.attrs.names:
            found = base.attrs.names[name]
            if isinstance(owner, Instance):
                return read_by(run, found, owner)
            return bound(found, ref(owner))
    layer = library_base(run, owner) if isinstance(owner, Instance) else NOTHING
    if layer.refs:
        return attribute(run, layer, name)
    if name == "__call__":
        return ref(Partial(ref(Library(_SUPER + name)), (ref(owner),)))
    return ref(Method(ref(owner), name)) if name in _HOLDS else library(_SUPER + name)


def _classes_behind(item: Super) -> list[Class]:
    kind = class_of(item.owner)
    lineage = kind.lineage()
    if item.after not in lineage:
        lineage = [k for meta in kind.metaclasses for k in meta.lineage()]
    return lineage[lineage.index(item.after) + 1 if item.after in lineage else 0 :]


def _of_layer(run: Interpreter, layer: Layer, name: str) -> Value:
    if name in ("forward", "__call__"):
        return ref(layer)
    holds_data = any(part in name for part in _LAYER_DATA)
    return stored(layer.weights) if holds_data else ref(Method(ref(layer), name))


def _of_instance(run: Interpreter, item: Instance, name: str) -> Value:
    held = item
    if name in held.attrs:
        return held.attrs[name]
    if name == "__class__":
        return ref(held.kind)
    if name == "__dict__":
        return box(held.attrs)
    found = held.kind.find(name)
    if found is not None:
        return read_by(run, found, item)
    return _computed_attribute(run, item, name, held.attrs.get(ANY_NAME))


def _computed_attribute(
    run: Interpreter, item: Instance | Class, name: str, held: Value | None
) -> Value:
    """What `__getattr__` makes of a name, and what is held under a name that was computed."""
    made = special(run, item, "__getattr__", ref(Constant(name)))
    parts = [part for part in (made, held) if part is not None]
    return join(parts) if parts else ref(Method(ref(item), name))


def _of_class(run: Interpreter, item: Class, name: str) -> Value:
    kind = item
    if name == "apply" and any(base.endswith("Function") for base in kind.library_bases()):
        return applied(run, kind)
    if name == "__dict__":
        return box(kind.attrs.names)
    if name == "__name__":
        return ref(Constant(kind.name))
    found = kind.find(name)
    if found is None:
        of_meta = [meta.find(name) for meta in item.metaclasses]
        inherited = next((value for value in of_meta if value is not None), None)
        if inherited is not None:
            return bound(inherited, ref(item))
        return _computed_attribute(run, item, name, item.find(ANY_NAME))
    if any(decorated(function, "classmethod") for function in found.of(FunctionValue)):
        return bound(found, ref(item))
    return found


def _of_property(run: Interpreter, item: Property, name: str) -> Value:
    setter = ref(Library(f"builtins.property.{name}"))
    return item.getter if name in ("fget", "func") else ref(Partial(setter, (ref(item),)))


_READS: dict[type[Ref], Callable[[Interpreter, Any, str], Value]] = {
    **dict.fromkeys((Kernel, Generated, Untracked), lambda run, item, name: ref(item)),
    Extension: lambda run, item, name: ref(extension_kernel(run, item, name)),
    Library: _of_library, Layer: _of_layer, Instance: _of_instance, Class: _of_class,
    FunctionValue: _of_function, Property: _of_property, Super: _of_super,
}  # fmt: skip


def set_attribute(run: Interpreter, base: Value, name: str, value: Value, where: str) -> None:
    """`base.name = value`, however it is written."""
    for item in base.refs:
        if isinstance(item, Instance):
            _set_on_instance(run, item, name, value)
        elif isinstance(item, Class):
            item.attrs.names[name] = value
        elif isinstance(item, FunctionValue):
            keep(run, run.heap.attached.setdefault(item.node, {}), name, value)
        elif isinstance(item, Library) and "()" in item.name:
            _set_on_handle(run, item.name, name, value)
        elif isinstance(item, Library):
            _set_on_library(run, f"{item.name}.{name}", value, where)
        elif isinstance(item, Layer):
            item.weights.tags.update(value.tags)
    if base.buffers and value.buffers:
        write(base, value)


def _set_on_instance(run: Interpreter, item: Instance, name: str, value: Value) -> None:
    kind = item.kind
    setters = [found.setter for found in (kind.find(name) or NOTHING).of(Property)]
    for setter in setters:
        if setter is not None:
            run.call(setter, kind.call(ref(item), value))
    if not any(setters):
        keep(run, item.attrs, name, value)


def _set_on_library(run: Interpreter, name: str, value: Value, where: str) -> None:
    """A library is not the candidate's to change, unless a branch found the name missing."""
    if name.rpartition(".")[2] in _C_SIGNATURE or name in run.flow.absent:
        return
    run.see(reach_of_assignment(name, value.literal), name, where)


def _set_on_handle(run: Interpreter, handle: str, name: str, value: Value) -> None:
    """`handle.name = value` on an object of a library: it is found there again."""
    if handle.startswith("ctypes."):  # an address in a C object
        hand_away(run, [value])
    elif own_parts([value]) or value.is_data or value.of(Box):
        keep(run, run.heap.attached.setdefault(handle, {}), name, value)
