"""Statements of the abstract run: assignments, loops, contexts, returns.

The rule: a loop is followed once, and a result of forward is taken as it is at its return.
"""

from __future__ import annotations

import ast

from assay.guard.overrides import item_reach
from assay.guard.reach import EXIT_RAISED, MODE_REACH
from assay.guard.tags import Origin, Tag
from assay.guard.trace import Phase, ReturnSeen
from assay.guard.trace_branches import BranchTrace
from assay.guard.values import (
    NOTHING,
    Box,
    ClassRef,
    Constant,
    Generated,
    Instance,
    Library,
    Scope,
    Value,
    all_buffers,
    join,
    ref,
)


class StatementTrace(BranchTrace):
    """Runs statements."""

    def run_body(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Run a block. True where it always leaves its function or loop."""
        depth = len(self.guards)
        try:
            for statement in body:
                self.step()
                handler = getattr(self, "do_" + type(statement).__name__, None)
                if handler is not None and handler(statement, scope):
                    return True
        finally:
            del self.guards[depth:]
        return False

    def do_Expr(self, node: ast.Expr, scope: Scope) -> None:
        """An expression for its effect."""
        self.evaluate(node.value, scope)

    def do_Return(self, node: ast.Return, scope: Scope) -> bool:
        """A return; forward's own are remembered one by one."""
        value = self.evaluate(node.value, scope)
        if self.frames:
            frame = self.frames[-1]
            frame.returns.append(value)
            if frame.is_entry:
                self.remember_return(value, self.place(node, scope))
        return True

    def remember_return(self, value: Value, where: str) -> None:
        """One result of forward, as it is at this moment."""
        instances = [r.object.kind for r in value.refs if isinstance(r, Instance)]
        lying = any("Tensor" in base for kind in instances for base in kind.library_bases())
        tags = frozenset(value.tags | ({Tag(Origin.UNKNOWN)} if _is_lost(value) else set()))
        plain = {Origin.SURROUNDINGS, Origin.CLOCK}
        blank = value.is_data and not value.refs and {tag.origin for tag in tags} <= plain
        self.returns.append(ReturnSeen(where, self.guard, tags, lying, blank))

    def do_Raise(self, node: ast.Raise, scope: Scope) -> bool:
        """An exception ends the block."""
        value = self.evaluate(node.exc, scope)
        for title in _beyond_handlers(value):
            self.see(EXIT_RAISED, title, self.place(node, scope))
        return True

    def do_Assert(self, node: ast.Assert, scope: Scope) -> None:
        """A check: followed for what it touches; it makes no result."""
        self.evaluate(node.test, scope)

    def do_Continue(self, node: ast.stmt, scope: Scope) -> bool:
        """Leaves the block."""
        return True

    do_Break = do_Continue

    def do_Assign(self, node: ast.Assign, scope: Scope) -> None:
        """`a = b`."""
        value = self.evaluate(node.value, scope)
        for target in node.targets:
            self.bind(target, value, scope)

    def do_AnnAssign(self, node: ast.AnnAssign, scope: Scope) -> None:
        """`a: T = b`."""
        if node.value is not None:
            self.bind(node.target, self.evaluate(node.value, scope), scope)

    def do_AugAssign(self, node: ast.AugAssign, scope: Scope) -> None:
        """`a += b`: in place on tensors."""
        target = node.target
        load = ast.copy_location(_as_load(target), target)
        sides = [self.evaluate(load, scope), self.evaluate(node.value, scope)]
        value = self.arithmetic(node, node.op, sides, scope)
        if sides[0].is_data:
            for buffer in sides[0].buffers:
                buffer.tags |= value.tags
            value = join([sides[0], value])
        self.bind(target, value, scope)

    def bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Bind any kind of target."""
        if isinstance(target, ast.Name):
            home = scope.home(target.id)
            if self.frames and home.parent is None:
                self.keep(home.names, target.id, value)
            else:
                home.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            for position, item in enumerate(target.elts):
                self.bind(item, self._part(value, position), scope)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, value, scope)
        elif isinstance(target, ast.Attribute):
            base = self.evaluate(target.value, scope)
            self.set_attribute(base, target.attr, value, self.place(target, scope))
        elif isinstance(target, ast.Subscript):
            self._bind_item(target, value, scope)

    def _part(self, value: Value, position: int) -> Value:
        parts = [Value(buffers=value.buffers, scalar=value.scalar)]
        for item in value.refs:
            if isinstance(item, Box):
                known = item.object.items.get(position)
                parts += [known if known is not None else item.object.rest or NOTHING]
            if isinstance(item, Library) and item.name.endswith("()"):
                parts.append(ref(item))
        return join(parts)

    def _bind_item(self, target: ast.Subscript, value: Value, scope: Scope) -> None:
        base = self.evaluate(target.value, scope)
        key = self.evaluate(target.slice, scope)
        for item in base.refs:
            self.special(item, "__setitem__", key, value)
            if isinstance(item, Box):
                self._store(item, key, value)
            if isinstance(item, Library):
                reach = item_reach(item.name)
                if reach is not None:
                    self.see(reach, item.name, self.place(target, scope))
                self._patch_item(item.name, key.text(), self.place(target, scope))
        for buffer in base.buffers:
            buffer.tags |= value.tags
            buffer.addresses |= value.buffers if value.scalar else frozenset()

    def _store(self, item: Box, key: Value, value: Value) -> None:
        constant = key.constant()
        box = item.object
        if constant is not None and constant.value.__hash__ is not None:
            self.journal.set_item(box.items, constant.value, value)
        else:
            self.journal.set_rest(box, join([box.rest or NOTHING, value]))
        if self.phase is Phase.FORWARD:
            self.kept.append((box.items, constant.value if constant is not None else "*"))

    def _patch_item(self, name: str, key: str | None, where: str) -> None:
        """`sys.modules["torch"] = ...`, `torch.__dict__["mm"] = ...`."""
        if name.endswith(".__dict__"):
            owner = name.removesuffix(".__dict__")
            self.set_attribute(ref(Library(owner)), key or "a computed name", NOTHING, where)
        elif name == "sys.modules" and key is not None and key.split(".")[0] in _KNOWN_MODULES:
            self.set_attribute(ref(Library("sys.modules")), key, NOTHING, where)
        elif name == "os.environ":
            self.set_attribute(ref(Library("os.environ")), key or "", NOTHING, where)

    def do_Delete(self, node: ast.Delete, scope: Scope) -> None:
        """`del torch.x`."""
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                base = self.evaluate(target.value, scope)
                self.set_attribute(base, target.attr, NOTHING, self.place(target, scope))

    def do_For(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        """A loop: one pass stands for all."""
        self.bind(node.target, self.contents(self.evaluate(node.iter, scope)), scope)
        self.run_body(node.body, scope)
        self.run_body(node.orelse, scope)

    do_AsyncFor = do_For

    def do_While(self, node: ast.While, scope: Scope) -> None:
        """A loop: one pass stands for all."""
        if self.truth(self.evaluate(node.test, scope)) is not False:
            self.run_body(node.body, scope)
        self.run_body(node.orelse, scope)

    def do_With(self, node: ast.With | ast.AsyncWith, scope: Scope) -> bool:
        """A context."""
        managers: list[Value] = []
        for item in node.items:
            value = self.evaluate(item.context_expr, scope)
            managers.append(value)
            self._watch_context(value, self.place(node, scope))
            entered = self.entered(value)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, entered, scope)
        leaves = self.run_body(node.body, scope)
        for value in reversed(managers):
            for name in ("__exit__", "__aexit__"):
                self.specials(value, name, NOTHING, NOTHING, NOTHING)
        return leaves

    do_AsyncWith = do_With

    def _watch_context(self, value: Value, where: str) -> None:
        for item in value.refs:
            if isinstance(item, Instance):
                bases = item.object.kind.library_bases()
                if any(base.endswith(("TorchFunctionMode", "TorchDispatchMode")) for base in bases):
                    self.see(MODE_REACH, item.object.kind.name, where)
            if isinstance(item, Library) and "Executor" in item.name:
                self.waits = True


def _is_lost(value: Value) -> bool:
    """True for a result that is a handle, or nothing at all: where its data went is not known."""
    known = any(isinstance(r, Constant | Instance | Generated) for r in value.refs)
    return not known and not all_buffers(value)


_BEYOND = frozenset("SystemExit KeyboardInterrupt GeneratorExit BaseException".split())


def _beyond_handlers(value: Value) -> list[str]:
    """Exceptions that a handler of `Exception` does not catch."""
    found: list[str] = []
    for item in value.refs:
        if isinstance(item, Library):
            name = item.name.removeprefix("builtins.").removesuffix("()")
            found += [name] if name in _BEYOND else []
        elif isinstance(item, Instance | ClassRef):
            kind = item.object.kind if isinstance(item, Instance) else item.object
            bases = {base.removeprefix("builtins.") for base in kind.library_bases()}
            found += [kind.name] if bases & _BEYOND else []
    return found


_KNOWN_MODULES = frozenset(
    "torch time numpy json os sys builtins triton math random gc inspect threading".split()
)


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    return target
