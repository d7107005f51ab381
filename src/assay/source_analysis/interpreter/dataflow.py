"""Data flow: how data moves between values, objects, storage, and code that is not followed.

The rule: an operator, a subscript, a loop or a `with` on an object of the candidate is a call of
the special method that its class defines for that. Data shares its storage with its views; numbers
taken from data stay tainted but are free to compute with; a computation on tensors makes new
storage that says who made it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from assay.source_analysis.interpreter.abstract_interpreter import Interpreter
from assay.source_analysis.interpreter.tags import Origin, Tag, Weight
from assay.source_analysis.interpreter.values import (
    NOTHING,
    Box,
    Buffer,
    CallSite,
    Class,
    Extension,
    FunctionValue,
    Generated,
    Instance,
    Kernel,
    Layer,
    Partial,
    Property,
    Ref,
    Untracked,
    Value,
    all_buffers,
    either,
    join,
    ref,
)
from assay.source_analysis.tables.operation_names import FILL_VALUE, finishes_reduction

_OWN = (Kernel, Extension, FunctionValue, Instance, Partial, Untracked)
_CALLABLE = (FunctionValue, Partial, Kernel, Layer, Generated)
_OPERATORS: dict[type[ast.operator] | type[ast.unaryop], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv",
    ast.Pow: "pow", ast.Mod: "mod", ast.FloorDiv: "floordiv", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift", ast.USub: "neg",
    ast.UAdd: "pos", ast.Invert: "invert",
}  # fmt: skip


def special(
    run: Interpreter, item: Ref, name: str, *given: Value, keywords: dict[str, Value] | None = None
) -> Value | None:
    """The result of a special method; None where no class of the candidate defines it."""
    if not isinstance(item, Instance | Class):
        return None
    for kind in (item.kind,) if isinstance(item, Instance) else item.metaclasses:
        found = kind.find(name)
        if found is not None:
            return run.call(bound(found, ref(item)), kind.call(*given, keywords=keywords))
    return None


def specials(run: Interpreter, value: Value, name: str, *given: Value) -> list[Value]:
    """The same for everything a value may be."""
    made = [special(run, item, name, *given) for item in value.refs]
    return [result for result in made if result is not None]


def special_operator(
    run: Interpreter, kind: ast.operator | ast.unaryop, operands: list[Value]
) -> Value | None:
    """An operator on objects of the candidate; None where neither side defines it."""
    title = _OPERATORS.get(type(kind))
    if title is None:
        return None
    made = specials(run, operands[0], f"__{title}__", *operands[1:])
    if len(operands) == 2:
        made += specials(run, operands[1], f"__r{title}__", operands[0])
    return join(made) if made else None


def bound(found: Value, owner: Value) -> Value:
    """An attribute of a class as its objects have it: functions become methods."""
    refs: list[Ref] = []
    for item in found.refs:
        if isinstance(item, FunctionValue) and item.bound is None and not _is_static(item):
            item = replace(item, bound=owner)
        refs.append(item)
    return Value(frozenset(refs), found.buffers, found.scalar)


def decorated(function: FunctionValue, name: str) -> bool:
    """True where a function stands under a decorator of this name."""
    decorators = getattr(function.node, "decorator_list", [])
    return any(isinstance(d, ast.Name) and d.id == name for d in decorators)


def _is_static(function: FunctionValue) -> bool:
    if isinstance(function.node, ast.Lambda):
        return [a.arg for a in function.node.args.args[:1]] != ["self"]
    return function.node.name == "__new__" or decorated(function, "staticmethod")


def read_by(run: Interpreter, found: Value, owner: Instance) -> Value:
    """An attribute of a class read through an object: properties and descriptors run."""
    plain: set[Ref] = set()
    parts: list[Value] = []
    for item in found.refs:
        if isinstance(item, Property):
            made: Value | None = run.call(item.getter, owner.kind.call(ref(owner)))
        else:
            made = special(run, item, "__get__", ref(owner), ref(owner.kind))
        if made is not None:
            parts.append(made)
        else:
            plain.add(item)
    if plain or found.buffers or not parts:
        rest = Value(frozenset(plain), found.buffers, found.scalar)
        parts.append(bound(rest, ref(owner)))
    return join(parts)


def contents(run: Interpreter, value: Value) -> Value:
    """What iterating over a value yields."""
    parts = [value.data]
    for item in value.refs:
        if isinstance(item, Box):
            parts += [*item.items.values(), item.rest or NOTHING]
            now = run.flow.forward_calls
            if run.heap.generators.get(item, now) != now:
                parts.append(run.heap.unknown())  # it goes on working when it is asked
        elif isinstance(item, Untracked):
            parts.append(ref(item))
        elif isinstance(item, Instance):
            parts += _iterated(run, item)
    return join(parts)


def _iterated(run: Interpreter, item: Instance) -> list[Value]:
    """What a loop over an object of the candidate yields, by the methods of its class."""
    made = special(run, item, "__iter__")
    if made is not None and ref(item) != made:
        return [contents(run, made)]
    found = special(run, item, "__next__") or special(run, item, "__getitem__", NOTHING)
    return [found] if found is not None else []


def spread(run: Interpreter, value: Value) -> list[Value]:
    """The items of `*value`: in order where the container is known."""
    if len(value.refs) == 1 and not value.buffers:
        item = next(iter(value.refs))
        if isinstance(item, Box) and item.rest is None:
            return list(item.items.values())
    return [contents(run, value)]


def entered(run: Interpreter, value: Value) -> Value:
    """What `with value as name` binds."""
    parts = [value.data]
    for item in value.refs:
        made = special(run, item, "__enter__") or special(run, item, "__aenter__")
        if isinstance(item, Box):
            made = contents(run, ref(item))
        parts.append(made if made is not None else ref(item))
    return join(parts)


def tags_of(values: Iterable[Value]) -> set[Tag]:
    """Union of the tags of some values."""
    return set[Tag]().union(*(value.tags for value in values))


def told(values: Iterable[Value]) -> Value:
    """A plain value that tells whatever some values tell: their data, taken as numbers."""
    buffers = frozenset(b for value in values for b in all_buffers(value))
    return Value(buffers=buffers, scalar=True) if buffers else NOTHING


def scalar_of(values: Iterable[Value]) -> Value:
    """A Python number made from values: tainted like them, free to compute with."""
    buffers = frozenset(b for value in values for b in value.buffers)
    return Value(buffers=buffers, scalar=True) if buffers else NOTHING


def same_data(values: list[Value]) -> Value:
    """A value that shares the storage of others."""
    buffers = frozenset(b for value in values for b in all_buffers(value))
    return Value(buffers=buffers, scalar=bool(values) and all(v.scalar for v in values))


def surroundings(name: str) -> Value:
    """A plain value that tells something of the world around the candidate."""
    buffer = Buffer({Tag(Origin.SURROUNDINGS, name)}, fresh=False)
    return Value(buffers=frozenset((buffer,)), scalar=True)


def holds_kernel(value: Value) -> bool:
    """True where a value may hold what a kernel made."""
    return any(tag.origin is Origin.KERNEL for tag in value.tags)


def mark_kernel(run: Interpreter, buffers: Iterable[Buffer], reason: str) -> None:
    """Storage that a kernel has written whatever a condition said."""
    for buffer in buffers:
        buffer.tags.add(Tag(Origin.KERNEL, reason, guard=run.guard))


def write(target: Value, source: Value) -> Value:
    """Write data in place: every name of the storage sees it."""
    tags = source.tags
    for buffer in target.buffers:
        buffer.tags |= tags
    return target


def mark_fresh(values: Iterable[Value], tags: set[Tag]) -> None:
    """What code that is not followed may have written: the storage the candidate allocated."""
    for value in values:
        for buffer in all_buffers(value):
            if buffer.fresh:
                buffer.tags |= tags


def hand_away(run: Interpreter, values: Iterable[Value]) -> None:
    """Storage given to what is not followed (another thread): who writes it is not known."""
    if run.in_forward:
        mark_fresh(values, {Tag(Origin.UNKNOWN)})


def compute(
    run: Interpreter, name: str, weight: Weight, operands: list[Value], where: str
) -> Value:
    """A library computation: a new tensor that holds its operands and says who made it."""
    tags = tags_of(operands)
    given = [tag for tag in tags if tag.origin is Origin.INPUT]
    is_work = weight is not Weight.LIGHT and not finishes_reduction(name)
    counts = weight is not Weight.LIGHT or not all(tag.small for tag in given)
    after_kernel = any(tag.origin is Origin.KERNEL for tag in tags)
    on_input = (bool(given) and counts) or (is_work and after_kernel)
    made = Tag(Origin.LIBRARY, name, where, weight, run.guard, on_input)
    if run.in_forward:
        run.seen.computed.setdefault((name, where), made)
    return run.heap.new(tags | {made})


def keep(run: Interpreter, holder: dict[str, Value], name: str, value: Value) -> None:
    """Store into something that outlives the call; under a condition the old value stays."""
    old = holder.get(name)
    merged = either([old, value]) if run.flow.guards and old is not None else value
    run.heap.journal.set_item(holder, name, merged)
    if run.in_forward:
        run.heap.kept.append((holder, name))


def filled_with(name: str, call: CallSite) -> Value:
    """What new storage is filled with: `torch.full(size, value)`, `x.new_tensor(values)`."""
    place = FILL_VALUE.get(name)
    return call.get(*place) if place is not None else NOTHING


def own_parts(values: Iterable[Value], depth: int = 0) -> frozenset[Ref]:
    """Code and objects of the candidate among values and in what they contain."""
    found: set[Ref] = set()
    for value in values:
        found |= {item for item in value.refs if isinstance(item, _OWN)}
        boxes = value.of(Box)
        inner = [v for held in boxes for v in (*held.items.values(), held.rest or NOTHING)]
        if inner and depth < 3:
            found |= own_parts(inner, depth + 1)
    return frozenset(found)


def call_back(run: Interpreter, call: CallSite) -> None:
    """Enter the functions among the arguments, with arguments nothing is known about."""
    packed = [v for name, v in call.keywords.items() if name in ("args", "kwargs")]
    for value in call.all:
        if any(isinstance(item, _CALLABLE) for item in value.refs):
            parts = [part for item in packed for part in spread(run, item)]
            rest = parts or [v for v in call.positional if v is not value]
            run.call(value, call.given(*rest))


def unknown_call(run: Interpreter, call: CallSite) -> Value:
    """A call that cannot be resolved: it may have used and written all it was given."""
    call_back(run, call)
    mark_fresh(call.all, {Tag(Origin.UNKNOWN)})
    result = run.heap.unknown(tags_of(call.all))
    if any(value.is_data for value in call.all):
        return result
    return Value(frozenset((Untracked(),)), result.buffers, scalar=True)
