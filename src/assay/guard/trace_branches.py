"""Branches in the abstract run: if, try, match.

The rule: both sides are followed unless the condition is constant; what stands on a side carries
the kind of condition it stands under, and a side that leaves takes its effects with it.
"""

from __future__ import annotations

import ast

from assay.guard.conditions import branch_guards
from assay.guard.reach import CLOCK_REACH
from assay.guard.tags import Guard, Origin, Tag
from assay.guard.trace_definitions import DefinitionTrace
from assay.guard.values import Buffer, Library, Scope, Value, join


class BranchTrace(DefinitionTrace):
    """Runs branches."""

    def do_If(self, node: ast.If, scope: Scope) -> bool:
        """A branch."""
        test = self.evaluate(node.test, scope)
        truth = self.truth(test)
        if truth is not None:
            return self.run_body(node.body if truth else node.orelse, scope)
        self.step(1 + len(self.buffers) // 8)  # snapshots below grow with the storage seen
        if any(tag.origin is Origin.CLOCK for tag in test.tags) and _returns(node):
            self.see(CLOCK_REACH, "a clock", self.place(node, scope))
        then_guard, else_guard = branch_guards(node.test, test)
        before = dict(scope.names)
        start = dict(self.kernel_writes)
        absent = self._asked_absent(node.test, scope)
        self.absent |= absent
        then_leaves = self._side(node.body, then_guard, scope)
        self.absent -= absent
        middle = dict(self.kernel_writes)
        then_names, scope.names = scope.names, dict(before)
        else_leaves = self._side(node.orelse, else_guard, scope)
        if not then_leaves and not else_leaves:
            self._on_both_sides(start, middle)
        if then_leaves and not else_leaves:
            if not _only_raises(node.body) and else_guard is not Guard.NONE:
                self.guards.append(else_guard)
        elif else_leaves and not then_leaves:
            scope.names = then_names
        else:
            self._named_on_both_sides(then_names, scope.names)
            scope.names = _merge(then_names, scope.names)
        return then_leaves and else_leaves

    def _asked_absent(self, test: ast.expr, scope: Scope) -> set[str]:
        """The library's name that `not hasattr(lib, "x")` or `"x" not in dir(lib)` finds absent."""
        match test:
            case ast.UnaryOp(
                ast.Not(), ast.Call(ast.Name("hasattr"), [owner, ast.Constant(str() as name)])
            ):
                pass
            case ast.Compare(
                ast.Constant(str() as name), [ast.NotIn()], [ast.Call(ast.Name("dir"), [owner])]
            ):
                pass
            case _:
                return set()
        found = self.evaluate(owner, scope).refs
        return {f"{item.name}.{name}" for item in found if isinstance(item, Library)}

    def _on_both_sides(self, start: dict[Buffer, int], middle: dict[Buffer, int]) -> None:
        """Storage that a kernel writes on either side is written whatever the condition says."""
        for buffer, count in self.kernel_writes.items():
            by_then = middle.get(buffer, 0) > start.get(buffer, 0)
            if by_then and count > middle.get(buffer, 0):
                buffer.tags.add(Tag(Origin.KERNEL, "either side", guard=self.guard))

    def _named_on_both_sides(self, left: dict[str, Value], right: dict[str, Value]) -> None:
        """The same for a name that either side binds to what a kernel made."""
        for name, value in left.items():
            other = right.get(name)
            if other is None or other is value or not (value.is_data and other.is_data):
                continue
            if all(any(t.origin is Origin.KERNEL for t in v.tags) for v in (value, other)):
                for buffer in (*value.buffers, *other.buffers):
                    buffer.tags.add(Tag(Origin.KERNEL, "either side", guard=self.guard))

    def _side(self, body: list[ast.stmt], guard: Guard, scope: Scope) -> bool:
        if guard is not Guard.NONE:
            self.guards.append(guard)
        mark = self.journal.mark(self.buffers)
        leaves = self.run_body(body, scope)
        if leaves:
            self.journal.go_back(mark)
        if guard is not Guard.NONE:
            self.guards.pop()
        return leaves

    def do_Try(self, node: ast.Try, scope: Scope) -> bool:
        """A try: its handlers run under a condition."""
        imports = any(isinstance(s, ast.Import | ast.ImportFrom) for s in node.body)
        before = dict(scope.names)
        leaves = self.run_body([*node.body, *node.orelse], scope)
        after = scope.names
        handlers_leave = bool(node.handlers)
        for handler in node.handlers:
            scope.names = _merge(dict(before), after)
            left = self._side(handler.body, Guard.BENIGN if imports else Guard.CONDITION, scope)
            handlers_leave = handlers_leave and left
            if not left:
                after = _prefer(after, scope.names) if imports else _merge(after, scope.names)
        scope.names = after
        self.run_body(node.finalbody, scope)
        return leaves and (handlers_leave or not node.handlers)

    do_TryStar = do_Try

    def do_Match(self, node: ast.Match, scope: Scope) -> None:
        """A match: every case under a condition."""
        subject = self.evaluate(node.subject, scope)
        guard = branch_guards(node.subject, subject)[0]
        for case in node.cases:
            self._side(case.body, guard, scope)


def _merge(left: dict[str, Value], right: dict[str, Value]) -> dict[str, Value]:
    merged = dict(right)
    for name, value in left.items():
        other = merged.get(name)
        merged[name] = value if other is None or other is value else join([value, other])
    return merged


def _prefer(first: dict[str, Value], second: dict[str, Value]) -> dict[str, Value]:
    """Names of a try that imports win: the handler only stands in for a missing package."""
    return {**second, **first}


def _returns(node: ast.If) -> bool:
    """True where one side of the branch returns a value."""
    inner = (child for side in (*node.body, *node.orelse) for child in ast.walk(side))
    return any(isinstance(child, ast.Return) and child.value is not None for child in inner)


def _only_raises(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Raise)
