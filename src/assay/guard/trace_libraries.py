"""Calls of libraries in the abstract run: allocation, views, computation, builders of kernels.

The rule: a name is looked up once, after aliases are resolved; a library function that takes a
function calls it.
"""

from __future__ import annotations

import ast
from abc import abstractmethod

from assay.guard.arguments import Arguments
from assay.guard.library_names import is_generator, is_layer, library_call
from assay.guard.native_symbols import computed_by_symbol, is_compute_library, is_setting
from assay.guard.operation_names import OpRole
from assay.guard.python_kernels import (
    loads_library,
    makes_extension,
    makes_kernel,
)
from assay.guard.surroundings import asks_surroundings
from assay.guard.tags import Origin, Tag, Weight
from assay.guard.texts import texts
from assay.guard.trace import KernelSeen, Phase
from assay.guard.trace_carriers import CarrierTrace
from assay.guard.values import (
    NOTHING,
    Box,
    BoxObject,
    Buffer,
    Extension,
    Function,
    Generated,
    Layer,
    Library,
    Partial,
    Ref,
    Scope,
    Value,
    all_buffers,
    join,
    ref,
)

_SHARES = frozenset(
    """from_numpy as_tensor asarray from_dlpack frombuffer ascontiguousarray asanyarray as_array
    from_blob view_as_real view_as_complex""".split()
)
_FILE_READS = ("open().read", "open().readinto", ".read_bytes", "numpy.fromfile", "numpy.memmap")
_CLOCKS = ("time.", "datetime.", "torch.cuda.Event()", "os.times", "resource.getrusage")
_HOLDERS = frozenset("ModuleList ModuleDict ParameterList ParameterDict Sequential".split())


class LibraryTrace(CarrierTrace):
    """Calls dotted library names."""

    allowed_packages: frozenset[str] = frozenset()  # whose functions the user calls bookkeeping

    def call_library(self, name: str, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """The value of calling a library name."""
        where = self.place(node, scope)
        self.watch(name, given, node, scope)
        text = self.path_call(name, given)
        if text is not None:
            return text
        special = self.call_builtin(name, given, node, scope)
        if special is not None:
            return special
        made = self._make(name, given, where, scope)
        if made is None:
            made = self.hand_over(name, given, node, scope)
        if made is not None:
            return made
        self.call_back(given, node, scope)
        return self.carried(name, given, self._operate(name, given, where))

    @abstractmethod
    def call_builtin(
        self, name: str, given: Arguments, node: ast.AST, scope: Scope
    ) -> Value | None:
        """Builtins and standard functions that the call trace treats apart."""

    def _make(self, name: str, given: Arguments, where: str, scope: Scope) -> Value | None:
        """Kernels, modules and layers that a library call makes."""
        if makes_kernel(name):
            return self.make_kernel(name, given, where)
        if makes_extension(name):
            self.add_native(given, name, where)
            return ref(Extension(where))
        if loads_library(name):
            return self._load(name, given, where)
        if is_generator(name):
            plain = [v for v in given.all if any(isinstance(r, Function) for r in v.refs)]
            return ref(Generated(name, where)) if given.positional or plain else ref(Library(name))
        if is_layer(name):
            return self._layer(name, where)
        return self._make_holder(name, given)

    def _layer(self, name: str, where: str) -> Value:
        weights = Buffer({Tag(Origin.PARAMETER, name, where)})
        return ref(Layer(name, where, weights))

    def _make_holder(self, name: str, given: Arguments) -> Value | None:
        base = name.rpartition(".")[2]
        if name.startswith("torch.nn.") and base in _HOLDERS:
            inner = [self.contents(value) for value in given.all]
            box = BoxObject(rest=join([NOTHING, *given.all, *inner]))
            for position, value in enumerate(given.positional):
                box.items[position] = value
            return ref(Box(box))
        if base in ("Parameter", "Buffer") and name.startswith("torch.nn"):
            value = self.new_buffer({Tag(Origin.PARAMETER, name)}, fresh=False)
            return join([value, given.get(0, "data")])
        if base == "partial" and name.startswith("functools."):
            keywords = tuple(given.keywords.items())
            return ref(Partial(given.get(0), given.positional[1:], keywords))
        return None

    def _load(self, name: str, given: Arguments, where: str) -> Value:
        """A shared object: the candidate's own, a compute library of the system, or a module."""
        path = given.get(0)
        if name.startswith("importlib.") and "Extension" not in name:
            self.opaque = True
            return ref(Extension(where)) if self.compiles else self.unknown()
        constant = path.constant()
        if constant is not None and constant.value is None:
            return ref(Library("native"))
        known = texts(path)
        if any(is_compute_library(text) for text in known):
            return ref(Library("native_compute"))
        finder = any(isinstance(r, Library) and "find_library" in r.name for r in path.refs)
        if finder or (path.text() is not None and not self.compiles):
            return ref(Library("native"))
        for source in self.text_lines:
            self.read_native(source, "")
        self.kernels.setdefault(where, KernelSeen("shared object", "native", where))
        return ref(Extension(where))

    def _operate(self, name: str, given: Arguments, where: str) -> Value:
        """A call that only moves or computes data."""
        data = [value for value in given.all if all_buffers(value)]
        carried = self._carried_symbols(name, given)
        if carried is not None:
            return carried
        if name.split(".", 1)[0] in self.allowed_packages:
            return self.new_buffer(self.tensor_tags(data))
        native = name.startswith(("native.", "native_compute."))
        call = library_call("torch." + name.partition(".")[2] if native else name)
        if native:
            return self._native_call(name, call.weight is Weight.HEAVY, data, where)
        if call.role is OpRole.COMPUTE:
            return self._compute_call(name, call.weight, given, where)
        base = name.rpartition(".")[2]
        if call.role in (OpRole.ALLOCATION, OpRole.FILL):
            return self._allocate(base, data)
        if call.role in (OpRole.VIEW, OpRole.CAST):
            return self.same_data(data)
        if call.role is OpRole.COPY:
            return self.new_buffer(self.tensor_tags(data))
        return self._bookkeeping(name, data)

    def _carried_symbols(self, name: str, given: Arguments) -> Value | None:
        """Casts and capsules that carry a library's function on: `CFUNCTYPE(...)(address)`."""
        if name.endswith("get_cython_function_address") and "blas" in (given.get(0).text() or ""):
            return ref(Library(f"native_compute.{given.get(1).text() or 'function'}"))
        if not name.startswith("ctypes."):
            return None
        found = [r for v in given.all for r in v.refs if isinstance(r, Library)]
        symbols = frozenset(r for r in found if r.name.startswith("native_compute."))
        return Value(symbols) if symbols else None

    def _native_call(self, name: str, heavy: bool, data: list[Value], where: str) -> Value:
        base = name.rpartition(".")[2]
        symbol = computed_by_symbol(base)
        ready = name.startswith("native_compute.") and not is_setting(base)
        if not (heavy or ready or symbol):
            return self._bookkeeping("ctypes." + base, data)
        result = self.compute(f"native {symbol or base}", Weight.HEAVY, data, where)
        for value in data:
            for buffer in all_buffers(value):
                if buffer.fresh:
                    buffer.tags |= result.tags
        return result

    def _compute_call(self, name: str, weight: Weight, given: Arguments, where: str) -> Value:
        data = [value for value in given.all if all_buffers(value)]
        tensors = [v for v in data if not v.scalar]
        if not tensors and weight is Weight.LIGHT:
            return self.scalar_of(data)
        result = self.compute(name, weight, data, where)
        out = given.keywords.get("out")
        if out is not None:
            for buffer in all_buffers(out):
                buffer.tags |= result.tags
            return out
        return result

    def _allocate(self, base: str, data: list[Value]) -> Value:
        shared = self.same_data([v for v in data if not v.scalar])
        if base in _SHARES and shared.buffers:
            return shared
        scalars = [v for v in data if v.scalar or base in ("tensor", "array")]
        made = self.new_buffer(self.tensor_tags(scalars))
        for buffer in made.buffers:
            buffer.addresses = self.same_data(scalars).buffers
        return made

    def same_data(self, data: list[Value]) -> Value:
        """A value that shares the storage of others."""
        buffers = frozenset(b for value in data for b in all_buffers(value))
        return Value(buffers=buffers, scalar=bool(data) and all(v.scalar for v in data))

    def _bookkeeping(self, name: str, data: list[Value]) -> Value:
        """A call that computes nothing: a handle, a pointer, a setting, a clock."""
        handle: frozenset[Ref] = frozenset((Library(name + "()"),))
        if name.startswith(_CLOCKS):
            clock = self.new_buffer({Tag(Origin.CLOCK, name)})
            return Value(handle, clock.buffers, scalar=True)
        if name.endswith(_FILE_READS) and self.phase is Phase.FORWARD:
            return join([Value(handle), self.new_buffer({Tag(Origin.PAST, "a file")})])
        if asks_surroundings(name):
            return join([Value(handle), self.surroundings(name), self.told(data)])
        if name.endswith("CUDAGraph().replay"):
            for buffer in self.buffers:
                buffer.tags.add(Tag(Origin.UNKNOWN))
        buffers = frozenset(b for value in data for b in all_buffers(value))
        third_party = name.split(".", 1)[0] not in _UNDERSTOOD
        if buffers and third_party and self.phase is Phase.FORWARD:
            return join([Value(handle), self.unknown(self.tensor_tags(data))])
        return Value(handle, buffers, scalar=bool(buffers))


_UNDERSTOOD = frozenset(
    """torch numpy math ctypes builtins triton numba os sys time operator functools itertools struct
    array hashlib collections typing contextlib threading subprocess tempfile pathlib json logging
    warnings concurrent queue mmap weakref inspect gc atexit copy einops string io shutil
    platform""".split()
)
