"""Calls of library names: allocation, views, computation, clocks, and functions of text.

The rule: a name is looked up once, after aliases are resolved; a library function that takes a
function calls it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from assay.guard.decoding import decode, decodes
from assay.guard.library_names import asks_surroundings, library_call
from assay.guard.native_symbols import computed_by_symbol, is_setting
from assay.guard.operation_names import OpRole
from assay.guard.tags import Origin, Tag, Weight
from assay.source_analysis.builtin_calls import call_builtin
from assay.source_analysis.carriers import carried, hand_over
from assay.source_analysis.dataflow import (
    call_back,
    compute,
    mark_fresh,
    same_data,
    scalar_of,
    surroundings,
    tags_of,
    told,
    write,
)
from assay.source_analysis.effects import watch
from assay.source_analysis.interpreter import Interpreter
from assay.source_analysis.kernels import make
from assay.source_analysis.texts import joined_path, outlined, texts
from assay.source_analysis.values import (
    Call,
    Constant,
    Library,
    Outline,
    Ref,
    Value,
    all_buffers,
    box,
    join,
    ref,
)

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


def call_library(run: Interpreter, name: str, call: Call) -> Value:
    """The value of calling a library name: the first rule that knows the name says."""
    watch(run, name, call)
    for rule in (_text_call, call_builtin, make, hand_over):
        made = rule(run, name, call)
        if made is not None:
            return made
    call_back(run, call)
    return carried(run, name, call, _operate(run, name, call))


def _operate(run: Interpreter, name: str, call: Call) -> Value:
    """A call that only moves or computes data."""
    data = [value for value in call.all if all_buffers(value)]
    symbols = _carried_symbols(name, call)
    if symbols is not None:
        return symbols
    if name.split(".", 1)[0] in run.sources.given.allowed_packages:
        return run.heap.new(tags_of(data))
    if name.startswith(("native.", "native_compute.")):
        return _native_call(run, name, data, call.where)
    known = library_call(name)
    if known.role is OpRole.COMPUTE:
        return _compute_call(run, name, known.weight, call)
    if known.role in (OpRole.ALLOCATION, OpRole.FILL):
        return _allocate(run, name.rpartition(".")[2], data)
    if known.role in (OpRole.VIEW, OpRole.CAST):
        return same_data(data)
    if known.role is OpRole.COPY:
        return run.heap.new(tags_of(data))
    return _bookkeeping(run, name, data)


def _carried_symbols(name: str, call: Call) -> Value | None:
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


def _compute_call(run: Interpreter, name: str, weight: Weight, call: Call) -> Value:
    data = [value for value in call.all if all_buffers(value)]
    if all(value.scalar for value in data) and weight is Weight.LIGHT:
        return scalar_of(data)
    result = compute(run, name, weight, data, call.where)
    out = call.keywords.get("out")
    if out is None:
        return result
    write(Value(buffers=frozenset(all_buffers(out))), result)
    return out


def _allocate(run: Interpreter, base: str, data: list[Value]) -> Value:
    shared = same_data([value for value in data if not value.scalar])
    if base in _SHARES and shared.buffers:
        return shared
    scalars = [value for value in data if value.scalar or base in ("tensor", "array")]
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


def _text_call(run: Interpreter, name: str, call: Call) -> Value | None:
    """The value of a call that makes, splits, searches or decodes text; None for others."""
    rule = _TEXT_CALLS.get(name)
    if rule is not None:
        return rule(name, call)
    constants = [value.constant() for value in call.positional] if decodes(name) else []
    if not constants or any(constant is None for constant in constants):
        return None
    found = decode(name, [constant.value for constant in constants if constant])
    return ref(Constant(found)) if found is not None else None


def _join_path(name: str, call: Call) -> Value:
    return join([joined_path(list(call.positional)), told(call.all)])


def _same_path(name: str, call: Call) -> Value | None:
    found = outlined(texts(call.get(0)))
    return join([found, told(call.all)]) if found.refs else None


def _part_of_path(part: Callable[[str], str]) -> Callable[[str, Call], Value]:
    def rule(name: str, call: Call) -> Value:
        return join([outlined([part(text) for text in texts(call.get(0))]), told(call.all)])

    return rule


def _path_object(name: str, call: Call) -> Value:
    return join([_join_path(name, call), ref(Library("pathlib.Path()"))])


def _search(name: str, call: Call) -> Value:
    return box(rest=join([outlined(texts(call.get(0))), surroundings(name), told(call.all)]))


def _find_library(name: str, call: Call) -> Value:
    known = outlined([f"lib{text}.so" for text in texts(call.get(0))])
    return join([known, ref(Library("ctypes.util.find_library()"))])


def _installed(name: str, call: Call) -> Value:
    return box(rest=ref(Outline("/site-packages")))


_TEXT_CALLS: dict[str, Callable[[str, Call], Value | None]] = {
    **dict.fromkeys(
        """os.path.abspath os.path.realpath os.path.normpath os.path.expanduser os.path.expandvars
        os.fspath os.fsencode os.fsdecode os.path.normcase ctypes.c_char_p
        builtins.bytes""".split(),
        _same_path,
    ),
    **dict.fromkeys("pathlib.Path pathlib.PurePath pathlib.PosixPath".split(), _path_object),
    **dict.fromkeys("glob.glob glob.iglob".split(), _search),
    **dict.fromkeys(
        "site.getsitepackages sysconfig.get_path sysconfig.get_paths".split(), _installed
    ),
    "os.path.join": _join_path,
    "os.path.dirname": _part_of_path(posixpath.dirname),
    "os.path.basename": _part_of_path(posixpath.basename),
    "ctypes.util.find_library": _find_library,
}
