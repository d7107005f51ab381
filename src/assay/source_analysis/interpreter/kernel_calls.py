"""Kernels: how they come to be, and what launching one does to data.

The rule: a kernel writes the storage that the candidate allocated among its arguments (all of it
where none is fresh) and returns new storage; what it read stays visible behind it only as library
computations that fed it.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from assay.source_analysis.cpp.cpp_functions import CppFunction, CppUnit, parse_cpp
from assay.source_analysis.cpp.cpp_tokens import looks_like_cpp
from assay.source_analysis.interpreter.abstract_interpreter import Interpreter
from assay.source_analysis.interpreter.dataflow import contents
from assay.source_analysis.interpreter.interpreter_state import NativeSource
from assay.source_analysis.interpreter.tags import Guard, Origin, Tag, Weight
from assay.source_analysis.interpreter.texts import texts
from assay.source_analysis.interpreter.values import (
    NOTHING,
    Box,
    Buffer,
    CallSite,
    Extension,
    FunctionValue,
    Generated,
    Instance,
    Kernel,
    Layer,
    Library,
    Partial,
    Scope,
    Value,
    all_buffers,
    box,
    join,
    ref,
)
from assay.source_analysis.source_report import LaunchSeen
from assay.source_analysis.tables.library_names import is_generator, is_layer, library_call
from assay.source_analysis.tables.native_symbols import computed_by_symbol, is_compute_library
from assay.source_analysis.tables.python_kernels import (
    is_parallel_loop,
    launches_module,
    loads_library,
    loads_module,
    makes_extension,
    makes_kernel,
)
from assay.source_analysis.tables.reach import FINALISER_REACH

_PYTHON_LANGUAGES = ("triton.", "numba.", "tilelang.", "helion.", "cutlass.", "warp.")
_HOLDERS = frozenset("ModuleList ModuleDict ParameterList ParameterDict Sequential".split())


def make(run: Interpreter, name: str, call: CallSite) -> Value | None:
    """Kernels, modules and layers that a library call makes; None where it makes none of these."""
    if makes_kernel(name):
        return _make_kernel(run, name, call)
    if makes_extension(name):
        _add_native(run, name, call)
        return ref(Extension(call.where))
    if loads_library(name):
        return _load(run, name, call)
    if loads_module(name):
        run.see_kernel("module of the driver's", "native", call.where)
    if launches_module(name):
        return launch(run, Kernel(name.rpartition(".")[2], call.where), call)
    if is_generator(name):
        made = call.positional or call.refs(FunctionValue)
        return ref(Generated(name, call.where)) if made else ref(Library(name))
    if is_layer(name):
        weights = Buffer({Tag(Origin.PARAMETER, name, call.where)})
        return ref(Layer(name, call.where, weights))
    return _make_holder(run, name, call)


def library_base(run: Interpreter, item: Instance) -> Value:
    """The library layer an instance derives from, where it does."""
    made = [make(run, name, CallSite("", Scope(""))) for name in sorted(_bases(item))]
    return join([NOTHING, *(value for value in made if value and value.of(Layer))])


def _bases(item: Instance) -> set[str]:
    return item.kind.library_bases()


def _make_holder(run: Interpreter, name: str, call: CallSite) -> Value | None:
    """Containers of modules, parameters, partial functions."""
    base = name.rpartition(".")[2]
    if name.startswith("torch.nn.") and base in _HOLDERS:
        inner = [contents(run, value) for value in call.all]
        items = dict(enumerate(call.positional))
        return box(items, join([NOTHING, *call.all, *inner]))
    if base in ("Parameter", "Buffer") and name.startswith("torch.nn"):
        value = run.heap.new({Tag(Origin.PARAMETER, name)}, fresh=False)
        return join([value, call.get(0, "data")])
    if base == "partial" and name.startswith("functools."):
        return ref(Partial(call.get(0), call.positional[1:], tuple(call.keywords.items())))
    return None


def _load(run: Interpreter, name: str, call: CallSite) -> Value:
    """A shared object: the candidate's own, a compute library of the system, or a module."""
    path = call.get(0)
    if name.startswith("importlib.") and "Extension" not in name:
        run.seen.opaque = True
        return ref(Extension(call.where)) if run.seen.compiles else run.heap.unknown()
    constant = path.constant()
    if constant is not None and constant.value is None:
        return ref(Library("native"))
    if any(is_compute_library(text) for text in texts(path)):
        return ref(Library("native_compute"))
    finder = any("find_library" in item.name for item in path.of(Library))
    if finder or (path.text() is not None and not run.seen.compiles):
        return ref(Library("native"))
    for source in run.sources.native_texts:
        _read_native(run, source, "")
    run.see_kernel("shared object", "native", call.where)
    return ref(Extension(call.where))


def _make_kernel(run: Interpreter, name: str, call: CallSite) -> Value:
    """What a kernel decorator or builder returns."""
    kernels = [item for value in call.positional for item in value.of(Kernel)]
    if kernels:
        return Value(frozenset(kernels))
    functions = [item for value in call.positional for item in value.of(FunctionValue)]
    if functions:
        return join([_kernel_of(run, name, function) for function in functions])
    if looks_like_cpp(call.get(0).text() or ""):
        _add_native(run, name, call)
        return ref(Kernel(name, call.where))
    if name.startswith(_PYTHON_LANGUAGES):
        return ref(Library(name))  # decorator with options: the function comes next
    return ref(Kernel(name, call.where))


def _kernel_of(run: Interpreter, maker: str, function: FunctionValue) -> Value:
    node, scope = function.node, function.scope
    title, where = getattr(node, "name", "lambda"), scope.place(node)
    language = maker.split(".", 1)[0]
    run.see_kernel(title, language, where)
    inside = _library_inside(node, scope)
    works = language != "numba" or (not isinstance(node, ast.Lambda) and is_parallel_loop(node))
    return ref(Kernel(title, where, frozenset(inside), own=not inside or works))


def _library_inside(node: ast.AST, scope: Scope) -> list[Tag]:
    """Library computations inside a kernel body (BLAS behind a compiled np.dot)."""
    found: list[tuple[str, ast.AST]] = []
    for child in ast.walk(node):
        if isinstance(child, ast.BinOp) and isinstance(child.op, ast.MatMult):
            found.append(("operator @", child))
        if isinstance(child, ast.Call):
            name = _dotted(child.func, scope)
            heavy = bool(name) and library_call(name).weight is Weight.HEAVY
            if heavy and name.split(".", 1)[0] in ("torch", "numpy", "scipy"):
                found.append((name, child))
    return [
        Tag(Origin.LIBRARY, n, scope.place(c), Weight.HEAVY, Guard.CONDITION, on_input=True)
        for n, c in found
    ]


def _dotted(node: ast.expr, scope: Scope) -> str:
    """The library name a chain of attributes stands for, or nothing."""
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value, scope)
        return f"{base}.{node.attr}" if base else ""
    found = scope.find(node.id) if isinstance(node, ast.Name) else None
    names = [item.name for item in found.of(Library)] if found else []
    return names[0] if len(names) == 1 else ""


def launch(run: Interpreter, kernel: Kernel, call: CallSite) -> Value:
    """Call a kernel: it writes fresh storage among its arguments and returns new storage."""
    touched = _reached_storage(call.all)
    touched |= _called_back(run, kernel, call, touched)
    if not touched and not run.in_forward:
        return ref(Extension(kernel.where))  # a builder's own method: `.build()`, `.dlopen()`
    read = {tag for buffer in touched for tag in buffer.tags}
    if run.flow.finalising:  # it runs at a time of its own, so no result holds what it writes
        if any(tag.origin is Origin.INPUT for tag in read):
            run.see(FINALISER_REACH, "a finaliser", call.where)
        return run.heap.new()
    tags = _launch_tags(run, kernel, call, read)
    for buffer in {buffer for buffer in touched if buffer.fresh} or touched:
        buffer.tags |= tags
        if kernel.own:
            run.heap.kernel_writes[buffer] = run.heap.kernel_writes.get(buffer, 0) + 1
    return run.heap.new(set(tags))


def _launch_tags(run: Interpreter, kernel: Kernel, call: CallSite, read: set[Tag]) -> set[Tag]:
    """What a launch puts into the storage it writes."""
    tags = {tag.through_kernel() for tag in read if tag.origin is Origin.LIBRARY}
    tags |= {_placed(run, tag) for tag in kernel.tags}
    tags |= _handed_symbols(run, call)
    if not kernel.own:
        return tags | read  # a library's work on them: they are still in the result
    if run.in_forward:
        run.seen.launches.append(LaunchSeen(kernel.name, call.where, run.guard))
    return tags | {Tag(Origin.KERNEL, kernel.name, guard=run.guard)}


def _reached_storage(values: list[Value]) -> set[Buffer]:
    """Storage of values, of objects among them (a struct), and behind tables of pointers."""
    found = {buffer for value in values for buffer in all_buffers(value)}
    for item in (item for value in values for item in value.of(Instance)):
        found |= {buffer for held in item.attrs.values() for buffer in all_buffers(held)}
    return found.union(*(buffer.addresses for buffer in found))


def _called_back(
    run: Interpreter, kernel: Kernel, call: CallSite, touched: set[Buffer]
) -> set[Buffer]:
    """Storage that callbacks of a kernel allocate for it; they are given what it works on."""
    own = {Tag(Origin.KERNEL, kernel.name, guard=run.guard)} if kernel.own else set()
    shown = Value(buffers=frozenset({*touched, Buffer(own)}), scalar=True)
    first, returned = len(run.heap.buffers), []
    for function in call.refs(FunctionValue):
        count = len(function.node.args.args) - (function.bound is not None)
        returned.append(run.call(ref(function), call.given(*(shown,) * max(count, 0))))
    return {*_reached_storage(returned), *run.heap.buffers[first:]}


def _handed_symbols(run: Interpreter, call: CallSite) -> set[Tag]:
    """Library functions that native code is handed, by address or by name."""
    names = [computed_by_symbol(text) for value in call.all for text in texts(value)]
    carried = [item.name for item in call.refs(Library)]
    names += [n.rpartition(".")[2] for n in carried if n.startswith("native_compute.")]
    return {
        Tag(Origin.LIBRARY, name, call.where, Weight.HEAVY, run.guard, on_input=True)
        for name in names
        if name
    }


def _placed(run: Interpreter, tag: Tag) -> Tag:
    """A computation inside a kernel, under the condition of this launch."""
    placed = replace(tag, guard=tag.guard if run.guard is Guard.NONE else run.guard)
    if run.in_forward:
        run.seen.computed.setdefault((tag.name, tag.where), placed)
    return placed


def _add_native(run: Interpreter, name: str, call: CallSite) -> None:
    """Remember the C++ or CUDA sources among the arguments of a builder."""
    run.see_kernel(name.rpartition(".")[2], "native", call.where)
    for value in call.all:
        _native_texts(run, value, call.where.rpartition(":")[0])
    if name.endswith(".load"):  # its sources are files the candidate wrote
        for text in run.sources.native_texts:
            _read_native(run, text, "")


def _native_texts(run: Interpreter, value: Value, path: str) -> None:
    for text in texts(value):
        if looks_like_cpp(text):
            _read_native(run, text, path)
    for item in value.of(Box):
        for inner in item.items.values():
            _native_texts(run, inner, path)


def _read_native(run: Interpreter, text: str, path: str) -> None:
    """Parse a native source once; its lines are counted from where its text begins."""
    first = run.sources.native_texts.get(text, (path, 1))
    if any((source.path, source.first_line) == first for source in run.heap.native):
        return
    source = NativeSource(*first, parse_cpp(text))
    run.heap.native.append(source)
    override = source.unit.override
    if override is not None:
        run.see(override.reach, override.name, source.place(override.line))


def extension_kernel(run: Interpreter, extension: Extension, name: str) -> Kernel:
    """The kernel behind an attribute of a built module, with what its source delegates."""
    homes = {id(f): source for source in run.heap.native for f in source.unit.functions}
    everything = tuple(f for source in run.heap.native for f in source.unit.functions)
    names = {function.name for function in everything}
    entry = name if name in names else "PYBIND11_MODULE"
    if entry not in names:
        return Kernel(name, extension.where)
    reached = CppUnit(everything).reached(frozenset((entry,)))
    for function in reached:
        for item in function.reaches:
            run.see(item.reach, item.name, homes[id(function)].place(item.line))
    tags = {tag for f in reached for tag in _native_tags(homes[id(f)], f)}
    works = any(function.works for function in reached)
    return Kernel(name, extension.where, frozenset(tags), own=works or not tags)


def _native_tags(source: NativeSource, function: CppFunction) -> list[Tag]:
    return [
        Tag(
            Origin.LIBRARY,
            call.name,
            source.place(call.line),
            call.weight,
            call.guard,
            on_input=True,
            fed=True,
        )
        for call in function.library
    ]
