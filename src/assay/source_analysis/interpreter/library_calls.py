"""Calls of library names: allocation, views, computation, clocks, text, and carriers.

The rule: a name is looked up once, after aliases are resolved; a library function that takes a
function calls it. A carrier (a pool, a queue, a namespace, a C pointer) gives back what it was
given; where it is not known how, it gives back something lost, never nothing.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from functools import partial

from assay.source_analysis.interpreter.abstract_interpreter import CallTable, Interpreter
from assay.source_analysis.interpreter.attributes import any_attribute
from assay.source_analysis.interpreter.builtin_calls import call_builtin
from assay.source_analysis.interpreter.dataflow import (
    call_back,
    compute,
    contents,
    entered,
    filled_with,
    hand_away,
    mark_fresh,
    own_parts,
    same_data,
    scalar_of,
    surroundings,
    tags_of,
    told,
    write,
)
from assay.source_analysis.interpreter.effects import watch
from assay.source_analysis.interpreter.gradients import CONTEXT, gradients, propagate, save
from assay.source_analysis.interpreter.kernel_calls import make
from assay.source_analysis.interpreter.tags import Origin, Tag, Weight
from assay.source_analysis.interpreter.texts import joined_path, outlined, texts
from assay.source_analysis.interpreter.values import (
    ANY_NAME,
    NOTHING,
    CallSite,
    Constant,
    Extension,
    Library,
    Outline,
    Ref,
    Untracked,
    Value,
    all_buffers,
    box,
    join,
    ref,
)
from assay.source_analysis.literals.decoding import decode, decodes
from assay.source_analysis.tables.library_names import (
    asks_surroundings,
    is_compute_package,
    library_call,
)
from assay.source_analysis.tables.native_symbols import computed_by_symbol, is_setting
from assay.source_analysis.tables.operation_names import CONTENT, OpRole

_SHARES = frozenset(
    """from_numpy as_tensor asarray from_dlpack frombuffer ascontiguousarray asanyarray as_array
    from_blob view_as_real view_as_complex""".split()
)
_FILE_READS = ("open().read", "open().readinto", ".read_bytes", "numpy.fromfile", "numpy.memmap")
_CLOCKS = ("time.", "datetime.", "torch.cuda.Event()", "os.times", "resource.getrusage")
_UNDERSTOOD = frozenset(
    """torch numpy math ctypes builtins triton numba os sys time operator functools itertools struct
    array hashlib collections typing contextlib threading subprocess tempfile pathlib json logging
    warnings concurrent queue mmap weakref inspect gc atexit copy einops string io shutil
    platform""".split()
)
_C_NUMBERS = tuple(
    f"ctypes.c_{kind}"
    for kind in """float double longdouble bool byte ubyte short ushort int uint long ulong longlong
    ulonglong size_t ssize_t int8 int16 int32 int64 uint8 uint16 uint32 uint64""".split()
)
_QUEUES = ("queue.", "_queue.", "multiprocessing.", "asyncio.Queue")
_PUTS = ("().put", "().put_nowait", "().send")
_MOST = 32  # things of its own that one kind of handle is followed with
_FORGETS = (
    "builtins.", "logging.", "warnings.", "inspect.", "functools.update_wrapper", "atexit.", "gc.",
    "sys.", "torch.", "numpy.", "time.", "math.", "os.", "threading.Thread", "threading.Timer",
)  # fmt: skip
_Rule = Callable[[Interpreter, CallSite], Value | None]


def _call_library(run: Interpreter, item: Library, call: CallSite) -> Value:
    """The value of calling a library name: the first rule that knows the name says."""
    name = item.name
    watch(run, name, call)
    for rule in (_by_name, call_builtin, make, _by_method):
        made = rule(run, name, call)
        if made is not None:
            return made
    call_back(run, call)
    return _carried(run, name, call, _operate(run, name, call))


def _operate(run: Interpreter, name: str, call: CallSite) -> Value:
    """A call that only moves or computes data."""
    data = [value for value in call.all if all_buffers(value)]
    symbols = _carried_symbols(name, call)
    if symbols is not None:
        return symbols
    root = name.split(".", 1)[0]
    if root in run.sources.given.allowed_packages and not is_compute_package(root):
        return run.heap.new(tags_of(data))
    if name.startswith(("native.", "native_compute.")):
        return _native_call(run, name, data, call.where)
    known = library_call(name)
    if known.role is OpRole.COMPUTE:
        return _compute_call(run, name, known.weight, call)
    if known.role in (OpRole.ALLOCATION, OpRole.FILL):
        return _allocate(run, name.rpartition(".")[2], call)
    if known.role in (OpRole.VIEW, OpRole.CAST):
        return same_data(data)
    if known.role is OpRole.COPY:
        return run.heap.new(tags_of(data))
    return _bookkeeping(run, name, data)


def _carried_symbols(name: str, call: CallSite) -> Value | None:
    """Casts and capsules that carry a library's function on: `CFUNCTYPE(...)(address)`."""
    if name.endswith("get_cython_function_address") and "blas" in (call.get(0).text() or ""):
        return ref(Library(f"native_compute.{call.get(1).text() or 'function'}"))
    found = call.refs(Library) if name.startswith("ctypes.") else []
    symbols = frozenset(item for item in found if item.name.startswith("native_compute."))
    return Value(symbols) if symbols else None


def _native_call(run: Interpreter, name: str, data: list[Value], where: str) -> Value:
    """A function of a shared object that is not the candidate's."""
    base = name.rpartition(".")[2]
    symbol = computed_by_symbol(base)
    heavy = library_call("torch." + name.partition(".")[2]).weight is Weight.HEAVY
    ready = name.startswith("native_compute.") and not is_setting(base)
    if not (heavy or ready or symbol):
        return _bookkeeping(run, "ctypes." + base, data)
    result = compute(run, f"native {symbol or base}", Weight.HEAVY, data, where)
    mark_fresh(data, result.tags)
    return result


def _compute_call(run: Interpreter, name: str, weight: Weight, call: CallSite) -> Value:
    data = [value for value in call.all if all_buffers(value)]
    if all(value.scalar for value in data) and weight is Weight.LIGHT:
        return scalar_of(data)
    result = compute(run, name, weight, data, call.where)
    out = call.keywords.get("out")
    if out is None:
        return result
    write(Value(buffers=frozenset(all_buffers(out))), result)
    return out


def _allocate(run: Interpreter, base: str, call: CallSite) -> Value:
    data = [value for value in call.all if all_buffers(value)]
    shared = same_data([value for value in data if not value.scalar])
    if base in _SHARES and shared.buffers:
        return shared
    scalars = data if base in CONTENT else [value for value in data if value.scalar]
    scalars = [*scalars, filled_with(base, call)]
    made = run.heap.new(tags_of(scalars))
    for buffer in made.buffers:
        buffer.addresses = same_data(scalars).buffers
    return made


def _bookkeeping(run: Interpreter, name: str, data: list[Value]) -> Value:
    """A call that computes nothing: a handle, a pointer, a setting, a clock."""
    handle: frozenset[Ref] = frozenset((Library(name + "()"),))
    if name.startswith(_CLOCKS):
        return Value(handle, run.heap.new({Tag(Origin.CLOCK, name)}).buffers, scalar=True)
    if name.endswith(_FILE_READS) and run.in_forward:
        return join([Value(handle), run.heap.new({Tag(Origin.PAST, "a file")})])
    if asks_surroundings(name):
        return join([Value(handle), surroundings(name), told(data)])
    if name.endswith("CUDAGraph().replay"):
        for buffer in run.heap.buffers:
            buffer.tags.add(Tag(Origin.UNKNOWN))
    buffers = same_data(data).buffers
    if buffers and name.split(".", 1)[0] not in _UNDERSTOOD and run.in_forward:
        return join([Value(handle), run.heap.unknown(tags_of(data))])
    return Value(handle, buffers, scalar=bool(buffers))


def _by_name(run: Interpreter, name: str, call: CallSite) -> Value | None:
    """Functions of text, and those that hand on what they are given; None for any other name."""
    if name in _BY_NAME:
        made = _BY_NAME[name](run, call)
        if made is not None:
            return made
    constants = [value.constant() for value in call.positional] if decodes(name) else []
    if not constants or any(constant is None for constant in constants):
        return None
    found = decode(name, [constant.value for constant in constants if constant])
    return ref(Constant(found)) if found is not None else None


def _by_method(run: Interpreter, name: str, call: CallSite) -> Value | None:
    """Methods of pools, loops and stacks that hand on what they are given."""
    owner, _, method = name.rpartition(".")
    rule = _BY_METHOD.get(method) if owner.endswith("()") else None
    return rule(run, call) if rule is not None else None


def _same_path(run: Interpreter, call: CallSite) -> Value | None:
    found = outlined(texts(call.get(0)))
    return join([found, told(call.all)]) if found.refs else None


def _part_of_path(call: CallSite, part: Callable[[str], str]) -> Value:
    return join([outlined([part(text) for text in texts(call.get(0))]), told(call.all)])


def _join_path(run: Interpreter, call: CallSite) -> Value:
    return join([joined_path(list(call.positional)), told(call.all)])


def _search(name: str, call: CallSite) -> Value:
    return box(rest=join([outlined(texts(call.get(0))), surroundings(name), told(call.all)]))


def _find_library(run: Interpreter, call: CallSite) -> Value:
    known = outlined([f"lib{text}.so" for text in texts(call.get(0))])
    return join([known, ref(Library("ctypes.util.find_library()"))])


def _run_in_executor(run: Interpreter, call: CallSite) -> Value | None:
    if len(call.positional) < 2:
        return None
    return run.call(call.get(1), call.given(*call.positional[2:]))


def _map(run: Interpreter, call: CallSite) -> Value | None:
    if len(call.positional) < 2:
        return None
    items = [contents(run, value) for value in call.positional[1:]]
    return box(rest=run.call(call.get(0), call.given(*items)))


def _reduce(run: Interpreter, call: CallSite) -> Value | None:
    if len(call.positional) < 2:
        return None
    start = call.positional[2:]
    left = join([contents(run, call.get(1)), *start])
    made = run.call(call.get(0), call.given(left, contents(run, call.get(1))))
    return join([*start, made])


def _move_memory(run: Interpreter, call: CallSite) -> Value:
    for buffer in call.get(0).buffers:
        buffer.tags |= call.get(1).tags or {Tag(Origin.UNKNOWN)}
    return call.get(0)


def _field(run: Interpreter, call: CallSite) -> Value:
    """`dataclasses.field(default_factory=...)`."""
    factory = call.keywords.get("default_factory")
    made = [run.call(factory, call.given())] if factory else []
    return join([call.keywords.get("default", NOTHING), *made])


def _function_pointer(run: Interpreter, call: CallSite) -> Value | None:
    """`CFUNCTYPE(...)(what)`: a callback, a symbol of an object, or code at an address."""
    if any(item.name.startswith("native") for item in call.refs(Library)):
        return None  # a function of a compute library
    call_back(run, call)
    own = Value(own_parts(call.all))
    symbols = any_attribute(run, Value(frozenset(own.of(Extension))))
    others = Value(own.refs - set(own.of(Extension)))
    return join([symbols, others]) if own.refs else ref(Untracked())


def _c_storage(run: Interpreter, name: str, call: CallSite) -> Value:
    """An array or buffer of C: storage that a kernel may write, or a table of addresses."""
    made = run.heap.new(tags_of(call.all))
    for buffer in made.buffers:
        buffer.addresses = told(call.all).buffers
    return Value(frozenset((Library(name),)), made.buffers, scalar=True)


def _c_number(run: Interpreter, call: CallSite, name: str) -> Value | None:
    """A number of C: a kernel may write it where its address is taken."""
    if any(all_buffers(value) for value in call.all):
        return None
    made = run.heap.new(fresh=False)
    return Value(frozenset((Library(f"{name}()"),)), made.buffers, scalar=True)


def _by_reference(run: Interpreter, call: CallSite) -> Value | None:
    """`ctypes.byref(number)`: what is given its address may write it."""
    number = call.get(0)
    if any(item.name.removesuffix("()") in _C_NUMBERS for item in number.of(Library)):
        for buffer in number.buffers:
            buffer.fresh = True
    return None


_BY_NAME: dict[str, _Rule] = {
    **{name: partial(_c_number, name=name) for name in _C_NUMBERS},
    **dict.fromkeys("ctypes.byref ctypes.pointer ctypes.addressof".split(), _by_reference),
    "array.array": lambda run, call: _c_storage(run, "array.array()", call),
    **dict.fromkeys(
        """os.path.abspath os.path.realpath os.path.normpath os.path.expanduser os.path.expandvars
        os.fspath os.fsencode os.fsdecode os.path.normcase ctypes.c_char_p
        builtins.bytes""".split(),
        _same_path,
    ),
    **dict.fromkeys(
        "pathlib.Path pathlib.PurePath pathlib.PosixPath".split(),
        lambda run, call: join([_join_path(run, call), ref(Library("pathlib.Path()"))]),
    ),
    **dict.fromkeys(
        "site.getsitepackages sysconfig.get_path sysconfig.get_paths".split(),
        lambda run, call: box(rest=ref(Outline("/site-packages"))),
    ),
    **dict.fromkeys(
        """asyncio.run asyncio.create_task asyncio.ensure_future asyncio.wait_for asyncio.shield
        contextlib.closing contextlib.nullcontext types.MappingProxyType copy.copy
        copy.deepcopy""".split(),
        lambda run, call: call.get(0),
    ),
    **dict.fromkeys(
        "ctypes.CFUNCTYPE() ctypes.PYFUNCTYPE() ctypes.WINFUNCTYPE()".split(), _function_pointer
    ),
    "glob.glob": lambda run, call: _search("glob.glob", call),
    "glob.iglob": lambda run, call: _search("glob.iglob", call),
    "os.path.join": _join_path,
    "os.path.dirname": lambda run, call: _part_of_path(call, posixpath.dirname),
    "os.path.basename": lambda run, call: _part_of_path(call, posixpath.basename),
    "ctypes.util.find_library": _find_library,
    "ctypes.Array": lambda run, call: _c_storage(run, "ctypes.Array()", call),
    "ctypes.create_string_buffer": lambda run, call: _c_storage(
        run, "ctypes.create_string_buffer()", call
    ),
    "ctypes.memmove": _move_memory,
    "asyncio.to_thread": lambda run, call: run.call(call.get(0), call.after(1)),
    "asyncio.gather": lambda run, call: box(rest=join([NOTHING, *call.all])),
    "concurrent.futures.as_completed": lambda run, call: box(rest=contents(run, call.get(0))),
    "functools.reduce": _reduce,
    "torch.autograd.grad": gradients,
    "torch.autograd.backward": lambda run, call: propagate(
        run, call, call.get(0, "tensors"), call.get(1, "grad_tensors")
    ),
    f"{CONTEXT}.save_for_backward": save,
    "dataclasses.field": _field,
}
_BY_METHOD: dict[str, _Rule] = {
    **dict.fromkeys(
        ("submit", "apply_async"),
        lambda run, call: box(rest=run.call(call.get(0), call.after(1))),
    ),
    **dict.fromkeys("map imap imap_unordered map_async".split(), _map),
    "run_in_executor": _run_in_executor,
    "run_until_complete": lambda run, call: call.get(0),
    "enter_context": lambda run, call: entered(run, call.get(0)),
}


def _carried(run: Interpreter, name: str, call: CallSite, made: Value) -> Value:
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


def _hold(run: Interpreter, handle: str, call: CallSite, takes_data: bool) -> None:
    """Remember what a handle was given, under the names it was given by."""
    named = [(ANY_NAME, value) for value in call.positional]
    for name, value in (*named, *call.keywords.items()):
        data = frozenset(all_buffers(value)) if takes_data else frozenset()
        kept = Value(own_parts([value]), data)
        if kept != NOTHING:
            held = run.heap.attached.setdefault(handle, {})
            whole = join([held.get(name, NOTHING), kept])
            held[name] = whole if len(whole.refs) <= _MOST else ref(Untracked())


CALLS: CallTable = {Library: _call_library}
