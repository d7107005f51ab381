"""Carriers: libraries that take the candidate's own things and hand them on.

The rule: a pool, a queue, a namespace or a C pointer gives back what it was given; where it is not
known how, it gives back something lost, never nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.guard.tags import Origin, Tag
from assay.source_analysis.attributes import any_attribute
from assay.source_analysis.dataflow import call_back, hand_away, own_parts, tags_of, told
from assay.source_analysis.interpreter import Interpreter
from assay.source_analysis.protocols import contents, entered
from assay.source_analysis.values import (
    ANY_NAME,
    NOTHING,
    Call,
    Extension,
    Library,
    Lost,
    Value,
    all_buffers,
    box,
    join,
    ref,
)

_QUEUES = ("queue.", "_queue.", "multiprocessing.", "asyncio.Queue")
_PUTS = ("().put", "().put_nowait", "().send")
_MOST = 32  # things of its own that one kind of handle is followed with
_FORGETS = (
    "builtins.", "logging.", "warnings.", "inspect.", "functools.update_wrapper", "atexit.", "gc.",
    "sys.", "torch.", "numpy.", "time.", "math.", "os.", "threading.Thread", "threading.Timer",
)  # fmt: skip


def hand_over(run: Interpreter, name: str, call: Call) -> Value | None:
    """Calls whose value is what they were given, or what a function they were given returns."""
    owner, _, method = name.rpartition(".")
    rule = _FUNCTIONS.get(name) or (_METHODS.get(method) if owner.endswith("()") else None)
    return rule(run, name, call) if rule is not None else None


def _promise(run: Interpreter, name: str, call: Call) -> Value:
    return box(rest=_run_now(run, name, call))


def _run_now(run: Interpreter, name: str, call: Call) -> Value:
    return run.call(call.get(0), call.after(1))


def _run_in_executor(run: Interpreter, name: str, call: Call) -> Value | None:
    if len(call.positional) < 2:
        return None
    return run.call(call.get(1), call.given(*call.positional[2:]))


def _map(run: Interpreter, name: str, call: Call) -> Value | None:
    if len(call.positional) < 2:
        return None
    items = [contents(run, value) for value in call.positional[1:]]
    return box(rest=run.call(call.get(0), call.given(*items)))


def _reduce(run: Interpreter, name: str, call: Call) -> Value | None:
    if len(call.positional) < 2:
        return None
    start = call.positional[2:]
    left = join([contents(run, call.get(1)), *start])
    made = run.call(call.get(0), call.given(left, contents(run, call.get(1))))
    return join([*start, made])


def _same(run: Interpreter, name: str, call: Call) -> Value:
    return call.get(0)


def _gather(run: Interpreter, name: str, call: Call) -> Value:
    return box(rest=join([NOTHING, *call.all]))


def _completed(run: Interpreter, name: str, call: Call) -> Value:
    return box(rest=contents(run, call.get(0)))


def _enter(run: Interpreter, name: str, call: Call) -> Value:
    return entered(run, call.get(0))


def _move_memory(run: Interpreter, name: str, call: Call) -> Value:
    for buffer in call.get(0).buffers:
        buffer.tags |= call.get(1).tags or {Tag(Origin.UNKNOWN)}
    return call.get(0)


def _field(run: Interpreter, name: str, call: Call) -> Value:
    """`dataclasses.field(default_factory=...)`."""
    factory = call.keywords.get("default_factory")
    made = [run.call(factory, call.given())] if factory else []
    return join([call.keywords.get("default", NOTHING), *made])


def _function_pointer(run: Interpreter, name: str, call: Call) -> Value | None:
    """`CFUNCTYPE(...)(what)`: a callback, a symbol of an object, or code at an address."""
    if any(item.name.startswith("native") for item in call.refs(Library)):
        return None  # a function of a compute library
    call_back(run, call)
    own = Value(own_parts(call.all))
    symbols = any_attribute(run, Value(frozenset(own.of(Extension))))
    others = Value(own.refs - set(own.of(Extension)))
    return join([symbols, others]) if own.refs else ref(Lost())


def _c_storage(run: Interpreter, name: str, call: Call) -> Value:
    """An array or buffer of C: storage that a kernel may write, or a table of addresses."""
    made = run.heap.new(tags_of(call.all))
    for buffer in made.buffers:
        buffer.addresses = told(call.all).buffers
    return Value(frozenset((Library(f"{name}()"),)), made.buffers, scalar=True)


_Rule = Callable[[Interpreter, str, Call], Value | None]
_FUNCTIONS: dict[str, _Rule] = {
    **dict.fromkeys(
        """asyncio.run asyncio.create_task asyncio.ensure_future asyncio.wait_for asyncio.shield
        contextlib.closing contextlib.nullcontext types.MappingProxyType copy.copy
        copy.deepcopy""".split(),
        _same,
    ),
    **dict.fromkeys(
        "ctypes.CFUNCTYPE() ctypes.PYFUNCTYPE() ctypes.WINFUNCTYPE()".split(), _function_pointer
    ),
    "ctypes.Array": _c_storage, "ctypes.create_string_buffer": _c_storage,
    "ctypes.memmove": _move_memory, "asyncio.to_thread": _run_now, "asyncio.gather": _gather,
    "functools.reduce": _reduce, "concurrent.futures.as_completed": _completed,
    "dataclasses.field": _field,
}  # fmt: skip
_METHODS: dict[str, _Rule] = {
    "submit": _promise, "apply_async": _promise, "run_in_executor": _run_in_executor, "map": _map,
    "imap": _map, "imap_unordered": _map, "map_async": _map, "run_until_complete": _same,
    "enter_context": _enter,
}  # fmt: skip


def carried(run: Interpreter, name: str, call: Call, made: Value) -> Value:
    """The value of a library call that may keep or hand on what it was given."""
    if name.startswith("ctypes."):
        return join([made, Value(own_parts(call.all))])
    if name.startswith(_FORGETS) or made.is_data:
        return made
    owner = name.rpartition("().")[0]
    handle = f"{owner or name}()"
    _hold(run, handle, call, takes_data=name.startswith(_QUEUES))
    if name.startswith(_QUEUES) and name.endswith(_PUTS):
        hand_away(run, call.all)
    held = run.heap.attached.get(handle, {}).get(ANY_NAME)
    return join([made, held]) if held is not None and owner else made


def _hold(run: Interpreter, handle: str, call: Call, takes_data: bool) -> None:
    """Remember what a handle was given, under the names it was given by."""
    named = [(ANY_NAME, value) for value in call.positional]
    for name, value in (*named, *call.keywords.items()):
        data = frozenset(all_buffers(value)) if takes_data else frozenset()
        kept = Value(own_parts([value]), data)
        if kept != NOTHING:
            held = run.heap.attached.setdefault(handle, {})
            whole = join([held.get(name, NOTHING), kept])
            held[name] = whole if len(whole.refs) <= _MOST else ref(Lost())
