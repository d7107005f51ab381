"""Expressions of the abstract run: from an AST node to the value it may have.

The rule: names are followed to what they are bound to; what a word looks like decides nothing.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import cast

from assay.guard.reach import FRAME_ATTRIBUTES, FRAME_REACH
from assay.guard.tags import Origin, Tag, Weight
from assay.guard.trace import Phase
from assay.guard.trace_attributes import AttributeTrace
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
    Kernel,
    Layer,
    Library,
    Method,
    Ref,
    Scope,
    Value,
    join,
    ref,
)

_FOLDABLE: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv, ast.Div: operator.truediv, ast.Pow: operator.pow,
}  # fmt: skip
_SYMBOLS = {
    "Add": "+", "Sub": "-", "Mult": "*", "MatMult": "@", "Div": "/", "Pow": "**", "Mod": "%",
    "FloorDiv": "//", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>",
}  # fmt: skip
_MAX_TEXT = 200_000


class ExpressionTrace(AttributeTrace):
    """Evaluates expressions."""

    def call(self, function: Value, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """Call a value; the call trace knows how."""
        raise NotImplementedError

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
        return found if found is not None else ref(Library("builtins." + node.id))

    def on_Lambda(self, node: ast.Lambda, scope: Scope) -> Value:
        """A function without a name."""
        return ref(Function(node, scope))

    def on_Tuple(self, node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Value:
        """A container with items in order."""
        box = BoxObject()
        for position, item in enumerate(node.elts):
            if isinstance(item, ast.Starred):
                box.rest = join([box.rest or NOTHING, self.contents(self.evaluate(item.value, scope))])
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

    def on_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> Value:
        """A comprehension: one pass over its body stands for all."""
        inner = self.comprehension_scope(node.generators, scope)
        return ref(Box(BoxObject(rest=self.evaluate(node.elt, inner))))

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

    def bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Bind a target; the statement trace knows every kind."""
        raise NotImplementedError

    def contents(self, value: Value) -> Value:
        """What iterating over a value yields."""
        parts = [Value(buffers=value.buffers, scalar=value.scalar)]
        for item in value.refs:
            if isinstance(item, Box):
                parts += [*item.object.items.values(), item.object.rest or NOTHING]
        return join(parts)

    def on_IfExp(self, node: ast.IfExp, scope: Scope) -> Value:
        """`a if c else b`: one side where the condition is constant, else both."""
        truth = self.truth(self.evaluate(node.test, scope))
        if truth is not None:
            return self.evaluate(node.body if truth else node.orelse, scope)
        return join([self.evaluate(node.body, scope), self.evaluate(node.orelse, scope)])

    def on_BoolOp(self, node: ast.BoolOp, scope: Scope) -> Value:
        """`and` / `or`: constants decide, as in Python."""
        is_and = isinstance(node.op, ast.And)
        parts: list[Value] = []
        for item in node.values:
            value = self.evaluate(item, scope)
            truth = self.truth(value)
            if truth is not None and truth is not is_and:
                return value if not parts else join([*parts, value])
            if truth is None or item is node.values[-1]:
                parts.append(value)
        return join(parts) if parts else NOTHING

    def on_UnaryOp(self, node: ast.UnaryOp, scope: Scope) -> Value:
        """`not`, `-`: free on numbers, a computation on tensors."""
        value = self.evaluate(node.operand, scope)
        if isinstance(node.op, ast.Not):
            truth = self.truth(value)
            return ref(Constant(not truth)) if truth is not None else self.scalar_of([value])
        constant = value.constant()
        if constant is not None and isinstance(constant.value, int | float):
            negative = isinstance(node.op, ast.USub)
            return ref(Constant(-constant.value)) if negative else value
        if value.is_data:
            return self.compute("unary operator", Weight.LIGHT, [value], self.place(node, scope))
        return value

    def on_BinOp(self, node: ast.BinOp, scope: Scope) -> Value:
        """Arithmetic: folded on constants, free on numbers, a computation on tensors."""
        left, right = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        return self.arithmetic(node, node.op, [left, right], scope)

    def arithmetic(
        self, node: ast.AST, kind: ast.operator, sides: list[Value], scope: Scope
    ) -> Value:
        """The value of `left op right`."""
        left, right = sides
        folded = self._fold(kind, left, right)
        if folded is not None:
            return folded
        if not (left.is_data or right.is_data):
            boxes = frozenset(r for v in sides for r in v.refs if isinstance(r, Box | Library))
            return join([self.scalar_of(sides), Value(boxes)])
        symbol = _SYMBOLS.get(type(kind).__name__, "?")
        heavy = isinstance(kind, ast.MatMult)
        weight = Weight.HEAVY if heavy else Weight.LIGHT
        if self._vanishes(node, kind, left, right):
            sides = []
        return self.compute(f"operator {symbol}", weight, sides, self.place(node, scope))

    def _fold(self, kind: ast.operator, left: Value, right: Value) -> Value | None:
        a, b, fold = left.constant(), right.constant(), _FOLDABLE.get(type(kind))
        if a is None or b is None or fold is None:
            return None
        texts = isinstance(a.value, str | bytes) or isinstance(b.value, str | bytes)
        if texts and not isinstance(kind, ast.Add):
            return NOTHING  # `"x" * 10**9` and `"%999999999d" % 1` must not be worked out here
        if not _small(a.value) or not _small(b.value) or isinstance(kind, ast.Pow):
            return NOTHING
        try:
            return ref(Constant(fold(a.value, b.value)))
        except (TypeError, ValueError, ArithmeticError):
            return NOTHING

    def _vanishes(self, node: ast.AST, kind: ast.operator, left: Value, right: Value) -> bool:
        """True for `y * 0` and `y - y`: the result holds nothing of its operands."""
        if isinstance(kind, ast.Mult):
            return any(c is not None and c.value == 0 for c in (left.constant(), right.constant()))
        if isinstance(kind, ast.Sub) and isinstance(node, ast.BinOp):
            return ast.dump(node.left) == ast.dump(node.right)
        return False

    def on_Compare(self, node: ast.Compare, scope: Scope) -> Value:
        """A comparison: decided for constants and `is None`."""
        values = [self.evaluate(item, scope) for item in (node.left, *node.comparators)]
        if len(values) == 2:
            decided = _decide(node.ops[0], values[0], values[1])
            if decided is not None:
                return ref(Constant(decided))
        is_membership = isinstance(node.ops[0], ast.In | ast.NotIn | ast.Is | ast.IsNot)
        if not is_membership and any(value.is_data for value in values):
            return self.compute("comparison", Weight.LIGHT, values, self.place(node, scope))
        return self.scalar_of(values)

    def on_JoinedStr(self, node: ast.JoinedStr, scope: Scope) -> Value:
        """An f-string: constant where all its parts are."""
        parts: list[str] = []
        for item in node.values:
            inner = item.value if isinstance(item, ast.FormattedValue) else item
            constant = self.evaluate(inner, scope).constant()
            if constant is None:
                return NOTHING
            parts.append(str(constant.value))
        return ref(Constant("".join(parts)[:_MAX_TEXT]))

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

    def on_Subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        """`a[b]`: a launch grid, a container's item, or a view of data."""
        base, key = self.evaluate(node.value, scope), self.evaluate(node.slice, scope)
        constant = key.constant()
        parts = [self._item(item, constant, scope) for item in base.refs]
        if base.buffers and key.is_data and base.is_data:
            where = self.place(node, scope)
            parts.append(self.compute("indexing by a tensor", Weight.LIGHT, [base, key], where))
        elif base.buffers:
            parts.append(Value(buffers=base.buffers, scalar=base.scalar))
        return join(parts) if parts else NOTHING

    def _item(self, base: Ref, key: Constant | None, scope: Scope) -> Value:
        if isinstance(base, Kernel | Layer | Generated):
            return ref(base)
        if isinstance(base, Box):
            box = base.object
            if key is not None and _hashable(key.value) and key.value in box.items:
                return join([box.items[key.value], *([box.rest] if box.rest else [])])
            return join([*box.items.values(), box.rest or NOTHING])
        if isinstance(base, Constant) and isinstance(base.value, str):
            return NOTHING
        if isinstance(base, Library) and key is not None and isinstance(key.value, str):
            return self.library_item(base.name, key.value, scope)
        return NOTHING

    def library_item(self, name: str, key: str, scope: Scope) -> Value:
        """`torch.__dict__["mm"]`, `sys.modules["torch"]`, `globals()["f"]`."""
        if name.endswith(".__dict__"):
            return ref(Library(f"{name.removesuffix('.__dict__')}.{key}"))
        if name == "sys.modules":
            return ref(Library(key))
        if name in ("builtins.globals()", "builtins.locals()", "builtins.vars()"):
            return scope.find(key) or NOTHING
        return NOTHING

    def on_Attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        """`a.b`."""
        base = self.evaluate(node.value, scope)
        if node.attr in FRAME_ATTRIBUTES:
            self.see(FRAME_REACH, f".{node.attr}", self.place(node, scope))
        return self.attribute(base, node.attr)

    def truth(self, value: Value) -> bool | None:
        """The truth of a value where it is certain."""
        constant = value.constant()
        if constant is not None:
            return bool(constant.value)
        solid = (Function, ClassRef, Instance, Kernel, Extension, Layer, Generated)
        if value.refs and not value.buffers and all(isinstance(r, solid) for r in value.refs):
            return True
        return None

    def scalar_of(self, values: list[Value]) -> Value:
        """A Python number made from values: tainted like them, free to compute with."""
        buffers = frozenset(b for value in values for b in value.buffers)
        return Value(buffers=buffers, scalar=True) if buffers else NOTHING

    def compute(self, name: str, weight: Weight, operands: list[Value], where: str) -> Value:
        """A library computation: a new tensor that holds its operands and says who made it."""
        tags = self.tensor_tags(operands)
        origins = {tag.origin for tag in tags}
        on_input = Origin.INPUT in origins or (weight is not Weight.LIGHT and Origin.KERNEL in origins)
        made = Tag(Origin.LIBRARY, name, where, weight, self.guard, on_input)
        if self.phase is Phase.FORWARD:
            self.computed.setdefault((name, where), made)
        return self.new_buffer(tags | {made})


def _small(value: object) -> bool:
    if isinstance(value, str | bytes):
        return len(value) < _MAX_TEXT
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**62)


def _hashable(value: object) -> bool:
    return value.__hash__ is not None


def _decide(kind: ast.cmpop, left: Value, right: Value) -> bool | None:
    a, b = left.constant(), right.constant()
    if isinstance(kind, ast.Is | ast.IsNot) and b is not None and b.value is None:
        may_be_none = any(isinstance(r, Constant) and r.value is None for r in left.refs)
        certain = bool(left.buffers or left.refs) if not may_be_none else a is not None
        answer = may_be_none if isinstance(kind, ast.Is) else not may_be_none
        known = a is not None or not any(isinstance(r, Method) for r in left.refs)
        return answer if certain and known else None
    if a is None or b is None:
        return None
    if isinstance(kind, ast.Eq | ast.NotEq):
        return (a.value == b.value) is isinstance(kind, ast.Eq)
    compare = _ORDER.get(type(kind))
    numbers = isinstance(a.value, int | float) and isinstance(b.value, int | float)
    return bool(compare(a.value, b.value)) if compare and numbers else None


_ORDER: dict[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
