"""Objects and classes of the candidate: how they are made, called and ended.

The rule: what an object is made from stays with it, whether its class has an `__init__` or only
fields. A class definition runs its body, then everything of the candidate that has a say in the
class: its metaclass, its bases, its decorators.
"""

from __future__ import annotations

import ast

from assay.source_analysis.attributes import attribute
from assay.source_analysis.dataflow import told, unknown_call
from assay.source_analysis.interpreter import Interpreter
from assay.source_analysis.kernels import library_base
from assay.source_analysis.protocols import bound, special, specials
from assay.source_analysis.values import (
    ANY_NAME,
    NOTHING,
    Box,
    Call,
    ClassObject,
    ClassRef,
    Constant,
    Instance,
    InstanceObject,
    Library,
    Ref,
    Scope,
    Super,
    Value,
    box,
    join,
    ref,
)


def call_class(run: Interpreter, item: ClassRef, call: Call) -> Value:
    """Call a class: what its metaclass says, else an instance."""
    made = special(run, item, "__call__", *call.positional, keywords=call.keywords)
    return made if made is not None else construct(run, item, call)


def construct(run: Interpreter, item: ClassRef, call: Call) -> Value:
    """An instance of a class of the candidate."""
    kind = item.object
    creator = kind.find("__new__")
    whole = call.given(ref(item), *call.positional, keywords=call.keywords)
    made = run.call(creator, whole) if creator is not None else NOTHING
    own = [instance for instance in made.of(Instance) if instance.object.kind is kind]
    if not own:
        own = [Instance(InstanceObject(kind))]
        made = join([made, ref(own[0])]) if creator is not None else ref(own[0])
    for instance in own:
        if kind.find("__init__") is not None:
            run.call(attribute(run, ref(instance), "__init__"), call)
        else:
            _fill_fields(run, instance, call)
    _follow_finaliser(run, own[0], call)
    return made


def _fill_fields(run: Interpreter, item: Instance, call: Call) -> None:
    """Keep what an object without `__init__` is made from: dataclasses, tuples, structures."""
    names, attrs = _fields(item.object.kind), item.object.attrs
    for position, value in enumerate(call.positional):
        name = names[position] if position < len(names) else ANY_NAME
        held = attrs.get(ANY_NAME)
        attrs[name] = join([held, value]) if name == ANY_NAME and held else value
    attrs.update(call.keywords)
    special(run, item, "__post_init__")


def _fields(kind: ClassObject) -> list[str]:
    """Names of the values an object is made from, where its class has no `__init__`."""
    found: list[str] = []
    for base in reversed(kind.lineage()):
        notes = [s.target for s in base.node.body if isinstance(s, ast.AnnAssign)]
        found += [target.id for target in notes if isinstance(target, ast.Name)]
        for pair in _items(base.attrs.names.get("_fields_", NOTHING)):
            found += [title.text() or ANY_NAME for title in _items(pair)[:1]]
    return list(dict.fromkeys(found))


def _items(value: Value) -> list[Value]:
    return [inner for item in value.of(Box) for inner in item.object.items.values()]


def _follow_finaliser(run: Interpreter, made: Instance, call: Call) -> None:
    """`__del__` of an object made in forward: cleaning up is free, work on tensors is not."""
    if made.object.kind.find("__del__") is None or not run.in_forward:
        return
    before, run.flow.finalising = run.flow.finalising, True
    run.call(attribute(run, ref(made), "__del__"), call.given())
    run.flow.finalising = before


def call_instance(run: Interpreter, item: Instance, call: Call) -> Value:
    """Call an object: its `__call__`, its `forward`, or the layer it derives from."""
    for name in ("__call__", "forward"):
        if item.object.kind.find(name) is not None or name in item.object.attrs:
            return run.call(attribute(run, ref(item), name), call)
    layer = library_base(run, item)
    return run.call(layer, call) if layer.refs else unknown_call(run, call)


def define_class(run: Interpreter, node: ast.ClassDef, scope: Scope) -> None:
    """A class: its body runs, its methods wait."""
    bases = tuple(run.evaluate(base, scope) for base in node.bases)
    keywords = {k.arg or "**": run.evaluate(k.value, scope) for k in node.keywords}
    kind = ClassObject(node.name, node, Scope(scope.module, {}, scope, is_class=True), bases)
    chosen = [item.object for item in keywords.pop("metaclass", NOTHING).of(ClassRef)]
    inherited = [meta for base in kind.base_classes() for meta in base.metaclasses]
    kind.metaclasses = tuple(dict.fromkeys([*chosen, *inherited]))
    scope.names[node.name] = ref(ClassRef(kind))
    run.execute(node.body, kind.attrs)
    value = _by_metaclass(run, ClassRef(kind), keywords)
    _tell_bases(run, kind, keywords)
    for decorator in reversed(node.decorator_list):
        maker = run.evaluate(decorator, scope)
        own = Value(frozenset(r for r in maker.refs if not isinstance(r, Library)))
        if own.refs:
            made = run.call(own, Call(scope.place(node), scope, (value,)))
            value = made if made.refs else value
    scope.names[node.name] = value


def _by_metaclass(run: Interpreter, held: ClassRef, keywords: dict[str, Value]) -> Value:
    """The class as its metaclass makes it."""
    kind, value = held.object, ref(held)
    given = (ref(Constant(kind.name)), box(dict(enumerate(kind.bases))), box(kind.attrs.names))
    for meta in kind.metaclasses:
        creator = meta.find("__new__")
        if creator is not None:
            run.flow.making.append(held)
            made = run.call(creator, kind.call(ref(ClassRef(meta)), *given, keywords=keywords))
            run.flow.making.pop()
            value = made if made.refs else value
    special(run, held, "__init__", *given, keywords=keywords)
    return value


def _tell_bases(run: Interpreter, kind: ClassObject, keywords: dict[str, Value]) -> None:
    """`__init_subclass__` of the bases, `__set_name__` of what the body holds."""
    held = ref(ClassRef(kind))
    for base in kind.lineage()[1:]:
        hook = base.attrs.names.get("__init_subclass__")
        if hook is not None:
            run.call(bound(hook, held), kind.call(keywords=keywords))
            break
    for name, value in list(kind.attrs.names.items()):
        specials(run, value, "__set_name__", held, ref(Constant(name)))


def call_super(run: Interpreter, call: Call) -> Value:
    """`super()`: the object or class, seen as the bases behind the class of this method."""
    if call.positional:
        homes = [item.object.attrs for item in call.get(0).of(ClassRef)]
        owners, home = call.get(1), homes[0] if homes else None
    else:
        owners, home = _running_method(run)
    found: list[Ref] = []
    for owner in owners.refs:
        if isinstance(owner, Instance | ClassRef):
            kind = owner.object.kind if isinstance(owner, Instance) else owner.object
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


def call_plain_new(run: Interpreter, name: str, call: Call) -> Value:
    """`super().__new__(cls)`: an object of the class, or the class a metaclass is making."""
    classes = call.get(0).of(ClassRef)
    if name == "super().__call__":
        rest = call.after(1)
        return join([construct(run, item, rest) for item in classes] or [NOTHING])
    if run.flow.making and len(call.positional) >= 4:
        made = run.flow.making[-1]
        for item in call.positional[-1].of(Box):
            made.object.attrs.names.update(item.object.items)
        return ref(made)
    objects: list[Ref] = [Instance(InstanceObject(item.object)) for item in classes]
    return join([Value(frozenset(objects)), told(call.all)])
