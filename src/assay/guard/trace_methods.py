"""Methods in the abstract run: of tensors and modules; and stores to attributes.

The rule: a method that writes in place changes the storage, so every name of it sees the change.
"""

from __future__ import annotations

import ast
from abc import abstractmethod

from assay.guard.arguments import Arguments
from assay.guard.library_names import method_call
from assay.guard.operation_names import OpRole
from assay.guard.overrides import assignment_switches_off
from assay.guard.reach import STORAGE_REACH, reach_of_assignment
from assay.guard.tags import Origin, Tag
from assay.guard.texts import outlined, texts
from assay.guard.trace import Phase
from assay.guard.trace_containers import ContainerTrace
from assay.guard.trace_operators import holds_kernel
from assay.guard.values import (
    ANY_NAME,
    NOTHING,
    Box,
    ClassObject,
    ClassRef,
    Constant,
    Function,
    Instance,
    InstanceObject,
    Layer,
    Library,
    Method,
    Outline,
    Property,
    Scope,
    Value,
    all_buffers,
    is_argument,
    join,
    ref,
)

_MODULE_SETTERS = frozenset("register_buffer register_parameter add_module register_module".split())
_HOOKS = frozenset(
    "register_forward_hook register_forward_pre_hook register_full_backward_hook".split()
)
_PLAIN = frozenset("item tolist data_ptr __float__ __int__ tobytes data_as buffer_info".split())
_FILE_READS = ("read", "read_bytes", "readinto")  # no tensor has methods of these names
_STORAGES = ("untyped_storage", "storage", "_typed_storage")
_RESHAPES_STORAGE = ("resize_", "set_", "resize_as_")


class MethodTrace(ContainerTrace):
    """Calls methods of values."""

    @abstractmethod
    def unknown_call(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """A call that cannot be resolved; the call trace knows what that means."""

    def library_base(self, item: Instance) -> Value:
        """The library layer an instance derives from, where it does."""
        bases = sorted(item.object.kind.library_bases())
        made = [self._make(name, Arguments(), "", Scope("")) for name in bases]
        return join(
            [NOTHING, *(v for v in made if v and any(isinstance(r, Layer) for r in v.refs))]
        )

    def call_method(self, item: Method, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """Call a method of data, of a container, of text, of a module."""
        receiver, name = item.receiver, item.name
        if receiver.buffers and name in _FILE_READS and self.phase is Phase.FORWARD:
            found = {tag for tag in receiver.tags if tag.origin is Origin.SURROUNDINGS}
            return self.new_buffer({Tag(Origin.PAST, "a file"), *found})
        if receiver.is_data:
            return self.tensor_method(receiver, name, given, node, scope)
        for owner in receiver.refs:
            if isinstance(owner, Box):
                return self.box_method(owner, name, given)
            if isinstance(owner, Instance):
                return self._module_method(owner, name, given, node, scope)
            if isinstance(owner, Constant) and isinstance(owner.value, str):
                return self.text_method(owner.value, name, given)
            if isinstance(owner, Constant) and isinstance(owner.value, bytes):
                return self.bytes_method(owner.value, name)
            if isinstance(owner, Outline):
                return join([outlined(texts(receiver)), self.told([receiver, *given.all])])
            if isinstance(owner, Layer | ClassRef):
                return self._holder_method(owner, name, given, node, scope)
        self.call_back(given, node, scope)
        if receiver.scalar:
            return self.scalar_of([receiver, *given.all])
        return self.unknown_call(given, node, scope)

    def _holder_method(
        self, owner: Layer | ClassRef, name: str, given: Arguments, node: ast.AST, scope: Scope
    ) -> Value:
        if isinstance(owner, Layer):
            data = name in ("parameters", "named_parameters", "state_dict", "buffers")
            return Value(buffers=frozenset((owner.weights,))) if data else ref(owner)
        bases = owner.object.library_bases()
        if not bases:
            return self.unknown_call(given, node, scope)
        parts = [self.call_library(f"{base}.{name}", given, node, scope) for base in sorted(bases)]
        return join([NOTHING, *parts])

    def _module_method(
        self, owner: Instance, name: str, given: Arguments, node: ast.AST, scope: Scope
    ) -> Value:
        if name in _MODULE_SETTERS:
            key = given.get(0, "name").text()
            held = given.positional[1] if len(given.positional) > 1 else NOTHING
            for buffer in all_buffers(held):
                buffer.tags.add(Tag(Origin.PARAMETER, key or ""))
            if key is not None:
                owner.object.attrs[key] = held
            return NOTHING
        if name in _HOOKS:
            self.hooks.append(given.get(0, "hook"))
            return NOTHING
        if name in (
            "parameters",
            "named_parameters",
            "buffers",
            "state_dict",
            "children",
            "modules",
        ):
            return join([NOTHING, *owner.object.attrs.values()])
        if name == "__enter__" and any("Mode" in b for b in owner.object.kind.library_bases()):
            return self.call_library("torch.Mode().__enter__", given, node, scope)
        if name == "__setattr__":
            title = given.get(0).text() or ANY_NAME
            self.keep(owner.object.attrs, title, given.get(1))
            return NOTHING
        bases = owner.object.kind.library_bases()
        if name == "start" and any(base.endswith(("Thread", "Process")) for base in bases):
            run = self.attribute(ref(owner), "run")
            return self.call_library("threading.Thread().start", Arguments((run,)), node, scope)
        layer = self.library_base(owner)
        if name == "forward" and layer.refs:
            return self.call(layer, given, node, scope)
        if any("Module" in base for base in bases) or layer.refs:
            return ref(owner)
        return self.unknown_call(given, node, scope)

    def tensor_method(
        self, receiver: Value, name: str, given: Arguments, node: ast.AST, scope: Scope
    ) -> Value:
        """A method of a tensor or an array."""
        call = method_call(name)
        in_place = name.endswith("_") and not name.endswith("__")
        everything = [receiver, *given.all]
        if name in _PLAIN:
            return Value(buffers=receiver.buffers, scalar=True)
        if name == "as_subclass":
            self.call_library("torch.Tensor.as_subclass", given, node, scope)
            return join([receiver, *(ref(Instance(InstanceObject(c))) for c in _classes(given))])
        if name.rstrip("_") == "masked_fill" and self._clears_places(receiver, given):
            everything = [receiver, self._read_by_kernel(given.get(0, "mask"))]
        if call.role is OpRole.COMPUTE:
            made = self.compute(f"Tensor.{name}", call.weight, everything, self.place(node, scope))
            self.call_back(given, node, scope)
            return self._write(receiver, made) if in_place else self._out(given, made)
        if name in _RESHAPES_STORAGE and is_argument(receiver):
            self.see(STORAGE_REACH, f"Tensor.{name}", self.place(node, scope))
        if name in _STORAGES:
            return receiver
        if in_place:
            self._write(receiver, Value(buffers=self.same_data(given.all).buffers))
            return receiver
        if call.role in (OpRole.VIEW, OpRole.CAST) or name in ("contiguous", "cpu", "cuda"):
            return receiver
        if call.role in (OpRole.COPY, OpRole.ALLOCATION, OpRole.FILL):
            copies = everything if call.role is OpRole.COPY else [v for v in given.all if v.scalar]
            return self.new_buffer(self.tensor_tags(copies))
        return NOTHING

    def _clears_places(self, receiver: Value, given: Arguments) -> bool:
        """True where a constant is put into places of what a kernel made: padding, ignored rows."""
        return holds_kernel(receiver) and given.get(1, "value").constant() is not None

    def _read_by_kernel(self, mask: Value) -> Value:
        """What only says where, weighed like what a kernel reads; sizes decide at run time."""
        read = {t.through_kernel() for t in mask.tags if t.origin is not Origin.INPUT}
        return self.new_buffer(read, fresh=False)

    def _write(self, target: Value, source: Value) -> Value:
        tags = source.tags
        for buffer in target.buffers:
            buffer.tags |= tags
        return target

    def _out(self, given: Arguments, made: Value) -> Value:
        out = given.keywords.get("out")
        return self._write(out, made) if out is not None and out.buffers else made

    def set_attribute(self, base: Value, name: str, value: Value, where: str) -> None:
        """`base.name = value`, however it is written."""
        for item in base.refs:
            if isinstance(item, Instance):
                self._set_on_instance(item, name, value)
            elif isinstance(item, ClassRef):
                item.object.attrs.names[name] = value
            elif isinstance(item, Function):
                self.keep(self.attached.setdefault(item.node, {}), name, value)
            elif isinstance(item, Library) and "()" in item.name:
                self.attach(item.name, name, value)
            elif isinstance(item, Library):
                full = f"{item.name}.{name}"
                if name in ("restype", "argtypes", "errcheck"):  # how ctypes describes a function
                    continue
                if full in self.absent:  # a name that older versions lack, where it is lacking
                    continue
                reach = assignment_switches_off(full, value) or reach_of_assignment(full)
                self.see(reach, f"{item.name}.{name}", where)
            elif isinstance(item, Layer):
                item.weights.tags.update(value.tags)
        if base.buffers and value.buffers:
            self._write(base, value)

    def _set_on_instance(self, item: Instance, name: str, value: Value) -> None:
        found = item.object.kind.find(name)
        setters = [r.setter for r in (found or NOTHING).refs if isinstance(r, Property)]
        for setter in setters:
            if setter is not None:
                given, kind = Arguments((ref(item), value)), item.object.kind
                self.call(setter, given, kind.node, kind.attrs)
        if not any(setters):
            self.keep(item.object.attrs, name, value)

    def keep(self, holder: dict[str, Value], name: str, value: Value) -> None:
        """Store into something that outlives the call; under a condition the old value stays."""
        old = holder.get(name)
        conditional = bool(self.guards) and old is not None
        merged = join([old, value]) if conditional and old is not None else value
        self.journal.set_item(holder, name, merged)
        if self.phase is Phase.FORWARD:
            self.kept.append((holder, name))


def _classes(given: Arguments) -> list[ClassObject]:
    return [r.object for v in given.all for r in v.refs if isinstance(r, ClassRef)]
