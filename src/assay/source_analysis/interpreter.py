"""The interpreter: an abstract interpretation of a candidate, as explicit state and three tables.

`Semantics` holds one function for each type of expression, of statement and of thing that can be
called; the modules beside this one define those functions by concern, and `candidate_run` puts the
tables together. Each function takes the interpreter first.

The rule: what the run cannot resolve becomes `UNKNOWN` or sets `opaque`; it is never guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.guard.cpp_functions import CppUnit
from assay.guard.given import Given
from assay.guard.reach import Reach
from assay.guard.tags import Guard, Origin, Tag
from assay.source_analysis.source_report import KernelSeen, LaunchSeen, ReturnSeen
from assay.source_analysis.values import (
    NOTHING,
    Box,
    Buffer,
    Call,
    Class,
    Lost,
    Ref,
    Scope,
    Value,
    join,
    stored,
)

Holder = dict[Any, Value]


@dataclass(frozen=True, slots=True)
class _ItemWrite:
    holder: Holder
    key: object
    old: Value | None


@dataclass(frozen=True, slots=True)
class _RestWrite:
    box: Box
    old: Value | None


@dataclass(slots=True)
class Mark:
    """A moment to go back to."""

    position: int
    tags: list[tuple[Buffer, frozenset[Tag]]]


@dataclass(slots=True)
class Journal:
    """Every write, in order, and what was taken back."""

    writes: list[_ItemWrite | _RestWrite] = field(default_factory=list)
    later: list[tuple[Holder | Box, object, Value]] = field(default_factory=list)
    touched: set[Buffer] = field(default_factory=set)  # tagged in a branch that left

    def set_item(self, holder: Holder, key: object, value: Value) -> None:
        """Write one item."""
        self.writes.append(_ItemWrite(holder, key, holder.get(key)))
        holder[key] = value

    def set_rest(self, box: Box, value: Value) -> None:
        """Write what a container holds under no constant key."""
        self.writes.append(_RestWrite(box, box.rest))
        box.rest = value

    def mark(self, buffers: Iterable[Buffer]) -> Mark:
        """Remember this moment."""
        return Mark(len(self.writes), [(buffer, frozenset(buffer.tags)) for buffer in buffers])

    def go_back(self, mark: Mark) -> None:
        """Take back everything since a moment; `replay` brings it again for the next call."""
        while len(self.writes) > mark.position:
            self._undo(self.writes.pop())
        for buffer, tags in mark.tags:
            if len(buffer.tags) != len(tags):
                self.touched.add(buffer)
                buffer.tags = set(tags)

    def _undo(self, write: _ItemWrite | _RestWrite) -> None:
        if isinstance(write, _RestWrite):
            if write.box.rest is not None:
                self.later.append((write.box, None, write.box.rest))
            write.box.rest = write.old
            return
        self.later.append((write.holder, write.key, write.holder[write.key]))
        if write.old is None:
            del write.holder[write.key]
        else:
            write.holder[write.key] = write.old

    def replay(self) -> set[Buffer]:
        """Write again what was taken back, beside what stands there; the buffers it concerned."""
        for target, key, value in self.later:
            if isinstance(target, Box):
                target.rest = join([target.rest, value]) if target.rest is not None else value
            else:
                old = target.get(key)
                target[key] = join([old, value]) if old is not None else value
        touched = self.touched
        self.writes, self.later, self.touched = [], [], set()
        return touched


_WEIGHT = {Severity.NOTE: 0, Severity.SUSPICIOUS: 1, Severity.CONVICTS: 2}
MAX_STEPS = 60_000  # expressions evaluated; a typical candidate needs about 1 000
MAX_DEPTH = 24


class Phase(StrEnum):
    """Which part of a candidate's life the run is in, as a finding says it."""

    IMPORT = "import"
    CONSTRUCT = "construction"
    FORWARD = "a call"


class OutOfBudget(Exception):
    """The candidate is too large to follow; the analysis stops and says so."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What is analysed, and what the analysis is told beside it."""

    entry: str
    main_path: str
    trees: Mapping[str, ast.Module]  # by path
    native_texts: Mapping[str, tuple[str, int]]  # C++ and CUDA texts: path and first line of each
    given: Given


@dataclass(slots=True)
class Frame:
    """One active call of a candidate's function."""

    node: ast.AST
    scope: Scope
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    is_entry: bool = False


@dataclass(frozen=True, slots=True)
class NativeSource:
    """C++ or CUDA text found in the candidate."""

    path: str
    first_line: int
    unit: CppUnit

    def place(self, line: int) -> str:
        """`kernel.py:12` for a line of the text."""
        return f"{self.path}:{self.first_line + line - 1}"


@dataclass(frozen=True, slots=True)
class ThreadSeen:
    """A thread that is started."""

    name: str
    where: str
    works: bool  # started by forward, or it writes what outlives a call


@dataclass(slots=True)
class Flow:
    """Where the run is: phase, conditions it stands under, active calls, work done so far."""

    phase: Phase = Phase.IMPORT
    guards: list[Guard] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    making: list[Class] = field(default_factory=list)  # classes whose metaclass is at work
    absent: set[str] = field(default_factory=set)  # names of libraries that a branch found missing
    finalising: bool = False  # a finaliser is being followed
    at_exit: bool = False  # an exit hook is being followed
    forward_calls: int = 0  # calls of forward that were followed
    steps: int = 0


@dataclass(slots=True)
class Heap:
    """Everything that outlives a statement: storage, modules, registrations, writes to undo."""

    buffers: list[Buffer] = field(default_factory=list)
    journal: Journal = field(default_factory=Journal)
    kept: list[tuple[Holder, object]] = field(default_factory=list)  # what forward stored
    kernel_writes: dict[Buffer, int] = field(default_factory=dict)  # kernels' writes by storage
    attached: dict[object, dict[str, Value]] = field(default_factory=dict)  # to functions, handles
    generators: dict[Box, int] = field(default_factory=dict)  # and the call that made each
    modules: dict[str, Scope] = field(default_factory=dict)  # files that have run, by path
    star_modules: list[str] = field(default_factory=list)  # libraries imported with a star
    native: list[NativeSource] = field(default_factory=list)
    custom_operators: dict[str, Value] = field(default_factory=dict)
    hooks: list[Value] = field(default_factory=list)
    cached: set[ast.AST] = field(default_factory=set)  # functions whose results a decorator keeps

    def new(self, tags: set[Tag] | None = None, fresh: bool = True) -> Value:
        """A value that holds new storage."""
        buffer = Buffer(tags if tags is not None else set(), fresh)
        self.buffers.append(buffer)
        return stored(buffer)

    def unknown(self, tags: set[Tag] | None = None) -> Value:
        """A value nothing is known about."""
        return self.new({*(tags or ()), Tag(Origin.UNKNOWN)})


@dataclass(slots=True)
class Seen:
    """What the run has found: the material of a `SourceReport`."""

    events: dict[tuple[EvidenceKind, str, str], Evidence] = field(default_factory=dict)
    kernels: dict[str, KernelSeen] = field(default_factory=dict)
    launches: list[LaunchSeen] = field(default_factory=list)
    computed: dict[tuple[str, str], Tag] = field(default_factory=dict)
    returns: list[ReturnSeen] = field(default_factory=list)
    threads: dict[str, ThreadSeen] = field(default_factory=dict)
    thread_writes: bool = False  # a function given to a thread writes what outlives a call
    waits: bool = False  # the source waits for some thread
    compiles: bool = False  # it runs a native compiler
    writes_files: bool = False
    opaque: bool = False
    hides_code: bool = False  # text that cannot be worked out is executed
    found_entry: bool = False
    complete: bool = True


ExpressionTable: TypeAlias = Mapping[type[ast.expr], Callable[["Interpreter", Any, Scope], Value]]
StatementTable: TypeAlias = Mapping[
    type[ast.stmt], Callable[["Interpreter", Any, Scope], bool | None]
]
CallTable: TypeAlias = Mapping[type[Ref], Callable[["Interpreter", Any, Call], Value]]


@dataclass(frozen=True, slots=True)
class Semantics:
    """What each kind of expression, statement and callable means."""

    expressions: ExpressionTable
    statements: StatementTable  # True where the statement always leaves its block
    calls: CallTable


class Interpreter:
    """One abstract interpretation: its sources, its semantics, and its state."""

    def __init__(self, sources: Sources, semantics: Semantics) -> None:
        self.sources, self.semantics = sources, semantics
        self.flow, self.heap, self.seen = Flow(), Heap(), Seen()

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        """The value of an expression; one of an unlisted type may be any of its parts."""
        if node is None:
            return NOTHING
        self.step()
        rule = self.semantics.expressions.get(type(node))
        if rule is not None:
            return rule(self, node, scope)
        children = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
        return join([NOTHING, *(self.evaluate(child, scope) for child in children)])

    def execute(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Run a block. True where it always leaves its function or loop."""
        depth = len(self.flow.guards)
        try:
            for statement in body:
                self.step()
                rule = self.semantics.statements.get(type(statement))
                if rule is not None and rule(self, statement, scope):
                    return True
        finally:
            del self.flow.guards[depth:]
        return False

    def call(self, function: Value, call: Call) -> Value:
        """Call whatever a value may be; data, or nothing at all, is called as `Lost` is."""
        self.step(1 + len(function.refs))
        parts = [self.call_one(item, call) for item in function.refs]
        if function.is_data or not function.refs:
            parts.append(self.call_one(Lost(), call))
        return join(parts)

    def call_one(self, item: Ref, call: Call) -> Value:
        """Call one thing; a constant cannot be called."""
        rule = self.semantics.calls.get(type(item))
        return rule(self, item, call) if rule is not None else NOTHING

    @property
    def in_forward(self) -> bool:
        """True while a call of forward is followed."""
        return self.flow.phase is Phase.FORWARD

    @property
    def guard(self) -> Guard:
        """The condition under which the current statement runs."""
        for guard in (Guard.BENIGN, Guard.PHASE, Guard.CONDITION):
            if guard in self.flow.guards:
                return guard
        return Guard.NONE

    def step(self, cost: int = 1) -> None:
        """Count work; a source too large to follow stops the run."""
        self.flow.steps += cost
        if self.flow.steps > MAX_STEPS:
            raise OutOfBudget

    def see(self, reach: Reach, what: str, where: str) -> None:
        """Record that code reaches beyond itself; of one place the most serious finding counts."""
        severity = reach.severity(self.in_forward)
        text = f"{what} {reach.text} (reached from {self.flow.phase.value})."
        key = (reach.kind, where, what)
        known = self.seen.events.get(key)
        if known is None or _WEIGHT[severity] > _WEIGHT[known.severity]:
            found = Evidence(kind=reach.kind, severity=severity, where=where, text=text)
            self.seen.events[key] = found

    def see_kernel(self, name: str, language: str, where: str) -> None:
        """Record a kernel of the candidate's; the first of a place counts."""
        self.seen.kernels.setdefault(where, KernelSeen(name, language, where))
