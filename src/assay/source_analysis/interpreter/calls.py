"""Calls of the candidate's own functions, classes and objects, and their definitions.

The rule: a function of the candidate is entered with the values it is given; one that is entered
again from inside itself is not followed a second time. What an object is made from stays with it,
whether its class has an `__init__` or only fields. A class definition runs its body, then
everything of the candidate that has a say in the class: its metaclass, its bases, its decorators.
"""

from __future__ import annotations

import ast

from assay.source_analysis.interpreter.abstract_interpreter import (
    MAX_DEPTH,
    CallTable,
    Interpreter,
    StatementTable,
)
from assay.source_analysis.interpreter.attributes import attribute
from assay.source_analysis.interpreter.dataflow import (
    bound,
    compute,
    holds_kernel,
    mark_kernel,
    special,
    specials,
    tags_of,
    told,
    unknown_call,
)
from assay.source_analysis.interpreter.interpreter_state import CallFrame
from assay.source_analysis.interpreter.kernel_calls import launch, library_base
from assay.source_analysis.interpreter.tags import Weight
from assay.source_analysis.interpreter.values import (
    ANY_NAME,
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
    Partial,
    Property,
    Ref,
    Scope,
    Super,
    Unsettled,
    Untracked,
    Value,
    all_buffers,
    box,
    class_of,
    either,
    is_argument,
    join,
    ref,
    stored,
)
from assay.source_analysis.tables.library_names import is_generator
from assay.source_analysis.tables.python_kernels import makes_kernel
from assay.source_analysis.tables.reach import CACHE_REACH

PROPERTY_MAKERS = ("property", "cached_property", "abstractproperty")
DISPATCH = "functools.singledispatch"
_CACHES = ("functools.lru_cache", "functools.cache", "joblib.Memory", "cachetools.")


def _call_partial(run: Interpreter, item: Partial, call: CallSite) -> Value:
    keywords = {**dict(item.keywords), **call.keywords}
    whole = call.given(*item.arguments, *call.positional, keywords=keywords)
    return run.call(item.function, whole)


def _call_chain(run: Interpreter, item: Box, call: CallSite) -> Value:
    """nn.Sequential: each part in turn."""
    for part in item.items.values():
        call = call.given(run.call(part, call))
    return call.get(0)


def _call_function(run: Interpreter, function: FunctionValue, call: CallSite) -> Value:
    """Enter a function of the candidate."""
    node, frames = function.node, run.flow.frames
    if node in run.heap.cached and any(is_argument(value) for value in call.all):
        run.see(CACHE_REACH, getattr(node, "name", "a function"), function.scope.place(node))
    if len(frames) >= MAX_DEPTH or sum(frame.node is node for frame in frames) > 1:
        return run.heap.unknown(tags_of(call.all))
    frame = CallFrame(node, Scope(function.scope.module, {}, function.scope))
    _bind_parameters(run, function, call, frame.scope)
    frames.append(frame)
    try:
        if isinstance(node, ast.Lambda):
            return run.evaluate(node.body, frame.scope)
        run.execute(node.body, frame.scope)
    finally:
        frames.pop()
    return _result(run, frame)


def _result(run: Interpreter, frame: CallFrame) -> Value:
    """What a call returns: a generator, or any of its returns.

    A function whose every return holds a kernel's work has worked whatever it asked.
    """
    if frame.yields:
        yielded = Box(rest=join(frame.yields))
        run.heap.generators[yielded] = run.flow.forward_calls
        return ref(yielded)
    if len(frame.returns) > 1 and all(holds_kernel(value) for value in frame.returns):
        for value in frame.returns:
            mark_kernel(run, all_buffers(value), "every return")
    return either(frame.returns) if frame.returns else NOTHING


def _bind_parameters(
    run: Interpreter, function: FunctionValue, call: CallSite, inner: Scope
) -> None:
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


def _call_class(run: Interpreter, item: Class, call: CallSite) -> Value:
    """Call a class: what its metaclass says, else an instance."""
    made = special(run, item, "__call__", *call.positional, keywords=call.keywords)
    return made if made is not None else construct(run, item, call)


def construct(run: Interpreter, item: Class, call: CallSite) -> Value:
    """An instance of a class of the candidate."""
    kind = item
    creator = kind.find("__new__")
    whole = call.given(ref(item), *call.positional, keywords=call.keywords)
    made = run.call(creator, whole) if creator is not None else NOTHING
    own = [instance for instance in made.of(Instance) if instance.kind is kind]
    if not own:
        own = [Instance(kind)]
        made = join([made, ref(own[0])]) if creator is not None else ref(own[0])
    for instance in own:
        if kind.find("__init__") is not None:
            run.call(attribute(run, ref(instance), "__init__"), call)
        else:
            _fill_fields(run, instance, call)
    _follow_finaliser(run, own[0], call)
    return made


def _fill_fields(run: Interpreter, item: Instance, call: CallSite) -> None:
    """Keep what an object without `__init__` is made from: dataclasses, tuples, structures."""
    names, attrs = _fields(item.kind), item.attrs
    for position, value in enumerate(call.positional):
        name = names[position] if position < len(names) else ANY_NAME
        held = attrs.get(ANY_NAME)
        attrs[name] = join([held, value]) if name == ANY_NAME and held else value
    attrs.update(call.keywords)
    special(run, item, "__post_init__")


def _fields(kind: Class) -> list[str]:
    """Names of the values an object is made from, where its class has no `__init__`."""
    found: list[str] = []
    for base in reversed(kind.lineage()):
        notes = [s.target for s in base.node.body if isinstance(s, ast.AnnAssign)]
        found += [target.id for target in notes if isinstance(target, ast.Name)]
        for pair in _items(base.attrs.names.get("_fields_", NOTHING)):
            found += [title.text() or ANY_NAME for title in _items(pair)[:1]]
    return list(dict.fromkeys(found))


def _items(value: Value) -> list[Value]:
    return [inner for item in value.of(Box) for inner in item.items.values()]


def _follow_finaliser(run: Interpreter, made: Instance, call: CallSite) -> None:
    """`__del__` of an object made in forward: cleaning up is free, work on tensors is not."""
    if made.kind.find("__del__") is None or not run.in_forward:
        return
    before, run.flow.finalising = run.flow.finalising, True
    run.call(attribute(run, ref(made), "__del__"), call.given())
    run.flow.finalising = before


def _call_instance(run: Interpreter, item: Instance, call: CallSite) -> Value:
    """Call an object: its `__call__`, its `forward`, or the layer it derives from."""
    for name in ("__call__", "forward"):
        if item.kind.find(name) is not None or name in item.attrs:
            return run.call(attribute(run, ref(item), name), call)
    layer = library_base(run, item)
    return run.call(layer, call) if layer.refs else unknown_call(run, call)


def _define_class(run: Interpreter, node: ast.ClassDef, scope: Scope) -> None:
    """A class: its body runs, its methods wait."""
    bases = tuple(run.evaluate(base, scope) for base in node.bases)
    keywords = {k.arg or "**": run.evaluate(k.value, scope) for k in node.keywords}
    kind = Class(node.name, node, Scope(scope.module, {}, scope, is_class=True), bases)
    chosen = keywords.pop("metaclass", NOTHING).of(Class)
    inherited = [meta for base in kind.base_classes() for meta in base.metaclasses]
    kind.metaclasses = tuple(dict.fromkeys([*chosen, *inherited]))
    scope.names[node.name] = ref(kind)
    run.execute(node.body, kind.attrs)
    value = _by_metaclass(run, kind, keywords)
    _tell_bases(run, kind, keywords)
    for decorator in reversed(node.decorator_list):
        maker = run.evaluate(decorator, scope)
        own = Value(frozenset(r for r in maker.refs if not isinstance(r, Library)))
        if own.refs:
            made = run.call(own, CallSite(scope.place(node), scope, (value,)))
            value = made if made.refs else value
    scope.names[node.name] = value


def _by_metaclass(run: Interpreter, held: Class, keywords: dict[str, Value]) -> Value:
    """The class as its metaclass makes it."""
    kind, value = held, ref(held)
    given = (ref(Constant(kind.name)), box(dict(enumerate(kind.bases))), box(kind.attrs.names))
    for meta in kind.metaclasses:
        creator = meta.find("__new__")
        if creator is not None:
            run.flow.making.append(held)
            made = run.call(creator, kind.call(ref(meta), *given, keywords=keywords))
            run.flow.making.pop()
            value = made if made.refs else value
    special(run, held, "__init__", *given, keywords=keywords)
    return value


def _tell_bases(run: Interpreter, kind: Class, keywords: dict[str, Value]) -> None:
    """`__init_subclass__` of the bases, `__set_name__` of what the body holds."""
    held = ref(kind)
    for base in kind.lineage()[1:]:
        hook = base.attrs.names.get("__init_subclass__")
        if hook is not None:
            run.call(bound(hook, held), kind.call(keywords=keywords))
            break
    for name, value in list(kind.attrs.names.items()):
        specials(run, value, "__set_name__", held, ref(Constant(name)))


def call_super(run: Interpreter, call: CallSite) -> Value:
    """`super()`: the object or class, seen as the bases behind the class of this method."""
    if call.positional:
        homes = [item.attrs for item in call.get(0).of(Class)]
        owners, home = call.get(1), homes[0] if homes else None
    else:
        owners, home = _running_method(run)
    found: list[Ref] = []
    for owner in owners.refs:
        if isinstance(owner, Instance | Class):
            kind = class_of(owner)
            kinds = [*kind.lineage(), *(k for meta in kind.metaclasses for k in meta.lineage())]
            after = next((k for k in kinds if k.attrs is home), kind)
            found.append(Super(owner, after))
    return Value(frozenset(found)) if found else ref(Library("builtins.super()"))


def _running_method(run: Interpreter) -> tuple[Value, Scope | None]:
    """The first parameter of the method that is running, and its class."""
    for frame in reversed(run.flow.frames):
        arguments, home = getattr(frame.node, "args", None), frame.scope.parent
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)] if arguments else []
        if names and home is not None and home.is_class:
            return frame.scope.names.get(names[0], NOTHING), home
    return NOTHING, None


def call_plain_new(run: Interpreter, name: str, call: CallSite) -> Value:
    """`super().__new__(cls)`: an object of the class, or the class a metaclass is making."""
    classes = call.get(0).of(Class)
    if name == "super().__call__":
        rest = call.after(1)
        return join([construct(run, item, rest) for item in classes] or [NOTHING])
    if run.flow.making and len(call.positional) >= 4:
        made = run.flow.making[-1]
        for item in call.positional[-1].of(Box):
            made.attrs.names.update(item.items)
        return ref(made)
    objects: list[Ref] = [Instance(item) for item in classes]
    return join([Value(frozenset(objects)), told(call.all)])


def _define_function(
    run: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope
) -> None:
    """A function, with whatever its decorators make of it; its body waits for a call."""
    value = ref(FunctionValue(node, scope))
    for decorator in reversed(node.decorator_list):
        maker = run.evaluate(decorator, scope)
        value = _decorate(run, maker, CallSite(scope.place(node), scope, (value,)))
        if any(item.name.startswith(_CACHES) for item in maker.of(Library)):
            run.heap.cached.add(node)
    scope.names[node.name] = value


def _decorate(run: Interpreter, maker: Value, call: CallSite) -> Value:
    """A decorator's result; an unknown one leaves the function as it is."""
    for item in maker.of(Library):
        if item.name == "atexit.register":
            run.call_one(item, call)
    known = [r for r in maker.refs if not isinstance(r, Library) or _transforms(r.name)]
    made = run.call(Value(frozenset(known)), call) if known else NOTHING
    return made if made.refs and not made.of(Library) else call.get(0)


def _transforms(name: str) -> bool:
    """True where a decorator makes something else of a function: a kernel, an operator."""
    own = name.startswith("torch.library.custom_op") or name.endswith(PROPERTY_MAKERS)
    return own or makes_kernel(name) or is_generator(name) or name == DISPATCH


STATEMENTS: StatementTable = {
    ast.Global: lambda run, node, scope: scope.outer_names.update(node.names),
    ast.Nonlocal: lambda run, node, scope: scope.outer_names.update(node.names),
    ast.FunctionDef: _define_function,
    ast.AsyncFunctionDef: _define_function,
    ast.ClassDef: _define_class,
}

CALLS: CallTable = {
    FunctionValue: _call_function,
    Kernel: launch,
    Class: _call_class,
    Instance: _call_instance,
    Layer: lambda run, item, call: compute(
        run, item.name, Weight.HEAVY, [*call.all, stored(item.weights)], call.where
    ),
    Generated: lambda run, item, call: compute(
        run, item.name, Weight.GENERATED, call.all, call.where
    ),
    Partial: _call_partial,
    Box: _call_chain,
    **dict.fromkeys(
        (Extension, Untracked, Unsettled, Super, Property),
        lambda run, _, call: unknown_call(run, call),
    ),
}
