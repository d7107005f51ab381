"""State of an abstract interpretation: what is read, where it is, what it holds, what it has seen.

The rule: `Sources` never changes; `Flow` is where the run is, `Heap` what outlives a statement,
`Seen` what will be reported. After `if a: store(y); return y` the rest of the function must not see
the store, but the next call must: the journal of the heap takes such writes back and replays them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from assay.data.evidence import Evidence, EvidenceKind
from assay.source_analysis.cpp.cpp_functions import CppUnit
from assay.source_analysis.interpreter.tags import Guard, Origin, Tag
from assay.source_analysis.interpreter.values import (
    Box,
    Buffer,
    Class,
    Scope,
    Value,
    either,
    stored,
)
from assay.source_analysis.source_report import DefinedKernel, LaunchSeen, ReturnSeen
from assay.source_analysis.task_facts import Given

Holder = dict[Any, Value]  # names, attributes or items, by name or key
Mark = tuple[int, list[tuple[Buffer, frozenset[Tag]]]]  # a moment: writes so far, tags of storage


@dataclass(slots=True)
class Journal:
    """Every write to what outlives a block, in order, and what was taken back.

    A write is a target, a key and a value; a container without a key means its `rest`.
    """

    writes: list[tuple[Holder | Box, object, Value | None]] = field(default_factory=list)
    later: list[tuple[Holder | Box, object, Value]] = field(default_factory=list)
    touched: set[Buffer] = field(default_factory=set)  # tagged in a branch that left

    def set_item(self, holder: Holder, key: object, value: Value) -> None:
        """Write one item."""
        self.writes.append((holder, key, holder.get(key)))
        holder[key] = value

    def set_rest(self, box: Box, value: Value) -> None:
        """Write what a container holds under no constant key."""
        self.writes.append((box, None, box.rest))
        box.rest = value

    def mark(self, buffers: Iterable[Buffer]) -> Mark:
        """Remember this moment."""
        return len(self.writes), [(buffer, frozenset(buffer.tags)) for buffer in buffers]

    def go_back(self, mark: Mark) -> None:
        """Take back everything since a moment; `replay` brings it again for the next call."""
        while len(self.writes) > mark[0]:
            target, key, old = self.writes.pop()
            now = _read(target, key)
            if now is not None:
                self.later.append((target, key, now))
            _put(target, key, old)
        for buffer, tags in mark[1]:
            if len(buffer.tags) != len(tags):
                self.touched.add(buffer)
                buffer.tags = set(tags)

    def replay(self) -> set[Buffer]:
        """Write again what was taken back, beside what stands there; the buffers it concerned."""
        for target, key, value in self.later:
            old = _read(target, key)
            _put(target, key, either([old, value]) if old is not None else value)
        touched = self.touched
        self.writes, self.later, self.touched = [], [], set()
        return touched


def _read(target: Holder | Box, key: object) -> Value | None:
    return target.rest if isinstance(target, Box) else target.get(key)


def _put(target: Holder | Box, key: object, value: Value | None) -> None:
    if isinstance(target, Box):
        target.rest = value
    elif value is None:
        del target[key]
    else:
        target[key] = value


class Phase(StrEnum):
    """Which part of a candidate's life the run is in, as a finding says it."""

    IMPORT = "import"
    CONSTRUCT = "construction"
    FORWARD = "a call"


@dataclass(frozen=True, slots=True)
class Sources:
    """What is analysed, and what the analysis is told beside it."""

    entry: str
    main_path: str
    trees: Mapping[str, ast.Module]  # by path
    native_texts: Mapping[str, tuple[str, int]]  # C++ and CUDA texts: path and first line of each
    given: Given


@dataclass(slots=True)
class CallFrame:
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
    frames: list[CallFrame] = field(default_factory=list)
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
    differentiated: list[Class] = field(default_factory=list)  # whose `apply` was read
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
    kernels: dict[str, DefinedKernel] = field(default_factory=dict)
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
