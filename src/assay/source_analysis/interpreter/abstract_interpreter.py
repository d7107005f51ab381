"""The interpreter: an abstract interpretation of a candidate, as explicit state and three tables.

`Semantics` holds one function for each type of expression, of statement and of thing that can be
called; the modules beside this one define those functions by concern, and `candidate_run` puts the
tables together. Each function takes the interpreter first.

The rule: what the run cannot resolve becomes `UNKNOWN` or sets `opaque`; it is never guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.data.evidence import Evidence, Severity
from assay.source_analysis.interpreter.interpreter_state import Flow, Heap, Phase, Seen, Sources
from assay.source_analysis.interpreter.tags import Guard
from assay.source_analysis.interpreter.values import (
    NOTHING,
    CallSite,
    Ref,
    Scope,
    Untracked,
    Value,
    join,
)
from assay.source_analysis.source_report import DefinedKernel
from assay.source_analysis.tables.reach import Reach

_WEIGHT = {Severity.NOTE: 0, Severity.SUSPICIOUS: 1, Severity.CONVICTS: 2}
MAX_STEPS = 60_000  # expressions evaluated; a typical candidate needs about 1 000
MAX_DEPTH = 24


class OutOfBudget(Exception):
    """The candidate is too large to follow; the analysis stops and says so."""


ExpressionTable: TypeAlias = Mapping[type[ast.expr], Callable[["Interpreter", Any, Scope], Value]]
StatementTable: TypeAlias = Mapping[
    type[ast.stmt], Callable[["Interpreter", Any, Scope], bool | None]
]
CallTable: TypeAlias = Mapping[type[Ref], Callable[["Interpreter", Any, CallSite], Value]]


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

    def call(self, function: Value, call: CallSite) -> Value:
        """Call whatever a value may be; data, or nothing at all, is called as `Untracked` is."""
        self.step(1 + len(function.refs))
        parts = [self.call_one(item, call) for item in function.refs]
        if function.is_data or not function.refs:
            parts.append(self.call_one(Untracked(), call))
        return join(parts)

    def call_one(self, item: Ref, call: CallSite) -> Value:
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
        self.seen.kernels.setdefault(where, DefinedKernel(name, language, where))
