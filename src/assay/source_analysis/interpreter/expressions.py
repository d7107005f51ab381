"""Expressions: names, literals, containers, comprehensions, subscripts, calls.

The rule: names are followed to what they are bound to; what a word looks like decides nothing. An
item under a constant key is that item, under any other every item there is; one pass over a
comprehension stands for all.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from assay.source_analysis.interpreter import operators
from assay.source_analysis.interpreter.abstract_interpreter import ExpressionTable, Interpreter
from assay.source_analysis.interpreter.attributes import attribute, library
from assay.source_analysis.interpreter.dataflow import (
    bound,
    compute,
    contents,
    special,
    spread,
    told,
)
from assay.source_analysis.interpreter.kernel_calls import extension_kernel
from assay.source_analysis.interpreter.modules import own_module
from assay.source_analysis.interpreter.statements import bind
from assay.source_analysis.interpreter.tags import Weight
from assay.source_analysis.interpreter.texts import joined
from assay.source_analysis.interpreter.values import (
    NOTHING,
    Box,
    CallSite,
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
    Ref,
    Scope,
    Untracked,
    Value,
    box,
    either,
    join,
    ref,
)
from assay.source_analysis.tables.reach import FRAME_ATTRIBUTES, FRAME_REACH


def _name(run: Interpreter, node: ast.Name, scope: Scope) -> Value:
    """A name: what it is bound to, else a builtin."""
    found = scope.find(node.id)
    if found is not None:
        return found
    if node.id == "__builtins__":
        return ref(Library("builtins"))
    if hasattr(builtins, node.id) or node.id.startswith("__"):
        return ref(Library("builtins." + node.id))
    stars = [library(f"{module}.{node.id}") for module in run.heap.star_modules]
    return join(stars) if stars else ref(Untracked())


def _sequence(run: Interpreter, node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Value:
    """A container with items in order."""
    made = Box()
    for position, item in enumerate(node.elts):
        if isinstance(item, ast.Starred):
            inner = contents(run, run.evaluate(item.value, scope))
            made.rest = join([made.rest or NOTHING, inner])
        else:
            made.items[position] = run.evaluate(item, scope)
    return ref(made)


def _dict(run: Interpreter, node: ast.Dict, scope: Scope) -> Value:
    """A dict: constant keys stay apart."""
    made = Box()
    for key, item in zip(node.keys, node.values, strict=True):
        value = run.evaluate(item, scope)
        constant = run.evaluate(key, scope).constant() if key is not None else None
        if constant is not None:
            made.items[constant.value] = value
        else:
            made.rest = join([made.rest or NOTHING, value, contents(run, value)])
    return ref(made)


def _comprehension(
    run: Interpreter, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope
) -> Value:
    inner = _comprehension_scope(run, node.generators, scope)
    value = run.evaluate(node.elt, inner)
    if value == NOTHING:  # plain values still tell what they were chosen by
        tests = [test for generator in node.generators for test in generator.ifs]
        value = told([run.evaluate(test, inner) for test in tests])
    return box(rest=value)


def _dict_comprehension(run: Interpreter, node: ast.DictComp, scope: Scope) -> Value:
    inner = _comprehension_scope(run, node.generators, scope)
    run.evaluate(node.key, inner)
    return box(rest=run.evaluate(node.value, inner))


def _comprehension_scope(
    run: Interpreter, generators: list[ast.comprehension], scope: Scope
) -> Scope:
    """Names bound by `for ... in` inside a comprehension."""
    inner = Scope(scope.module, {}, scope)
    for generator in generators:
        bind(run, generator.target, contents(run, run.evaluate(generator.iter, inner)), inner)
        for condition in generator.ifs:
            run.evaluate(condition, inner)
    return inner


def _f_string(run: Interpreter, node: ast.JoinedStr, scope: Scope) -> Value:
    """An f-string: constant where all its parts are, else an outline of them."""
    parts: list[Value] = []
    for item in node.values:
        inner = item.value if isinstance(item, ast.FormattedValue) else item
        value = run.evaluate(inner, scope)
        constant = value.constant()
        plain = constant is not None and not isinstance(constant.value, str)
        parts.append(ref(Constant(str(constant.value))) if constant and plain else value)
    return join([joined(parts), told(parts)])


def _named(run: Interpreter, node: ast.NamedExpr, scope: Scope) -> Value:
    """`(name := value)`."""
    value = run.evaluate(node.value, scope)
    bind(run, node.target, value, scope)
    return value


def _call(run: Interpreter, node: ast.Call, scope: Scope) -> Value:
    """A call; starred arguments stand for whatever they hold."""
    function = run.evaluate(node.func, scope)
    positional: list[Value] = []
    for item in node.args:
        if isinstance(item, ast.Starred):
            positional += spread(run, run.evaluate(item.value, scope))
        else:
            positional.append(run.evaluate(item, scope))
    keywords = {k.arg or "**": run.evaluate(k.value, scope) for k in node.keywords}
    return run.call(function, CallSite(scope.place(node), scope, tuple(positional), keywords))


def _attribute(run: Interpreter, node: ast.Attribute, scope: Scope) -> Value:
    base = run.evaluate(node.value, scope)
    if node.attr in FRAME_ATTRIBUTES:
        run.see(FRAME_REACH, f".{node.attr}", scope.place(node))
    return attribute(run, base, node.attr)


def _yield(run: Interpreter, node: ast.Yield | ast.YieldFrom, scope: Scope) -> Value:
    """`yield a`: one of the things a loop over the call gets; what is sent back is lost."""
    if run.flow.frames:
        value = run.evaluate(node.value, scope)
        value = contents(run, value) if isinstance(node, ast.YieldFrom) else value
        run.flow.frames[-1].yields.append(value)
    return ref(Untracked())


def _subscript(run: Interpreter, node: ast.Subscript, scope: Scope) -> Value:
    """`a[b]`: a launch grid, a container's item, or a view of data."""
    base, key = run.evaluate(node.value, scope), run.evaluate(node.slice, scope)
    parts = [
        _ITEMS[type(item)](run, item, key, scope) if type(item) in _ITEMS else NOTHING
        for item in base.refs
    ]
    if base.is_data and key.is_data:
        where = scope.place(node)
        parts.append(compute(run, "indexing by a tensor", Weight.LIGHT, [base, key], where))
    elif base.buffers:
        parts.append(base.data)
    return join(parts) if parts else NOTHING


def _class_item(run: Interpreter, base: Class, key: Value, scope: Scope) -> Value:
    maker = base.find("__class_getitem__")
    if maker is not None:
        where = scope.place(base.node)
        return run.call(bound(maker, ref(base)), CallSite(where, scope, (key,)))
    return special(run, base, "__getitem__", key) or ref(base)


def _title(key: Value) -> str:
    constant = key.constant()
    return str(constant.value) if constant else "a kernel"


def _box_item(run: Interpreter, base: Box, key: Value, scope: Scope) -> Value:
    constant = key.constant()
    if constant is not None and constant.value in base.items:
        return either([base.items[constant.value], *([base.rest] if base.rest else [])])
    return either([*base.items.values(), *([base.rest] if base.rest else [])] or [NOTHING])


def _library_item(run: Interpreter, base: Library, index: Value, scope: Scope) -> Value:
    """`torch.__dict__["mm"]`, `sys.modules["torch"]`, `globals()["f"]`."""
    name, key = base.name, index.text()
    if key is None:
        return NOTHING
    if name.endswith(".__dict__"):
        return ref(Library(f"{name.removesuffix('.__dict__')}.{key}"))
    if name == "sys.modules":
        return own_module(run, key) or ref(Library(key))
    if name.endswith("__pyx_capi__"):
        return ref(Library(f"native_compute.{key}"))
    if name.startswith("native") and "." not in name:
        return ref(Library(f"{name}.{key}"))
    if name in ("builtins.globals()", "builtins.locals()", "builtins.vars()"):
        return scope.find(key) or NOTHING
    return NOTHING


_ITEMS: dict[type[Ref], Callable[[Interpreter, Any, Value, Scope], Value]] = {
    **dict.fromkeys((Kernel, Layer, Generated, Untracked), lambda run, base, key, scope: ref(base)),
    Extension: lambda run, base, key, scope: ref(extension_kernel(run, base, _title(key))),
    Instance: lambda run, base, key, scope: special(run, base, "__getitem__", key) or NOTHING,
    Method: lambda run, base, key, scope: told([base.receiver] if base.receiver.scalar else []),
    Class: _class_item, Box: _box_item, Library: _library_item,
}  # fmt: skip

EXPRESSIONS: ExpressionTable = {
    **operators.EXPRESSIONS,
    ast.Constant: lambda run, node, scope: ref(Constant(node.value)),
    ast.Lambda: lambda run, node, scope: ref(FunctionValue(node, scope)),
    ast.Name: _name, ast.Tuple: _sequence, ast.List: _sequence, ast.Set: _sequence,
    ast.Dict: _dict, ast.ListComp: _comprehension, ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension, ast.DictComp: _dict_comprehension, ast.JoinedStr: _f_string,
    ast.NamedExpr: _named, ast.Call: _call, ast.Attribute: _attribute, ast.Subscript: _subscript,
    ast.Yield: _yield, ast.YieldFrom: _yield,
}  # fmt: skip
