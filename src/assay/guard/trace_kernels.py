"""Kernels in the abstract run: how they come to be, and what launching one does to data.

The rule: a kernel writes the storage that the candidate allocated among its arguments (all of it
where none is fresh) and returns new storage; what it read stays visible behind it only as library
computations that fed it.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from assay.guard.arguments import Arguments
from assay.guard.cpp_functions import CppFunction, CppUnit, parse_cpp
from assay.guard.cpp_tokens import looks_like_cpp
from assay.guard.library_names import library_call
from assay.guard.native_symbols import computed_by_symbol
from assay.guard.python_kernels import is_parallel_loop
from assay.guard.reach import FINALISER_REACH
from assay.guard.tags import Guard, Origin, Tag, Weight
from assay.guard.texts import texts
from assay.guard.trace import KernelSeen, LaunchSeen, NativeSource, Phase
from assay.guard.trace_subscripts import SubscriptTrace
from assay.guard.values import (
    Box,
    Buffer,
    Extension,
    Function,
    Instance,
    Kernel,
    Library,
    Scope,
    Value,
    all_buffers,
    join,
    ref,
)


class KernelTrace(SubscriptTrace):
    """Makes and launches kernels."""

    def make_kernel(self, name: str, given: Arguments, where: str) -> Value:
        """What a kernel decorator or builder returns."""
        kernels = [r for v in given.positional for r in v.refs if isinstance(r, Kernel)]
        if kernels:
            return Value(frozenset(kernels))
        functions = [r for v in given.positional for r in v.refs if isinstance(r, Function)]
        if functions:
            return join([self._kernel_of(name, function) for function in functions])
        if given.get(0).text() and looks_like_cpp(given.get(0).text() or ""):
            self.add_native(given, name, where)
            return ref(Kernel(name, where))
        if name.startswith(("triton.", "numba.", "tilelang.", "helion.", "cutlass.", "warp.")):
            return ref(Library(name))  # decorator with options: the function comes next
        return ref(Kernel(name, where))

    def _kernel_of(self, maker: str, function: Function) -> Value:
        node = function.node
        title = getattr(node, "name", "lambda")
        where = self.place(node, function.scope)
        language = maker.split(".", 1)[0]
        self.kernels.setdefault(where, KernelSeen(title, language, where))
        inside = self._library_inside(node, function.scope)
        loops = language != "numba" or _works_itself(node)
        return ref(Kernel(title, where, frozenset(inside), own=not inside or loops))

    def _library_inside(self, node: ast.AST, scope: Scope) -> list[Tag]:
        """Library computations inside a kernel body (BLAS behind a compiled np.dot)."""
        found: list[Tag] = []
        for child in ast.walk(node):
            if isinstance(child, ast.BinOp) and isinstance(child.op, ast.MatMult):
                found.append(self._inner_tag("operator @", child, scope))
            if isinstance(child, ast.Call):
                name = self.dotted(child.func, scope)
                call = library_call(name) if name else None
                heavy = call is not None and call.weight is Weight.HEAVY
                if heavy and name.split(".", 1)[0] in ("torch", "numpy", "scipy"):
                    found.append(self._inner_tag(name, child, scope))
        return found

    def _inner_tag(self, name: str, node: ast.AST, scope: Scope) -> Tag:
        where = self.place(node, scope)
        return Tag(Origin.LIBRARY, name, where, Weight.HEAVY, Guard.CONDITION, on_input=True)

    def dotted(self, node: ast.expr, scope: Scope) -> str:
        """The library name a chain of attributes stands for, or nothing."""
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value, scope)
            return f"{base}.{node.attr}" if base else ""
        if isinstance(node, ast.Name):
            found = scope.find(node.id)
            names = [r.name for r in found.refs if isinstance(r, Library)] if found else []
            return names[0] if len(names) == 1 else ""
        return ""

    def launch(self, kernel: Kernel, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """Call a kernel: it writes fresh storage among its arguments and returns new storage."""
        touched = reached_storage(given.all)
        touched |= self._called_back(kernel, given, touched, node, scope)
        if not touched and self.phase is not Phase.FORWARD:
            return ref(Extension(kernel.where))  # a builder's own method: `.build()`, `.dlopen()`
        read = {tag for buffer in touched for tag in buffer.tags}
        if self.finalising:  # it runs at a time of its own, so no result holds what it writes
            if any(tag.origin is Origin.INPUT for tag in read):
                self.see(FINALISER_REACH, "a finaliser", self.place(node, scope))
            return self.new_buffer()
        tags = {tag.through_kernel() for tag in read if tag.origin is Origin.LIBRARY}
        tags |= {self._placed(tag) for tag in kernel.tags}
        tags |= self._handed_symbols(given, self.place(node, scope))
        if kernel.own:
            tags.add(Tag(Origin.KERNEL, kernel.name, guard=self.guard))
            self._launched(kernel, node, scope)
        else:
            tags |= read  # a library's work on them: they are still in the result
        written = {buffer for buffer in touched if buffer.fresh} or touched
        for buffer in written:
            buffer.tags |= tags
            if kernel.own:
                self.kernel_writes[buffer] = self.kernel_writes.get(buffer, 0) + 1
        return self.new_buffer(set(tags))

    def _called_back(
        self, kernel: Kernel, given: Arguments, touched: set[Buffer], node: ast.AST, scope: Scope
    ) -> set[Buffer]:
        """Storage that callbacks of a kernel allocate for it; they are given what it works on."""
        own = {Tag(Origin.KERNEL, kernel.name, guard=self.guard)} if kernel.own else set()
        shown = Value(buffers=frozenset({*touched, Buffer(own)}), scalar=True)
        first, returned = len(self.buffers), []
        for function in [r for v in given.all for r in v.refs if isinstance(r, Function)]:
            count = len(function.node.args.args) - (function.bound is not None)
            handed = Arguments((shown,) * max(count, 0))
            returned.append(self.call(ref(function), handed, node, scope))
        return {*reached_storage(returned), *self.buffers[first:]}

    def _handed_symbols(self, given: Arguments, where: str) -> set[Tag]:
        """Library functions that native code is handed, by address or by name."""
        names = [computed_by_symbol(text) for value in given.all for text in texts(value)]
        carried = [r.name for v in given.all for r in v.refs if isinstance(r, Library)]
        names += [n.rpartition(".")[2] for n in carried if n.startswith("native_compute.")]
        return {
            Tag(Origin.LIBRARY, name, where, Weight.HEAVY, self.guard, on_input=True)
            for name in names
            if name
        }

    def _launched(self, kernel: Kernel, node: ast.AST, scope: Scope) -> None:
        if self.phase is Phase.FORWARD:
            self.launches.append(LaunchSeen(kernel.name, self.place(node, scope), self.guard))

    def _placed(self, tag: Tag) -> Tag:
        guard = tag.guard if self.guard is Guard.NONE else self.guard
        placed = replace(tag, guard=guard)
        if self.phase is Phase.FORWARD:
            self.computed.setdefault((tag.name, tag.where), placed)
        return placed

    def add_native(self, given: Arguments, name: str, where: str) -> None:
        """Remember the C++ or CUDA sources among the arguments of a builder."""
        self.kernels.setdefault(where, KernelSeen(name.rpartition(".")[2], "native", where))
        for value in given.all:
            self._native_texts(value, where)
        if name.endswith(".load"):  # its sources are files the candidate wrote
            for text in self.text_lines:
                self.read_native(text, "")

    def _native_texts(self, value: Value, where: str) -> None:
        for text in texts(value):
            if looks_like_cpp(text):
                self.read_native(text, where.rpartition(":")[0])
        for item in value.refs:
            if isinstance(item, Box):
                for inner in item.object.items.values():
                    self._native_texts(inner, where)

    def read_native(self, text: str, path: str) -> None:
        """Parse a native source once; its lines are counted from where its text begins."""
        first = self.text_lines.get(text, (path, 1))
        if not any(s.path == first[0] and s.first_line == first[1] for s in self.native):
            source = NativeSource(first[0], first[1], parse_cpp(text))
            self.native.append(source)
            override = source.unit.override
            if override is not None:
                self.see(override.reach, override.name, self._native_place(source, override.line))

    text_lines: dict[str, tuple[str, int]]

    def extension_kernel(self, extension: Extension, name: str) -> Kernel:
        """The kernel behind an attribute of a built module, with what its source delegates."""
        homes = {id(f): source for source in self.native for f in source.unit.functions}
        everything = tuple(f for source in self.native for f in source.unit.functions)
        names = {function.name for function in everything}
        entry = name if name in names else "PYBIND11_MODULE"
        if entry not in names:
            return Kernel(name, extension.where)
        reached = CppUnit(everything).reached(frozenset((entry,)))
        for function in reached:
            for item in function.reaches:
                self.see(item.reach, item.name, self._native_place(homes[id(function)], item.line))
        tags = {tag for f in reached for tag in self._native_tags(homes[id(f)], f)}
        works = any(function.works for function in reached)
        return Kernel(name, extension.where, frozenset(tags), own=works or not tags)

    def _native_place(self, source: NativeSource, line: int) -> str:
        return f"{source.path}:{source.first_line + line - 1}"

    def _native_tags(self, source: NativeSource, function: CppFunction) -> list[Tag]:
        tags = []
        for call in function.library:
            where = self._native_place(source, call.line)
            tags.append(
                Tag(
                    Origin.LIBRARY,
                    call.name,
                    where,
                    call.weight,
                    call.guard,
                    on_input=True,
                    fed=True,
                )
            )
        return tags


def reached_storage(values: list[Value]) -> set[Buffer]:
    """Storage of values, of objects among them (a struct), and behind tables of pointers."""
    found = {buffer for value in values for buffer in all_buffers(value)}
    for item in (r for value in values for r in value.refs if isinstance(r, Instance)):
        found |= {buffer for held in item.object.attrs.values() for buffer in all_buffers(held)}
    return found.union(*(buffer.addresses for buffer in found))


def _works_itself(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_parallel_loop(node)
