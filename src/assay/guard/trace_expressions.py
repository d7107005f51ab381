"""Expressions of the abstract run: from an AST node to the value it may have.

The rule: names are followed to what they are bound to; what a word looks like decides nothing.
"""

from __future__ import annotations

import ast
import builtins
from abc import abstractmethod
from typing import cast

from assay.guard.arguments import Arguments
from assay.guard.reach import FRAME_ATTRIBUTES, FRAME_REACH
from assay.guard.texts import joined
from assay.guard.trace_operators import OperatorTrace
from assay.guard.values import (
    NOTHING,
    Box,
    BoxObject,
    Constant,
    Function,
    Instance,
    Library,
    Lost,
    Scope,
    Value,
    all_buffers,
    join,
    ref,
)


class ExpressionTrace(OperatorTrace):
    """Evaluates expressions."""

    star_modules: list[str]  # modules whose names were all imported

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        """The value of an expression."""
        if node is None:
            return NOTHING
        self.step()
        handler = getattr(self, "on_" + type(node).__name__, None)
        if handler is None:
            children = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
            return join([NOTHING, *(self.evaluate(child, scope) for child in children)])
        return cast(Value, handler(node, scope))

    def on_Constant(self, node: ast.Constant, scope: Scope) -> Value:
        """A literal."""
        return ref(Constant(node.value))

    def on_Name(self, node: ast.Name, scope: Scope) -> Value:
        """A name: what it is bound to, else a builtin."""
        found = scope.find(node.id)
        if found is not None:
            return found
        if node.id == "__builtins__":
            return ref(Library("builtins"))
        if hasattr(builtins, node.id) or node.id.startswith("__"):
            return ref(Library("builtins." + node.id))
        stars = [self.library(f"{module}.{node.id}") for module in self.star_modules]
        return join(stars) if stars else ref(Lost())

    def on_Lambda(self, node: ast.Lambda, scope: Scope) -> Value:
        """A function without a name."""
        return ref(Function(node, scope))

    def on_Tuple(self, node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Value:
        """A container with items in order."""
        box = BoxObject()
        for position, item in enumerate(node.elts):
            if isinstance(item, ast.Starred):
                box.rest = join(
                    [box.rest or NOTHING, self.contents(self.evaluate(item.value, scope))]
                )
            else:
                box.items[position] = self.evaluate(item, scope)
        return ref(Box(box))

    on_List = on_Tuple
    on_Set = on_Tuple

    def on_Dict(self, node: ast.Dict, scope: Scope) -> Value:
        """A dict: constant keys stay apart."""
        box = BoxObject()
        for key, item in zip(node.keys, node.values, strict=True):
            value = self.evaluate(item, scope)
            constant = self.evaluate(key, scope).constant() if key is not None else None
            if constant is not None:
                box.items[constant.value] = value
            else:
                box.rest = join([box.rest or NOTHING, value, self.contents(value)])
        return ref(Box(box))

    def on_ListComp(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope
    ) -> Value:
        """A comprehension: one pass over its body stands for all."""
        inner = self.comprehension_scope(node.generators, scope)
        value = self.evaluate(node.elt, inner)
        if value == NOTHING:  # plain values still tell what they were chosen by
            tests = [test for generator in node.generators for test in generator.ifs]
            value = self.told([self.evaluate(test, inner) for test in tests])
        return ref(Box(BoxObject(rest=value)))

    on_SetComp = on_ListComp
    on_GeneratorExp = on_ListComp

    def on_DictComp(self, node: ast.DictComp, scope: Scope) -> Value:
        """A dict comprehension."""
        inner = self.comprehension_scope(node.generators, scope)
        self.evaluate(node.key, inner)
        return ref(Box(BoxObject(rest=self.evaluate(node.value, inner))))

    def comprehension_scope(self, generators: list[ast.comprehension], scope: Scope) -> Scope:
        """Names bound by `for ... in` inside a comprehension."""
        inner = Scope(scope.module, {}, scope)
        for generator in generators:
            self.bind(generator.target, self.contents(self.evaluate(generator.iter, inner)), inner)
            for condition in generator.ifs:
                self.evaluate(condition, inner)
        return inner

    @abstractmethod
    def bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Bind a target; the statement trace knows every kind."""

    def contents(self, value: Value) -> Value:
        """What iterating over a value yields."""
        parts = [Value(buffers=value.buffers, scalar=value.scalar)]
        for item in value.refs:
            if isinstance(item, Box):
                parts += [*item.object.items.values(), item.object.rest or NOTHING]
                if self.generators.get(item.object, self.calls) != self.calls:
                    parts.append(self.unknown())  # it goes on working when it is asked
            elif isinstance(item, Lost):
                parts.append(ref(item))
            elif isinstance(item, Instance):
                parts += self._iterated(item)
        return join(parts)

    def _iterated(self, item: Instance) -> list[Value]:
        """What a loop over an object of the candidate yields, by the methods of its class."""
        made = self.special(item, "__iter__")
        if made is not None and ref(item) != made:
            return [self.contents(made)]
        found = self.special(item, "__next__") or self.special(item, "__getitem__", NOTHING)
        return [found] if found is not None else []

    def on_JoinedStr(self, node: ast.JoinedStr, scope: Scope) -> Value:
        """An f-string: constant where all its parts are, else an outline of them."""
        parts: list[Value] = []
        for item in node.values:
            inner = item.value if isinstance(item, ast.FormattedValue) else item
            value = self.evaluate(inner, scope)
            constant = value.constant()
            plain = constant is not None and not isinstance(constant.value, str)
            parts.append(ref(Constant(str(constant.value))) if constant and plain else value)
        return join([joined(parts), self.told(parts)])

    def told(self, values: list[Value]) -> Value:
        """A plain value that tells whatever some values tell: their data, taken as numbers."""
        buffers = frozenset(b for value in values for b in all_buffers(value))
        return Value(buffers=buffers, scalar=True) if buffers else NOTHING

    def on_NamedExpr(self, node: ast.NamedExpr, scope: Scope) -> Value:
        """`(name := value)`."""
        value = self.evaluate(node.value, scope)
        self.bind(node.target, value, scope)
        return value

    def on_Call(self, node: ast.Call, scope: Scope) -> Value:
        """A call."""
        function = self.evaluate(node.func, scope)
        return self.call(function, self.arguments(node, scope), node, scope)

    def arguments(self, node: ast.Call, scope: Scope) -> Arguments:
        """Evaluate the arguments of a call; starred ones stand for whatever they hold."""
        positional: list[Value] = []
        for item in node.args:
            if isinstance(item, ast.Starred):
                positional += self.spread(self.evaluate(item.value, scope))
            else:
                positional.append(self.evaluate(item, scope))
        keywords = {k.arg or "**": self.evaluate(k.value, scope) for k in node.keywords}
        return Arguments(tuple(positional), keywords)

    def spread(self, value: Value) -> list[Value]:
        """The items of `*value`: in order where the container is known."""
        if len(value.refs) == 1 and not value.buffers:
            item = next(iter(value.refs))
            if isinstance(item, Box) and item.object.rest is None:
                return list(item.object.items.values())
        return [self.contents(value)]

    def on_Attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        """`a.b`."""
        base = self.evaluate(node.value, scope)
        if node.attr in FRAME_ATTRIBUTES:
            self.see(FRAME_REACH, f".{node.attr}", self.place(node, scope))
        return self.attribute(base, node.attr)
