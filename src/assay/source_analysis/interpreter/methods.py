"""Methods: of tensors, modules, containers and text.

The rule: a method that writes in place changes the storage, so every name of it sees the change; a
container gives out whatever was put into it; a generator that is sent something goes on in a way
that is not followed.
"""

from __future__ import annotations

from assay.source_analysis.interpreter.abstract_interpreter import CallTable, Interpreter
from assay.source_analysis.interpreter.attributes import attribute
from assay.source_analysis.interpreter.dataflow import (
    call_back,
    compute,
    contents,
    filled_with,
    holds_kernel,
    keep,
    same_data,
    scalar_of,
    spread,
    tags_of,
    told,
    unknown_call,
    write,
)
from assay.source_analysis.interpreter.gradients import propagate
from assay.source_analysis.interpreter.kernel_calls import library_base
from assay.source_analysis.interpreter.tags import Origin, Tag
from assay.source_analysis.interpreter.texts import formatted, joined, outlined, texts
from assay.source_analysis.interpreter.values import (
    ANY_NAME,
    NOTHING,
    Box,
    CallSite,
    Class,
    Constant,
    Instance,
    Layer,
    Library,
    Method,
    Outline,
    Value,
    all_buffers,
    box,
    is_argument,
    join,
    ref,
    stored,
)
from assay.source_analysis.tables.library_names import method_call
from assay.source_analysis.tables.operation_names import OpRole
from assay.source_analysis.tables.reach import STORAGE_REACH

_MODULE_SETTERS = frozenset("register_buffer register_parameter add_module register_module".split())
_HOOKS = frozenset(
    "register_forward_hook register_forward_pre_hook register_full_backward_hook".split()
)
_PARAMETERS = frozenset("parameters named_parameters buffers state_dict".split())
_PLAIN = frozenset("item tolist data_ptr __float__ __int__ tobytes data_as buffer_info".split())
_FILE_READS = ("read", "read_bytes", "readinto")  # no tensor has methods of these names
_STORAGES = ("untyped_storage", "storage", "_typed_storage")
_RESHAPES_STORAGE = ("resize_", "set_", "resize_as_")
_TEXT_METHODS = frozenset(
    "lower upper strip lstrip rstrip title swapcase removeprefix removesuffix".split()
)
_TEXT_CHANGES = ("replace", "encode", "format_map", "expandtabs")
_GROWS = frozenset(
    "append add extend insert update setdefault appendleft put push __setitem__".split()
)
_HANDS_OUT = frozenset(
    """values items get pop popitem setdefault __getitem__ popleft result __next__
    __enter__""".split()
)


def _call_method(run: Interpreter, item: Method, call: CallSite) -> Value:
    """Call a method of data, of a container, of text, of a module."""
    receiver, name = item.receiver, item.name
    if receiver.buffers and name in _FILE_READS and run.in_forward:
        found = {tag for tag in receiver.tags if tag.origin is Origin.SURROUNDINGS}
        return run.heap.new({Tag(Origin.PAST, "a file"), *found})
    if receiver.is_data:
        return _tensor_method(run, receiver, name, call)
    for owner in receiver.refs:
        if isinstance(owner, Box):
            return _box_method(run, owner, name, call)
        if isinstance(owner, Instance):
            return _module_method(run, owner, name, call)
        if isinstance(owner, Constant) and isinstance(owner.value, str):
            return _text_method(run, owner.value, name, call)
        if isinstance(owner, Constant) and isinstance(owner.value, bytes):
            decodes = name == "decode"
            return ref(Constant(owner.value.decode("utf-8", "replace"))) if decodes else NOTHING
        if isinstance(owner, Outline):
            return join([outlined(texts(receiver)), told([receiver, *call.all])])
        if isinstance(owner, Layer):
            return stored(owner.weights) if name in _PARAMETERS else ref(owner)
        if isinstance(owner, Class):
            return _inherited_method(run, owner, name, call)
    call_back(run, call)
    if receiver.scalar:
        return scalar_of([receiver, *call.all])
    return unknown_call(run, call)


def _inherited_method(run: Interpreter, owner: Class, name: str, call: CallSite) -> Value:
    """A method that a class of the candidate has from a library."""
    bases = sorted(owner.library_bases())
    if not bases:
        return unknown_call(run, call)
    return join([NOTHING, *(run.call_one(Library(f"{base}.{name}"), call) for base in bases)])


def _module_method(run: Interpreter, owner: Instance, name: str, call: CallSite) -> Value:
    """A method that an object of the candidate has from a library class."""
    attrs, bases = owner.attrs, owner.kind.library_bases()
    if name in _MODULE_SETTERS:
        return _register(owner, call)
    if name in _HOOKS:
        run.heap.hooks.append(call.get(0, "hook"))
        return NOTHING
    if name in _PARAMETERS or name in ("children", "modules"):
        return join([NOTHING, *attrs.values()])
    if name == "__enter__" and any("Mode" in base for base in bases):
        return run.call_one(Library("torch.Mode().__enter__"), call)
    if name == "__setattr__":
        keep(run, attrs, call.get(0).text() or ANY_NAME, call.get(1))
        return NOTHING
    if name == "start" and any(base.endswith(("Thread", "Process")) for base in bases):
        body = attribute(run, ref(owner), "run")
        return run.call_one(Library("threading.Thread().start"), call.given(body))
    layer = library_base(run, owner)
    if name == "forward" and layer.refs:
        return run.call(layer, call)
    if any("Module" in base for base in bases) or layer.refs:
        return ref(owner)
    return unknown_call(run, call)


def _register(owner: Instance, call: CallSite) -> Value:
    """`self.register_buffer("name", tensor)`."""
    key, held = call.get(0, "name").text(), call.get(1)
    for buffer in all_buffers(held):
        buffer.tags.add(Tag(Origin.PARAMETER, key or ""))
    if key is not None:
        owner.attrs[key] = held
    return NOTHING


def _tensor_method(run: Interpreter, receiver: Value, name: str, call: CallSite) -> Value:
    """A method of a tensor or an array."""
    role, in_place = method_call(name).role, name.endswith("_") and not name.endswith("__")
    if name in _PLAIN:
        return Value(buffers=receiver.buffers, scalar=True)
    if name == "backward":
        propagate(run, call, receiver, call.get(0, "gradient"))
    if name == "as_subclass":
        run.call_one(Library("torch.Tensor.as_subclass"), call)
        made = [ref(Instance(item)) for item in call.refs(Class)]
        return join([receiver, *made])
    if role is OpRole.COMPUTE:
        return _computing_method(run, receiver, name, call)
    if name in _RESHAPES_STORAGE and is_argument(receiver):
        run.see(STORAGE_REACH, f"Tensor.{name}", call.where)
    if name in _STORAGES:
        return receiver
    if in_place:
        return write(receiver, Value(buffers=same_data(call.all).buffers))
    if role in (OpRole.VIEW, OpRole.CAST) or name in ("contiguous", "cpu", "cuda"):
        return receiver
    if role is OpRole.COPY:
        return run.heap.new(tags_of([receiver, *call.all]))
    if role in (OpRole.ALLOCATION, OpRole.FILL):
        scalars = (value for value in call.all if value.scalar)
        return run.heap.new(tags_of([*scalars, filled_with(name, call)]))
    return NOTHING


def _computing_method(run: Interpreter, receiver: Value, name: str, call: CallSite) -> Value:
    operands = [receiver, *call.all]
    if _clears_places(receiver, name, call):
        # what only says where is weighed like what a kernel reads; sizes decide at run time
        mask = call.get(0, "mask").tags
        read = {tag.through_kernel() for tag in mask if tag.origin is not Origin.INPUT}
        operands = [receiver, run.heap.new(read, fresh=False)]
    made = compute(run, f"Tensor.{name}", method_call(name).weight, operands, call.where)
    call_back(run, call)
    if name.endswith("_") and not name.endswith("__"):
        return write(receiver, made)
    out = call.keywords.get("out")
    return write(out, made) if out is not None and out.buffers else made


def _clears_places(receiver: Value, name: str, call: CallSite) -> bool:
    """True where a constant is put into places of what a kernel made: padding, ignored rows."""
    clears = name.rstrip("_") == "masked_fill" and holds_kernel(receiver)
    return clears and call.get(1, "value").constant() is not None


def _text_method(run: Interpreter, text: str, name: str, call: CallSite) -> Value:
    """A method of constant text."""
    if name == "join":
        return _joined_text(run, text, call.get(0))
    constants = [value.constant() for value in call.positional]
    if name in _TEXT_METHODS and not call.keywords and all(c is not None for c in constants):
        try:
            return ref(Constant(getattr(text, name)(*(c.value for c in constants if c))))
        except (TypeError, ValueError, IndexError, KeyError, AttributeError):
            return NOTHING
    return join([_outlined_text(text, name), told(call.all)])


def _joined_text(run: Interpreter, between: str, items: Value) -> Value:
    parts = spread(run, items)
    whole = len(parts) != 1 or parts[0].constant() is not None
    text = joined(parts, between) if whole and parts else NOTHING
    return join([text, told([items, *parts])])


def _outlined_text(text: str, name: str) -> Value:
    if name == "format":
        return outlined([formatted(text)])
    return outlined([text]) if name in _TEXT_CHANGES else NOTHING


def _box_method(run: Interpreter, owner: Box, name: str, call: CallSite) -> Value:
    """A method of a container."""
    held = owner
    if name in _GROWS:
        _grow(run, owner, name, call)
    if name in ("get", "pop"):
        constant = call.get(0).constant()
        if constant is not None and constant.value in held.items:
            return held.items[constant.value]
    if name == "copy":
        return ref(owner)
    if name == "send":  # what a generator does with it is not followed
        return join([contents(run, ref(owner)), run.heap.unknown(tags_of(call.all))])
    if name not in _HANDS_OUT:
        return NOTHING
    inner = contents(run, ref(owner))
    return box(rest=box({1: inner})) if name == "items" else inner


def _grow(run: Interpreter, owner: Box, name: str, call: CallSite) -> None:
    held, journal = owner, run.heap.journal
    if name == "update":
        for key, value in call.keywords.items():
            journal.set_item(held.items, key, value)
    added = [*call.all, *(contents(run, value) for value in call.all)]
    journal.set_rest(held, join([held.rest or NOTHING, *added]))
    if run.in_forward:
        run.heap.kept.append((held.items, "*"))


CALLS: CallTable = {Method: _call_method}
