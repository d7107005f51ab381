"""Calls in the abstract run: the candidate's own functions, methods of data, builtins.

The rule: a function of the candidate is entered with the values it is given; one that is entered
again from inside itself is not followed a second time.
"""

from __future__ import annotations

import ast

from assay.guard.library_names import method_call
from assay.guard.operation_names import OpRole
from assay.guard.reach import reach_of_assignment
from assay.guard.tags import Origin, Tag, Weight
from assay.guard.trace import MAX_DEPTH, Frame, Phase
from assay.guard.trace_libraries import LibraryTrace
from assay.guard.values import (
    NOTHING,
    Arguments,
    Box,
    BoxObject,
    ClassRef,
    Constant,
    Extension,
    Function,
    Generated,
    Instance,
    InstanceObject,
    Kernel,
    Layer,
    Library,
    Method,
    Partial,
    Ref,
    Scope,
    Value,
    all_buffers,
    join,
    ref,
)

_MODULE_SETTERS = frozenset("register_buffer register_parameter add_module register_module".split())
_HOOKS = frozenset("register_forward_hook register_forward_pre_hook register_full_backward_hook".split())
_TEXT_METHODS = frozenset(
    "lower upper strip lstrip rstrip title swapcase removeprefix removesuffix".split()
)
_GROWS = frozenset("append add extend insert update setdefault appendleft put push __setitem__".split())


class CallTrace(LibraryTrace):
    """Calls values."""

    def run_body(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Run statements; the statement trace knows how. True where the block always leaves."""
        raise NotImplementedError

    def run_module(self, name: str) -> Scope | None:
        """Another file of the candidate, by its module name."""
        raise NotImplementedError

    def call(self, function: Value, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """Call whatever a value may be."""
        self.step()
        parts = [self._call_one(item, given, node, scope) for item in function.refs]
        if function.is_data or not function.refs:
            parts.append(self.unknown_call(given, node, scope))
        return join(parts)

    def _call_one(self, item: Ref, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        if isinstance(item, Library):
            return self.call_library(item.name, given, node, scope)
        if isinstance(item, Function):
            return self.call_function(item, given)
        if isinstance(item, Kernel):
            return self.launch(item, given, node, scope)
        if isinstance(item, Method):
            return self.call_method(item, given, node, scope)
        if isinstance(item, ClassRef):
            return self.construct(item, given, node, scope)
        if isinstance(item, Instance):
            return self._call_instance(item, given, node, scope)
        if isinstance(item, Layer):
            where = self.place(node, scope)
            weights = Value(buffers=frozenset((item.weights,)))
            return self.compute(item.name, Weight.HEAVY, [*given.all, weights], where)
        if isinstance(item, Generated):
            where = self.place(node, scope)
            return self.compute(item.name, Weight.GENERATED, given.all, where)
        if isinstance(item, Partial):
            whole = Arguments((*item.arguments, *given.positional), given.keywords)
            return self.call(item.function, whole, node, scope)
        if isinstance(item, Box):  # nn.Sequential: each part in turn
            return self._call_chain(item, given, node, scope)
        if isinstance(item, Extension):
            return self.unknown_call(given, node, scope)
        return NOTHING

    def _call_chain(self, item: Box, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        for part in item.object.items.values():
            given = Arguments((self.call(part, given, node, scope),))
        return given.get(0)

    def unknown_call(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """A call that cannot be resolved: it may have used and written all it was given."""
        self.call_back(given, node, scope)
        for value in given.all:
            for buffer in all_buffers(value):
                if buffer.fresh:
                    buffer.tags.add(Tag(Origin.UNKNOWN))
        tags = self.tensor_tags(given.all)
        result = self.unknown(tags)
        return result if any(v.is_data for v in given.all) else Value(buffers=result.buffers, scalar=True)

    def call_back(self, given: Arguments, node: ast.AST, scope: Scope) -> None:
        """Enter the functions among the arguments, with arguments nothing is known about."""
        packed = [v for name, v in given.keywords.items() if name in ("args", "kwargs")]
        for value in given.all:
            if any(isinstance(r, Function | Partial) for r in value.refs):
                spread = [part for item in packed for part in self.spread(item)]
                rest = spread or [v for v in given.positional if v is not value]
                self.call(value, Arguments(tuple(rest)), node, scope)

    def call_function(self, function: Function, given: Arguments) -> Value:
        """Enter a function of the candidate."""
        node = function.node
        if len(self.frames) >= MAX_DEPTH or sum(f.node is node for f in self.frames) > 1:
            return self.unknown(self.tensor_tags(given.all))
        inner = Scope(function.scope.module, {}, function.scope)
        self.bind_parameters(node.args, function, given, inner)
        frame = Frame(node, inner, depth_of_guards=len(self.guards))
        self.frames.append(frame)
        try:
            if isinstance(node, ast.Lambda):
                return self.evaluate(node.body, inner)
            self.run_body(node.body, inner)
        finally:
            self.frames.pop()
        return join(frame.returns) if frame.returns else NOTHING

    def bind_parameters(
        self, args: ast.arguments, function: Function, given: Arguments, inner: Scope
    ) -> None:
        """Bind parameters to arguments, defaults and what stars collect."""
        values = list(given.positional)
        if function.bound is not None:
            values.insert(0, function.bound)
        names = [*args.posonlyargs, *args.args]
        defaults = [None] * (len(names) - len(args.defaults)) + list(args.defaults)
        for position, (parameter, default) in enumerate(zip(names, defaults, strict=True)):
            if position < len(values):
                inner.names[parameter.arg] = values[position]
            else:
                found = given.keywords.get(parameter.arg) or given.keywords.get("**")
                inner.names[parameter.arg] = found or self.evaluate(default, function.scope)
        for parameter, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            found = given.keywords.get(parameter.arg) or given.keywords.get("**")
            inner.names[parameter.arg] = found or self.evaluate(default, function.scope)
        if args.vararg:
            items = dict(enumerate(values[len(names) :]))
            inner.names[args.vararg.arg] = ref(Box(BoxObject({**items})))
        if args.kwarg:
            inner.names[args.kwarg.arg] = ref(Box(BoxObject(dict(given.keywords))))

    def construct(self, item: ClassRef, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """An instance of a class of the candidate."""
        held = InstanceObject(item.object)
        made = ref(Instance(held))
        if item.object.find("__init__") is not None:
            self.call(self.attribute(made, "__init__"), given, node, scope)
        creator = item.object.find("__new__")
        if creator is not None:
            made = join([made, self.call(creator, given, node, scope)])
        return made

    def _call_instance(self, item: Instance, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        for name in ("__call__", "forward"):
            if item.object.kind.find(name) is not None or name in item.object.attrs:
                return self.call(self.attribute(ref(item), name), given, node, scope)
        layer = self.library_base(item)
        return self.call(layer, given, node, scope) if layer.refs else self.unknown_call(given, node, scope)

    def library_base(self, item: Instance) -> Value:
        """The library layer an instance derives from, where it does."""
        bases = sorted(item.object.kind.library_bases())
        made = [self._make(name, Arguments(), "", Scope("")) for name in bases]
        return join([NOTHING, *(v for v in made if v and any(isinstance(r, Layer) for r in v.refs))])

    def call_method(self, item: Method, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """Call a method of data, of a container, of text, of a module."""
        receiver, name = item.receiver, item.name
        if receiver.is_data:
            return self.tensor_method(receiver, name, given, node, scope)
        for owner in receiver.refs:
            if isinstance(owner, Box):
                return self.box_method(owner, name, given)
            if isinstance(owner, Instance):
                return self._module_method(owner, name, given, node, scope)
            if isinstance(owner, Constant) and isinstance(owner.value, str):
                return self._text_method(owner.value, name, given)
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
        parts = [self.call_library(f"{base}.{name}", given, node, scope) for base in sorted(bases)]
        return join([NOTHING, *parts])

    def _module_method(
        self, owner: Instance, name: str, given: Arguments, node: ast.AST, scope: Scope
    ) -> Value:
        if name in _MODULE_SETTERS:
            key = given.get(0, "name").text()
            if key is not None:
                owner.object.attrs[key] = given.positional[1] if len(given.positional) > 1 else NOTHING
            return NOTHING
        if name in _HOOKS:
            self.hooks.append(given.get(0, "hook"))
            return NOTHING
        if name in ("parameters", "named_parameters", "buffers", "state_dict", "children", "modules"):
            return join([NOTHING, *owner.object.attrs.values()])
        if name == "__enter__" and any("Mode" in b for b in owner.object.kind.library_bases()):
            return self.call_library("torch.Mode().__enter__", given, node, scope)
        if name == "__setattr__":
            return NOTHING
        layer = self.library_base(owner)
        if name == "forward" and layer.refs:
            return self.call(layer, given, node, scope)
        return ref(owner)

    def _text_method(self, text: str, name: str, given: Arguments) -> Value:
        if name == "join":
            items = [value.text() for value in self.spread(given.get(0))]
            if all(item is not None for item in items):
                return ref(Constant(text.join(item or "" for item in items)))
        constants = [value.constant() for value in given.positional]
        if name in _TEXT_METHODS and not given.keywords and all(c is not None for c in constants):
            try:
                return ref(Constant(getattr(text, name)(*(c.value for c in constants if c))))
            except (TypeError, ValueError, IndexError, KeyError, AttributeError):
                return NOTHING
        return NOTHING

    def box_method(self, owner: Box, name: str, given: Arguments) -> Value:
        """A method of a container."""
        box = owner.object
        if name in _GROWS:
            added = [*given.all, *(self.contents(v) for v in given.all)]
            self.journal.set_rest(box, join([box.rest or NOTHING, *added]))
            if self.phase is Phase.FORWARD:
                self.kept.append((box.items, "*"))
        if name in ("keys", "clear", "index", "count"):
            return NOTHING
        if name == "get" or name == "pop":
            constant = given.get(0).constant()
            if constant is not None and constant.value in box.items:
                return box.items[constant.value]
        if name == "copy":
            return ref(owner)
        if name in ("values", "items", "get", "pop", "popitem", "setdefault", "__getitem__", "popleft"):
            inner = self.contents(ref(owner))
            return inner if name != "items" else ref(Box(BoxObject(rest=ref(Box(BoxObject({1: inner}))))))
        return NOTHING

    def tensor_method(
        self, receiver: Value, name: str, given: Arguments, node: ast.AST, scope: Scope
    ) -> Value:
        """A method of a tensor or an array."""
        call = method_call(name)
        in_place = name.endswith("_") and not name.endswith("__")
        everything = [receiver, *given.all]
        if name in ("item", "tolist", "data_ptr", "__float__", "__int__", "tobytes"):
            return Value(buffers=receiver.buffers, scalar=True)
        if name == "as_subclass":
            self.call_library("torch.Tensor.as_subclass", given, node, scope)
            return join([receiver, *(ref(Instance(InstanceObject(c))) for c in _classes(given))])
        if call.role is OpRole.COMPUTE:
            made = self.compute(f"Tensor.{name}", call.weight, everything, self.place(node, scope))
            self.call_back(given, node, scope)
            return self._write(receiver, made) if in_place else self._out(given, made)
        if in_place:
            self._write(receiver, Value(buffers=self.same_data(given.all).buffers))
            return receiver
        if call.role in (OpRole.VIEW, OpRole.CAST) or name in ("contiguous", "cpu", "cuda"):
            return receiver
        if call.role in (OpRole.COPY, OpRole.ALLOCATION, OpRole.FILL):
            copies = everything if call.role is OpRole.COPY else [v for v in given.all if v.scalar]
            return self.new_buffer(self.tensor_tags(copies))
        return NOTHING

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
                self.keep(item.object.attrs, name, value)
            elif isinstance(item, ClassRef):
                item.object.attrs.names[name] = value
            elif isinstance(item, Library) and "()" not in item.name:
                reach = reach_of_assignment(f"{item.name}.{name}")
                self.see(reach, f"{item.name}.{name}", where)
            elif isinstance(item, Layer):
                item.weights.tags.update(value.tags)
        if base.buffers and value.buffers:
            self._write(base, value)

    def keep(self, holder: dict[str, Value], name: str, value: Value) -> None:
        """Store into something that outlives the call; under a condition the old value stays."""
        old = holder.get(name)
        conditional = bool(self.guards) and old is not None
        merged = join([old, value]) if conditional and old is not None else value
        self.journal.set_item(holder, name, merged)
        if self.phase is Phase.FORWARD:
            self.kept.append((holder, name))


def _classes(given: Arguments) -> list[object]:
    return [r.object for v in given.all for r in v.refs if isinstance(r, ClassRef)]
