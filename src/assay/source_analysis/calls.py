"""Calls: what calling each kind of thing does, and how a function of the candidate is entered.

The rule: a function of the candidate is entered with the values it is given; one that is entered
again from inside itself is not followed a second time.
"""

from __future__ import annotations

import ast

from assay.guard.library_names import is_generator
from assay.guard.python_kernels import makes_kernel
from assay.guard.reach import CACHE_REACH
from assay.guard.tags import Weight
from assay.source_analysis.builtin_calls import DISPATCH, PROPERTIES
from assay.source_analysis.dataflow import (
    compute,
    holds_kernel,
    mark_kernel,
    tags_of,
    unknown_call,
)
from assay.source_analysis.interpreter import (
    MAX_DEPTH,
    CallTable,
    Frame,
    Interpreter,
    StatementTable,
)
from assay.source_analysis.kernels import launch
from assay.source_analysis.library_calls import call_library
from assay.source_analysis.methods import call_method
from assay.source_analysis.objects import call_class, call_instance, define_class
from assay.source_analysis.values import (
    NOTHING,
    Box,
    BoxObject,
    Call,
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
    box,
    is_argument,
    join,
    ref,
    stored,
)

_CACHES = ("functools.lru_cache", "functools.cache", "joblib.Memory", "cachetools.")


def _call_layer(run: Interpreter, item: Layer, call: Call) -> Value:
    operands = [*call.all, stored(item.weights)]
    return compute(run, item.name, Weight.HEAVY, operands, call.where)


def _call_generated(run: Interpreter, item: Generated, call: Call) -> Value:
    return compute(run, item.name, Weight.GENERATED, call.all, call.where)


def _call_partial(run: Interpreter, item: Partial, call: Call) -> Value:
    keywords = {**dict(item.keywords), **call.keywords}
    whole = call.given(*item.arguments, *call.positional, keywords=keywords)
    return run.call(item.function, whole)


def _call_chain(run: Interpreter, item: Box, call: Call) -> Value:
    """nn.Sequential: each part in turn."""
    for part in item.object.items.values():
        call = call.given(run.call(part, call))
    return call.get(0)


def _call_unknown(run: Interpreter, item: Ref, call: Call) -> Value:
    return unknown_call(run, call)


def _call_named(run: Interpreter, item: Library, call: Call) -> Value:
    return call_library(run, item.name, call)


def _call_function(run: Interpreter, function: Function, call: Call) -> Value:
    """Enter a function of the candidate."""
    node, frames = function.node, run.flow.frames
    if node in run.heap.cached and any(is_argument(value) for value in call.all):
        run.see(CACHE_REACH, getattr(node, "name", "a function"), function.scope.place(node))
    if len(frames) >= MAX_DEPTH or sum(frame.node is node for frame in frames) > 1:
        return run.heap.unknown(tags_of(call.all))
    frame = Frame(node, Scope(function.scope.module, {}, function.scope))
    _bind_parameters(run, function, call, frame.scope)
    frames.append(frame)
    try:
        if isinstance(node, ast.Lambda):
            return run.evaluate(node.body, frame.scope)
        run.execute(node.body, frame.scope)
    finally:
        frames.pop()
    return _result(run, frame)


def _result(run: Interpreter, frame: Frame) -> Value:
    """What a call returns: a generator, or any of its returns.

    A function whose every return holds a kernel's work has worked whatever it asked.
    """
    if frame.yields:
        yielded = BoxObject(rest=join(frame.yields))
        run.heap.generators[yielded] = run.flow.forward_calls
        return ref(Box(yielded))
    if len(frame.returns) > 1 and all(holds_kernel(value) for value in frame.returns):
        for value in frame.returns:
            mark_kernel(run, all_buffers(value), "every return")
    return join(frame.returns) if frame.returns else NOTHING


def _bind_parameters(run: Interpreter, function: Function, call: Call, inner: Scope) -> None:
    """Bind parameters to arguments, defaults and what stars collect."""
    args, values = function.node.args, list(call.positional)
    if function.bound is not None:
        values.insert(0, function.bound)
    names = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(names) - len(args.defaults)) + list(args.defaults)
    missing = list(zip(names, defaults, strict=True))[len(values) :]
    for parameter, value in zip(names, values, strict=False):
        inner.names[parameter.arg] = value
    for parameter, default in (*missing, *zip(args.kwonlyargs, args.kw_defaults, strict=True)):
        found = call.keywords.get(parameter.arg) or call.keywords.get("**")
        inner.names[parameter.arg] = found or run.evaluate(default, function.scope)
    if args.vararg:
        inner.names[args.vararg.arg] = box(dict(enumerate(values[len(names) :])))
    if args.kwarg:
        inner.names[args.kwarg.arg] = box(dict(call.keywords))


CALLS: CallTable = {
    Library: _call_named, Function: _call_function, Kernel: launch, Method: call_method,
    ClassRef: call_class, Instance: call_instance, Layer: _call_layer, Generated: _call_generated,
    Partial: _call_partial, Box: _call_chain, Extension: _call_unknown, Lost: _call_unknown,
    Super: _call_unknown, Property: _call_unknown,
}  # fmt: skip


def _global(run: Interpreter, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
    scope.outer_names.update(node.names)


def _define_function(
    run: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope
) -> None:
    """A function, with whatever its decorators make of it; its body waits for a call."""
    value = ref(Function(node, scope))
    for decorator in reversed(node.decorator_list):
        maker = run.evaluate(decorator, scope)
        value = _decorate(run, maker, Call(scope.place(node), scope, (value,)))
        if any(item.name.startswith(_CACHES) for item in maker.of(Library)):
            run.heap.cached.add(node)
    scope.names[node.name] = value


def _decorate(run: Interpreter, maker: Value, call: Call) -> Value:
    """A decorator's result; an unknown one leaves the function as it is."""
    for item in maker.of(Library):
        if item.name == "atexit.register":
            call_library(run, item.name, call)
    known = [r for r in maker.refs if not isinstance(r, Library) or _transforms(r.name)]
    made = run.call(Value(frozenset(known)), call) if known else NOTHING
    return made if made.refs and not made.of(Library) else call.get(0)


def _transforms(name: str) -> bool:
    """True where a decorator makes something else of a function: a kernel, an operator."""
    own = name.startswith("torch.library.custom_op") or name.endswith(PROPERTIES)
    return own or makes_kernel(name) or is_generator(name) or name == DISPATCH


STATEMENTS: StatementTable = {
    ast.Global: _global, ast.Nonlocal: _global, ast.FunctionDef: _define_function,
    ast.AsyncFunctionDef: _define_function, ast.ClassDef: define_class,
}  # fmt: skip
