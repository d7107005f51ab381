"""Calls in the abstract run: the candidate's own functions, methods of data, builtins.

The rule: a function of the candidate is entered with the values it is given; one that is entered
again from inside itself is not followed a second time.
"""

from __future__ import annotations

import ast
from abc import abstractmethod

from assay.guard.arguments import Arguments
from assay.guard.reach import CACHE_REACH
from assay.guard.tags import Origin, Tag, Weight
from assay.guard.trace import MAX_DEPTH, Frame
from assay.guard.trace_objects import ObjectTrace
from assay.guard.trace_operators import holds_kernel
from assay.guard.values import (
    NOTHING,
    Box,
    BoxObject,
    ClassRef,
    Extension,
    Function,
    Generated,
    Instance,
    Kernel,
    Layer,
    Library,
    Lost,
    Method,
    Partial,
    Property,
    Ref,
    Scope,
    Super,
    Value,
    all_buffers,
    is_argument,
    join,
    ref,
)

_CALLABLE = (Function, Partial, Kernel, Layer, Generated)


class CallTrace(ObjectTrace):
    """Calls values."""

    @abstractmethod
    def run_body(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Run statements; the statement trace knows how. True where the block always leaves."""

    @abstractmethod
    def run_module(self, name: str) -> Scope | None:
        """Another file of the candidate, by its module name."""

    def call(self, function: Value, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """Call whatever a value may be."""
        self.step(1 + len(function.refs))
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
            made = self.special_call(item, "__call__", given)
            return made if made is not None else self.construct(item, given, node, scope)
        if isinstance(item, Instance):
            return self.call_instance(item, given, node, scope)
        if isinstance(item, Layer):
            where = self.place(node, scope)
            weights = Value(buffers=frozenset((item.weights,)))
            return self.compute(item.name, Weight.HEAVY, [*given.all, weights], where)
        if isinstance(item, Generated):
            where = self.place(node, scope)
            return self.compute(item.name, Weight.GENERATED, given.all, where)
        if isinstance(item, Partial):
            keywords = {**dict(item.keywords), **given.keywords}
            whole = Arguments((*item.arguments, *given.positional), keywords)
            return self.call(item.function, whole, node, scope)
        if isinstance(item, Box):  # nn.Sequential: each part in turn
            return self._call_chain(item, given, node, scope)
        if isinstance(item, Extension | Lost | Super | Property):
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
        result = self.unknown(self.tensor_tags(given.all))
        if any(v.is_data for v in given.all):
            return result
        return Value(frozenset((Lost(),)), result.buffers, scalar=True)

    def call_back(self, given: Arguments, node: ast.AST, scope: Scope) -> None:
        """Enter the functions among the arguments, with arguments nothing is known about."""
        packed = [v for name, v in given.keywords.items() if name in ("args", "kwargs")]
        for value in given.all:
            if any(isinstance(r, _CALLABLE) for r in value.refs):
                spread = [part for item in packed for part in self.spread(item)]
                rest = spread or [v for v in given.positional if v is not value]
                self.call(value, Arguments(tuple(rest)), node, scope)

    def call_function(self, function: Function, given: Arguments) -> Value:
        """Enter a function of the candidate."""
        node = function.node
        if node in self.cached and any(is_argument(value) for value in given.all):
            title = getattr(node, "name", "a function")
            self.see(CACHE_REACH, title, self.place(node, function.scope))
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
        if frame.yields:
            yielded = BoxObject(rest=join(frame.yields))
            self.generators[yielded] = self.calls
            return ref(Box(yielded))
        self._agree(frame.returns)
        return join(frame.returns) if frame.returns else NOTHING

    def on_Yield(self, node: ast.Yield, scope: Scope) -> Value:
        """`yield a`: one of the things a loop over the call gets; what is sent back is lost."""
        if self.frames:
            self.frames[-1].yields.append(self.evaluate(node.value, scope))
        return ref(Lost())

    def on_YieldFrom(self, node: ast.YieldFrom, scope: Scope) -> Value:
        """`yield from a`: everything a loop over `a` gets."""
        if self.frames:
            self.frames[-1].yields.append(self.contents(self.evaluate(node.value, scope)))
        return ref(Lost())

    def _agree(self, returns: list[Value]) -> None:
        """A function whose every return holds a kernel's work has worked whatever it asked."""
        if len(returns) > 1 and all(holds_kernel(value) for value in returns):
            for value in returns:
                for buffer in all_buffers(value):
                    buffer.tags.add(Tag(Origin.KERNEL, "every return", guard=self.guard))

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
