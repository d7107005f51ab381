"""Calls of builtins, decorators and the standard functions that look names up.

The rule: a name in constant text is the name itself; one that is not constant stands for any. A
decorator that changes only how a function is called leaves it what it is.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.source_analysis.interpreter.abstract_interpreter import Interpreter
from assay.source_analysis.interpreter.attributes import any_attribute, attribute, set_attribute
from assay.source_analysis.interpreter.calls import (
    DISPATCH,
    PROPERTY_MAKERS,
    call_plain_new,
    call_super,
)
from assay.source_analysis.interpreter.dataflow import (
    call_back,
    compute,
    contents,
    same_data,
    scalar_of,
    tags_of,
    told,
)
from assay.source_analysis.interpreter.modules import (
    code_call,
    evaluate_text,
    execute_text,
    import_by_name,
)
from assay.source_analysis.interpreter.tags import Origin, Tag, Weight
from assay.source_analysis.interpreter.texts import outlined, texts
from assay.source_analysis.interpreter.values import (
    ANY_NAME,
    NOTHING,
    CallSite,
    Class,
    FunctionValue,
    Generated,
    Instance,
    Kernel,
    Library,
    Method,
    Partial,
    Property,
    Ref,
    Untracked,
    Value,
    box,
    join,
    ref,
)
from assay.source_analysis.tables.reach import SUBCLASS_MAKERS

_CUSTOM_OPERATOR = "torch.library.custom_op"
_DECORATORS = frozenset(
    """functools.wraps functools.lru_cache functools.cache functools.singledispatch torch.no_grad
    torch.inference_mode torch.enable_grad builtins.staticmethod builtins.classmethod
    builtins.property contextlib.contextmanager torch._dynamo.disable torch.compiler.disable
    torch.jit.ignore torch.jit.unused torch.library.impl torch.library.register_fake
    torch.amp.custom_fwd torch.cuda.amp.custom_fwd torch.amp.custom_bwd functools.cached_property
    torch.cuda.amp.custom_bwd dataclasses.dataclass torch.jit.export
    torch.library.custom_op""".split()
)
_Rule = Callable[[Interpreter, CallSite], Value | None]
_LIBRARY_OPERATORS = ("aten", "prims", "mkldnn", "quantized")
_PLAIN_NEW = ("super().__new__", "object.__new__", "type.__new__", "super().__call__")
_SETTERS = ("object.__setattr__", "type.__setattr__", "setattr()")
_DECORATED = (FunctionValue, Partial, Class, Kernel, Generated)


def call_builtin(run: Interpreter, name: str, call: CallSite) -> Value | None:
    """The value of such a call; None where the name is an ordinary library function."""
    root, _, base = name.partition(".")
    if name.split("()", 1)[0] in _DECORATORS:
        return _decorator(run, name, call)
    if root == "builtins":
        return _builtin(run, base, call)
    made = code_call(run, name, call)
    if made is not None:
        return made
    if name in SUBCLASS_MAKERS:
        # what such a tensor holds is up to its class
        objects = [ref(Instance(item)) for item in call.refs(Class)]
        return join([*objects, run.heap.unknown(tags_of(call.all))])
    if root == "operator" and base in _OPERATOR:
        return _OPERATOR[base](run, call)
    if name.startswith("torch.ops."):
        return _custom_operator(run, name, call)
    if name.endswith("().impl") and name.startswith("torch.library.Library"):
        run.heap.custom_operators[call.get(0).text() or ""] = call.get(1)
        return NOTHING
    return None


def _decorator(run: Interpreter, name: str, call: CallSite) -> Value:
    """Decorators that keep the function what it is."""
    decorated = [v for v in call.positional if any(isinstance(r, _DECORATED) for r in v.refs)]
    if decorated and name.endswith(PROPERTY_MAKERS):
        return ref(Property(decorated[0], call.get(1) if call.get(1).refs else None))
    if decorated and name == DISPATCH:  # which of its functions is called is not followed
        return join([decorated[0], ref(Untracked())])
    if name.startswith(_CUSTOM_OPERATOR):
        title = call.get(0, "name").text()
        if title is not None:
            return ref(Library(f"{_CUSTOM_OPERATOR}():{title}"))
        if decorated and ":" in name:
            title = name.split(":", 1)[1].split("::")[-1]
            run.heap.custom_operators[title] = decorated[0]
    return decorated[0] if decorated else ref(Library(name if "()" in name else name + "()"))


def _custom_operator(run: Interpreter, name: str, call: CallSite) -> Value | None:
    """`torch.ops.mine.f(x)`: an operator the candidate registered, else unknown."""
    parts = name.split(".")
    if len(parts) < 4 or parts[2] in _LIBRARY_OPERATORS:
        return None
    return run.call(run.heap.custom_operators.get(parts[3], NOTHING), call)


def _delayed(name: str, call: CallSite) -> Value:
    return ref(Partial(ref(Library(name)), call.positional))


def _getattr_path(run: Interpreter, call: CallSite) -> Value:
    value = call.positional[-1] if call.positional else NOTHING
    for part in (call.get(0).text() or "").split("."):
        value = attribute(run, value, part)
    return value


def _call_named_method(run: Interpreter, call: CallSite) -> Value | None:
    if len(call.positional) < 2:
        return None
    method = attribute(run, call.positional[-1], call.get(0).text() or "")
    return run.call(method, call.given(*call.positional[1:-1]))


_OPERATOR: dict[str, _Rule] = {
    "attrgetter": lambda run, call: _delayed("operator.getattr_path", call),
    "methodcaller": lambda run, call: _delayed("operator.call_method", call),
    "getattr_path": _getattr_path,
    "call_method": _call_named_method,
}


def _builtin(run: Interpreter, base: str, call: CallSite) -> Value:
    if base.startswith("property.") and call.positional:
        return _property_part(base, call)
    if base in _PLAIN_NEW:
        return call_plain_new(run, base, call)
    rule = _setattr if base.endswith(_SETTERS) else _BUILTINS.get(base)
    made = rule(run, call) if rule is not None else None
    if made is not None:
        return made
    call_back(run, call)
    return Value(frozenset((Library(f"builtins.{base}()"),)), scalar_of(call.all).buffers, True)


def _property_part(base: str, call: CallSite) -> Value:
    """`@name.setter`: the same property, with one more function."""
    old = call.get(0).of(Property)
    if not old or base != "property.setter":
        return call.get(0)
    return ref(Property(old[0].getter, call.get(1)))


def _getattr(run: Interpreter, call: CallSite) -> Value:
    """`getattr(a, "b")`: an attribute where the name is constant."""
    owner, name = call.get(0), call.get(1).text()
    if name is not None:
        return join([attribute(run, owner, name), *call.positional[2:]])
    named: list[Ref] = [Library(f"{item.name}.computed_name") for item in owner.of(Library)]
    found = join([Value(frozenset(named)), any_attribute(run, owner)])
    return found if found.refs else ref(Method(owner, "computed_name"))


def _setattr(run: Interpreter, call: CallSite) -> Value:
    set_attribute(run, call.get(0), call.get(1).text() or ANY_NAME, call.get(2), call.where)
    return NOTHING


def _id(run: Interpreter, call: CallSite) -> Value:
    """`id(a)`: a number, and the address of an object."""
    address = run.heap.new({Tag(Origin.IDENTITY)})
    buffers = address.buffers | scalar_of(call.all).buffers
    return Value(frozenset((Library("builtins.id()"),)), buffers, scalar=True)


def _map(run: Interpreter, call: CallSite) -> Value:
    items = [contents(run, value) for value in call.positional[1:]]
    return box(rest=run.call(call.get(0), call.given(*items)))


def _type(run: Interpreter, call: CallSite) -> Value:
    """`type(x)`, or a class made by a call."""
    classes: list[Ref] = [item.kind for item in call.get(0).of(Instance)]
    if len(call.positional) == 3:
        run.seen.opaque = True
    if call.get(0).is_data:
        classes.append(Library("torch.Tensor"))
    return Value(frozenset(classes)) if classes else NOTHING


def _vars(run: Interpreter, call: CallSite) -> Value:
    """`vars(torch)`: a namespace."""
    owner = call.get(0)
    if any(isinstance(item, Instance | Class) for item in owner.refs):
        return attribute(run, owner, "__dict__")
    names: list[Ref] = [Library(f"{item.name}.__dict__") for item in owner.of(Library)]
    return Value(frozenset(names)) if names else ref(Library("builtins.vars()"))


def _text(run: Interpreter, call: CallSite) -> Value:
    return join([told(call.all), outlined(texts(call.get(0)))])


def _arithmetic(name: str) -> Callable[[Interpreter, CallSite], Value]:
    def rule(run: Interpreter, call: CallSite) -> Value:
        values = [v for value in call.all for v in (value, contents(run, value))]
        if any(value.is_data for value in values):
            return compute(run, f"{name}()", Weight.LIGHT, values, call.where)
        return scalar_of(values)

    return rule


def _iterated(run: Interpreter, call: CallSite) -> Value:
    """What a builtin that loops over its arguments finds there; functions among them are called."""
    inner = join([NOTHING, *(contents(run, value) for value in call.positional)])
    call_back(run, call.given(keywords=call.keywords))
    return inner


def _bytearray(run: Interpreter, call: CallSite) -> Value | None:
    """Bytes that stay as they are; where a size is given, storage that a kernel may write."""
    if any(value.is_data for value in call.all):
        return same_data(call.all)
    size = len(call.all) == 1 and (call.get(0) == NOTHING or isinstance(call.first_literal, int))
    return Value(buffers=run.heap.new().buffers, scalar=True) if size else None


def _dict(run: Interpreter, call: CallSite) -> Value:
    return box(dict(call.keywords)) if call.keywords else box(rest=_iterated(run, call))


_BUILTINS: dict[str, _Rule] = {
    **dict.fromkeys(
        "int float bool complex hash len ord chr bin hex any all".split(),
        lambda run, call: told(call.all),
    ),
    **dict.fromkeys(
        "list tuple set frozenset sorted reversed iter".split(),
        lambda run, call: box(rest=_iterated(run, call)),
    ),
    **dict.fromkeys(  # nothing is known about what these say
        "hasattr isinstance callable".split(), lambda run, call: ref(Library("builtins.object()"))
    ),
    **dict.fromkeys(
        "bytes memoryview".split(),
        lambda run, call: same_data(call.all) if any(v.is_data for v in call.all) else None,
    ),
    "bytearray": _bytearray,
    **{name: _arithmetic(name) for name in "sum max min abs pow divmod round".split()},
    **dict.fromkeys(("str", "repr"), _text),
    "dict": _dict,
    "enumerate": lambda run, call: box(rest=box({0: NOTHING, 1: _iterated(run, call)})),
    "zip": lambda run, call: box(
        rest=box({i: contents(run, value) for i, value in enumerate(call.positional)})
    ),
    "range": lambda run, call: scalar_of(call.all),
    "compile": lambda run, call: call.get(0),  # hands its text on to exec or eval
    "id": _id, "next": _iterated, "getattr": _getattr, "setattr": _setattr, "map": _map,
    "filter": _map, "type": _type, "vars": _vars, "super": call_super,
    "__import__": import_by_name, "eval": evaluate_text, "exec": execute_text,
}  # fmt: skip
