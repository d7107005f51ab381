"""Trace: the state of an abstract run of a candidate. Nothing of the candidate is executed.

The rule: what the run cannot resolve becomes `UNKNOWN` or sets `opaque`; it is never guessed.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import StrEnum

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.guard.cpp_functions import CppUnit
from assay.guard.journal import Holder, Journal
from assay.guard.reach import Reach
from assay.guard.tags import Guard, Origin, Tag
from assay.guard.values import BoxObject, Buffer, ClassRef, Scope, Value


class Phase(StrEnum):
    """Which part of a candidate's life the run is in."""

    IMPORT = "import"
    CONSTRUCT = "construct"
    FORWARD = "forward"


@dataclass(frozen=True, slots=True)
class KernelSeen:
    """A kernel that the candidate defines."""

    name: str
    language: str
    where: str


@dataclass(frozen=True, slots=True)
class LaunchSeen:
    """A kernel call that forward reaches."""

    name: str
    where: str
    guard: Guard


@dataclass(frozen=True, slots=True)
class ReturnSeen:
    """One return of forward: what may be in the result there."""

    where: str
    guard: Guard
    tags: frozenset[Tag]
    subclass: bool = False  # it may be an instance of a tensor subclass of the candidate
    blank: bool = False  # new storage that nothing was written to, or nothing but a constant


@dataclass(slots=True)
class Frame:
    """One active call of a candidate's function."""

    node: ast.AST
    scope: Scope
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    is_entry: bool = False
    depth_of_guards: int = 0


@dataclass(slots=True)
class NativeSource:
    """C++ or CUDA text found in the candidate."""

    path: str
    first_line: int
    unit: CppUnit


class OutOfBudget(Exception):
    """The candidate is too large to follow; the analysis stops and says so."""


_WEIGHT = {Severity.NOTE: 0, Severity.SUSPICIOUS: 1, Severity.CONVICTS: 2}
MAX_STEPS = 60_000  # expressions evaluated; a typical candidate needs about 1 000
MAX_DEPTH = 24


class Trace:
    """Everything the run has seen so far."""

    def __init__(self) -> None:
        self.phase = Phase.IMPORT
        self.guards: list[Guard] = []
        self.frames: list[Frame] = []
        self.buffers: list[Buffer] = []
        self.events: dict[tuple[EvidenceKind, str, str], Evidence] = {}
        self.kernels: dict[str, KernelSeen] = {}
        self.launches: list[LaunchSeen] = []
        self.computed: dict[tuple[str, str], Tag] = {}
        self.returns: list[ReturnSeen] = []
        self.native: list[NativeSource] = []
        self.native_entries: set[str] = set()
        self.kept: list[tuple[Holder, object]] = []
        self.journal = Journal()
        self.custom_operators: dict[str, Value] = {}
        self.attached: dict[object, dict[str, Value]] = {}  # attributes of functions and handles
        self.generators: dict[BoxObject, int] = {}  # what they yield, and the call that made them
        self.calls = 0  # calls of forward that were followed
        self.making: list[ClassRef] = []  # classes whose metaclass is at work
        self.hooks: list[Value] = []
        self.cached: set[ast.AST] = set()  # functions whose results a decorator keeps
        self.finalising = False  # a finaliser is being followed
        self.kernel_writes: dict[Buffer, int] = {}  # how often kernels wrote each storage
        self.waits = False  # the source waits for some thread
        self.absent: set[str] = set()  # names of libraries that a branch found missing
        self.compiles = False
        self.opaque = False
        self.steps = 0

    @property
    def guard(self) -> Guard:
        """The condition under which the current statement runs."""
        for guard in (Guard.BENIGN, Guard.PHASE, Guard.CONDITION):
            if guard in self.guards:
                return guard
        return Guard.NONE

    def place(self, node: ast.AST, scope: Scope) -> str:
        """`kernel.py:12` for a node."""
        return f"{scope.module}:{getattr(node, 'lineno', 0)}"

    def new_buffer(self, tags: set[Tag] | None = None, fresh: bool = True) -> Value:
        """A value that holds new storage."""
        buffer = Buffer(tags if tags is not None else set(), fresh)
        self.buffers.append(buffer)
        return Value(buffers=frozenset((buffer,)))

    def unknown(self, tags: set[Tag] | None = None) -> Value:
        """A value nothing is known about."""
        return self.new_buffer({*(tags or ()), Tag(Origin.UNKNOWN)})

    def surroundings(self, name: str) -> Value:
        """A plain value that tells something of the world around the candidate."""
        buffer = Buffer({Tag(Origin.SURROUNDINGS, name)}, fresh=False)
        return Value(buffers=frozenset((buffer,)), scalar=True)

    def see(self, reach: Reach, what: str, where: str) -> None:
        """Record that code reaches beyond itself."""
        severity = reach.severity(self.phase is Phase.FORWARD)
        when = {Phase.FORWARD: "a call", Phase.CONSTRUCT: "construction", Phase.IMPORT: "import"}
        text = f"{what} {reach.text} (reached from {when[self.phase]})."
        key = (reach.kind, where, what)
        known = self.events.get(key)
        if known is None or _WEIGHT[severity] > _WEIGHT[known.severity]:
            found = Evidence(kind=reach.kind, severity=severity, where=where, text=text)
            self.events[key] = found

    def step(self, cost: int = 1) -> None:
        """Count work; a source too large to follow stops the run."""
        self.steps += cost
        if self.steps > MAX_STEPS:
            raise OutOfBudget

    def tensor_tags(self, values: list[Value]) -> set[Tag]:
        """Union of the tags of some values."""
        found: set[Tag] = set()
        for value in values:
            found |= value.tags
        return found
