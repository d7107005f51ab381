"""One abstract run of a whole candidate: import, construct, call.

The rule: forward is followed more than once, because what the first call keeps is what the second
one finds; only the last pass is reported.
"""

from __future__ import annotations

import ast

from assay.data.candidate import Candidate
from assay.guard.arguments import Arguments
from assay.guard.cpp_tokens import looks_like_cpp
from assay.guard.given import Given
from assay.guard.own_modules import file_of, folder_of, may_be_own, module_of, packages_above
from assay.guard.tags import Origin, Tag
from assay.guard.trace import Frame, OutOfBudget, Phase
from assay.guard.trace_statements import StatementTrace
from assay.guard.values import (
    NOTHING,
    Buffer,
    ClassRef,
    Constant,
    Function,
    Instance,
    Ref,
    Scope,
    Value,
    all_buffers,
    join,
    ref,
)

MAX_PASSES = 3
_MAIN = "candidate"  # the `__name__` of the file with the entry


class CandidateTrace(StatementTrace):
    """Runs a candidate's files."""

    def __init__(self, candidate: Candidate, given: Given) -> None:
        super().__init__()
        self.allowed_packages = frozenset(given.allowed_packages)
        self.small_inputs = given.small_inputs
        self.entry = candidate.entry
        self.trees: dict[str, ast.Module] = {}
        self.modules: dict[str, Scope] = {}
        self.text_lines = {}
        self.star_modules = []
        self.readable = True
        self.found_entry = False
        self.complete = True
        for file in candidate.sources:
            if file.path.endswith(".py"):
                self._parse(file.path, file.text)
            elif looks_like_cpp(file.text) or file.path.endswith((".cpp", ".cu", ".cc", ".cxx")):
                self.text_lines[file.text] = (file.path, 1)
        self.main_path = candidate.main.path

    def _parse(self, path: str, text: str) -> None:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            self.readable = False
            return
        self.trees[path] = tree
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if looks_like_cpp(node.value):
                self.text_lines.setdefault(node.value, (path, node.lineno))

    def run(self) -> None:
        """Follow the candidate from import to the result of forward."""
        try:
            self._run()
        except (OutOfBudget, RecursionError):
            self.complete = False

    def _run(self) -> None:
        scope = self._run_file(self.main_path)
        if scope is None:
            return
        classes = [r for r in scope.names.get(self.entry, NOTHING).refs if isinstance(r, ClassRef)]
        if not classes:
            self.found_entry = self.entry in scope.names
            self.opaque = self.opaque or self.found_entry
            return
        self.found_entry = True
        self.phase = Phase.CONSTRUCT
        node = classes[0].object.node
        made = self.construct(classes[0], Arguments(), node, scope)
        self._settle()
        self.phase = Phase.FORWARD
        for _ in range(MAX_PASSES):
            before = {buffer: set(buffer.tags) for buffer in self.buffers}
            kept = self._one_call(made, node)
            if not kept:
                break
            self._age(before)
        self.report_threads(list(self.trees.values()))

    def run_module(self, name: str) -> Scope | None:
        """Another file of the candidate, by its dotted name; its packages run before it."""
        if not self.has_module(name):
            return None
        for package in packages_above(name):
            above = file_of(package, self.trees)
            if above is not None:
                self._run_file(above)
        path = file_of(name, self.trees)
        if path is not None:
            return self._run_file(path)
        folder = folder_of(name)  # a package without a file of its own
        return self.modules.setdefault(folder, Scope(folder))

    def own_module(self, name: str) -> Value | None:
        """`sys.modules[__name__]`: the module itself, which may set names of its own."""
        main = module_of(self.main_path) if name == _MAIN else name
        return self.module(main) if self.has_module(main) else None

    def has_module(self, name: str) -> bool:
        """True where the candidate has a file or folder that is this module."""
        if not name or not may_be_own(name):
            return False
        found = file_of(name, self.trees) is not None
        return found or any(own.startswith(folder_of(name)) for own in self.trees)

    def _run_file(self, path: str) -> Scope | None:
        if path in self.modules:
            return self.modules[path]
        if path not in self.trees:
            return None
        name = _MAIN if path == self.main_path else module_of(path)
        scope = Scope(path, {"__name__": ref(Constant(name)), "__file__": NOTHING})
        self.modules[path] = scope
        self.run_body(self.trees[path].body, scope)
        return scope

    def _one_call(self, made: Value, node: ast.ClassDef) -> bool:
        """Follow one call of forward. True where it kept something for the next."""
        self.launches, self.returns, self.kept = [], [], []
        self.calls += 1
        self.computed.clear()
        first_new = len(self.buffers)
        entry = self._entry_functions(made)
        for function in entry:
            self._enter_forward(function)
        if not entry and not self.returns:
            self.opaque = True
        self._follow_hooks(made, node)
        for buffer in self.buffers[first_new:]:
            buffer.fresh = True
        return bool(self.kept)

    def _entry_functions(self, made: Value) -> list[Function]:
        for name in ("__call__", "forward"):
            found = self.attribute(made, name)
            functions = [r for r in found.refs if isinstance(r, Function)]
            if functions:
                return functions
            others: list[Ref] = [r for r in found.refs if not isinstance(r, Function)]
            if others and name == "forward":
                self._call_other(Value(frozenset(others)), made)
        return []

    def _call_other(self, entry: Value, made: Value) -> None:
        """Forward is a kernel, a compiled function, or comes from a library layer."""
        owner = next((r for r in made.refs if isinstance(r, Instance)), None)
        scope = owner.object.kind.attrs if owner else Scope(self.main_path)
        node = owner.object.kind.node if owner else ast.Pass(lineno=1)
        result = self.call(entry, Arguments((self._input("x"),)), node, scope)
        self.remember_return(result, self.place(node, scope))

    def _input(self, name: str, small: bool = False) -> Value:
        return self.new_buffer({Tag(Origin.INPUT, name, small=small)}, fresh=False)

    def _enter_forward(self, function: Function) -> None:
        args = function.node.args
        inner = Scope(function.scope.module, {}, function.scope)
        names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        for position, name in enumerate(names):
            owner = function.bound if position == 0 else None
            small = position - (function.bound is not None) in self.small_inputs
            inner.names[name] = owner if owner is not None else self._input(name, small)
        for star in (args.vararg, args.kwarg):
            if star is not None:
                inner.names[star.arg] = self._input(star.arg)
        frame = Frame(function.node, inner, is_entry=True)
        self.frames.append(frame)
        if isinstance(function.node, ast.Lambda):
            value = self.evaluate(function.node.body, inner)
            self.remember_return(value, self.place(function.node, inner))
        elif not self.run_body(function.node.body, inner) and not frame.returns:
            self.remember_return(NOTHING, self.place(function.node, inner))
        self.frames.pop()

    def _follow_hooks(self, made: Value, node: ast.AST) -> None:
        """Hooks on the module may replace its result."""
        for hook in self.hooks:
            given = Arguments((made, self._input("input"), self.unknown()))
            result = self.call(hook, given, node, Scope(self.main_path))
            if all_buffers(result):
                self.remember_return(result, self.place(node, Scope(self.main_path)))

    def _settle(self) -> None:
        """What import and construction computed stands ready before the first call."""
        prepared = Tag(Origin.PREPARED)
        for buffer in self.buffers:
            origins = {tag.origin for tag in buffer.tags}
            if origins & {Origin.KERNEL, Origin.LIBRARY} and Origin.PARAMETER not in origins:
                kept = {tag for tag in buffer.tags if tag.origin is not Origin.KERNEL}
                buffer.tags = kept | {prepared}

    def _age(self, before: dict[Buffer, set[Tag]]) -> None:
        """Make what this call left behind into what the next one finds."""
        past = Tag(Origin.PAST)
        touched = self.journal.replay()
        for buffer in self.buffers:
            old = before.get(buffer)
            if old is None:
                buffer.tags = {past}
            elif old != buffer.tags or buffer in touched:
                buffer.tags = old | {past}
        marker = self.new_buffer({past})
        for holder, key in self.kept:
            value = holder.get(key)
            if value is not None:
                holder[key] = _blurred(value, marker)


def _blurred(value: Value, marker: Value) -> Value:
    """A value that changes from call to call: its constants are not constant."""
    refs = frozenset(r for r in value.refs if not isinstance(r, Constant) or r.value is None)
    plain = not value.is_data and not refs
    held = Value(refs, value.buffers | marker.buffers, scalar=plain or value.scalar)
    return (
        held
        if value.is_data or plain
        else join([Value(refs), Value(buffers=held.buffers, scalar=True)])
    )
