"""Statements: branches, loops, contexts, returns, exceptions, assignments.

The rule: both sides of a branch are followed unless its condition is constant; what stands on a
side carries the kind of condition it stands under, and a side that leaves takes its effects with
it. A loop is followed once, and a result of forward is taken as it is at its return. A name of a
module, an attribute and an item outlive the call, so forward's stores to them are remembered for
its next call; a store to data is seen through every name of its storage.
"""

from __future__ import annotations

import ast

from assay.source_analysis.interpreter.abstract_interpreter import Interpreter, StatementTable
from assay.source_analysis.interpreter.attributes import set_attribute
from assay.source_analysis.interpreter.conditions import branch_guards, truth
from assay.source_analysis.interpreter.dataflow import (
    contents,
    entered,
    holds_kernel,
    keep,
    mark_kernel,
    special,
    specials,
    write,
)
from assay.source_analysis.interpreter.operators import arithmetic
from assay.source_analysis.interpreter.tags import Guard, Origin, Tag
from assay.source_analysis.interpreter.values import (
    ANY_NAME,
    NOTHING,
    Box,
    Buffer,
    Class,
    Constant,
    Generated,
    Instance,
    Library,
    Scope,
    Value,
    all_buffers,
    either,
    join,
    ref,
)
from assay.source_analysis.source_report import ReturnSeen
from assay.source_analysis.tables.reach import CLOCK_REACH, EXIT_RAISED, MODE_REACH, item_reach

_BEYOND = frozenset("SystemExit KeyboardInterrupt GeneratorExit BaseException".split())
_KNOWN_MODULES = frozenset(
    "torch time numpy json os sys builtins triton math random gc inspect threading".split()
)
_MODES = ("TorchFunctionMode", "TorchDispatchMode")


def _return(run: Interpreter, node: ast.Return, scope: Scope) -> bool:
    """A return; forward's own are remembered one by one."""
    value = run.evaluate(node.value, scope)
    if run.flow.frames:
        frame = run.flow.frames[-1]
        frame.returns.append(value)
        if frame.is_entry:
            remember_return(run, value, scope.place(node))
    return True


def remember_return(run: Interpreter, value: Value, where: str) -> None:
    """One result of forward, as it is at this moment."""
    bases = [base for item in value.of(Instance) for base in item.kind.library_bases()]
    lying = any("Tensor" in base for base in bases)
    tags = frozenset(value.tags | ({Tag(Origin.UNKNOWN)} if _is_lost(value) else set()))
    plain = {Origin.SURROUNDINGS, Origin.CLOCK}
    blank = value.is_data and not value.refs and {tag.origin for tag in tags} <= plain
    run.seen.returns.append(ReturnSeen(where, run.guard, tags, lying, blank))


def _is_lost(value: Value) -> bool:
    """True for a result that is a handle, or nothing at all: where its data went is not known."""
    known = any(isinstance(item, Constant | Instance | Generated) for item in value.refs)
    return not known and not all_buffers(value)


def _raise(run: Interpreter, node: ast.Raise, scope: Scope) -> bool:
    """An exception ends the block."""
    for title in _beyond_handlers(run.evaluate(node.exc, scope)):
        run.see(EXIT_RAISED, title, scope.place(node))
    return True


def _beyond_handlers(value: Value) -> list[str]:
    """Exceptions that a handler of `Exception` does not catch."""
    names = [i.name.removeprefix("builtins.").removesuffix("()") for i in value.of(Library)]
    kinds = [*value.of(Class), *(item.kind for item in value.of(Instance))]
    bases = [{base.removeprefix("builtins.") for base in k.library_bases()} for k in kinds]
    own = [kind.name for kind, names in zip(kinds, bases, strict=True) if names & _BEYOND]
    return [name for name in names if name in _BEYOND] + own


def _for(run: Interpreter, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
    bind(run, node.target, contents(run, run.evaluate(node.iter, scope)), scope)
    _repeat(run, node.body, scope)
    run.execute(node.orelse, scope)


def _while(run: Interpreter, node: ast.While, scope: Scope) -> None:
    if truth(run.evaluate(node.test, scope)) is not False:
        _repeat(run, node.body, scope)
    run.execute(node.orelse, scope)


def _repeat(run: Interpreter, body: list[ast.stmt], scope: Scope) -> None:
    """The body of a loop, followed once: a constant that it changes is not settled by that."""
    nodes = (node for statement in body for node in ast.walk(statement))
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    changed = {name for name in bound & scope.names.keys() if scope.names[name].constant()}
    before = {name: either([scope.names[name], NOTHING]) for name in changed}
    scope.names.update(before)
    run.execute(body, scope)
    for name in changed:
        if scope.names[name].constant():
            scope.names[name] = either([scope.names[name], before[name]])


def _with(run: Interpreter, node: ast.With | ast.AsyncWith, scope: Scope) -> bool:
    managers: list[Value] = []
    for item in node.items:
        value = run.evaluate(item.context_expr, scope)
        managers.append(value)
        _watch_context(run, value, scope.place(node))
        bound = entered(run, value)
        if item.optional_vars is not None:
            bind(run, item.optional_vars, bound, scope)
    leaves = run.execute(node.body, scope)
    for value in reversed(managers):
        for name in ("__exit__", "__aexit__"):
            specials(run, value, name, NOTHING, NOTHING, NOTHING)
    return leaves


def _watch_context(run: Interpreter, value: Value, where: str) -> None:
    for kind in (item.kind for item in value.of(Instance)):
        if any(base.endswith(_MODES) for base in kind.library_bases()):
            run.see(MODE_REACH, kind.name, where)
    if any("Executor" in item.name for item in value.of(Library)):
        run.seen.waits = True


def _if(run: Interpreter, node: ast.If, scope: Scope) -> bool:
    test = run.evaluate(node.test, scope)
    answer = truth(test)
    if answer is not None:
        return run.execute(node.body if answer else node.orelse, scope)
    run.step(1 + len(run.heap.buffers) // 8)  # snapshots below grow with the storage seen
    if any(tag.origin is Origin.CLOCK for tag in test.tags) and _returns(node):
        run.see(CLOCK_REACH, "a clock", scope.place(node))
    return _both_sides(run, node, branch_guards(node.test, test), scope)


def _both_sides(run: Interpreter, node: ast.If, guards: tuple[Guard, Guard], scope: Scope) -> bool:
    """Follow both sides of a branch from the same names, and join what they leave."""
    before, start = dict(scope.names), dict(run.heap.kernel_writes)
    absent = _asked_absent(run, node.test, scope)
    run.flow.absent |= absent
    then_leaves = _side(run, node.body, guards[0], scope)
    run.flow.absent -= absent
    middle = dict(run.heap.kernel_writes)
    then_names, scope.names = scope.names, before
    else_leaves = _side(run, node.orelse, guards[1], scope)
    if not then_leaves and not else_leaves:
        _written_on_both_sides(run, start, middle)
    if then_leaves and not else_leaves:
        if not isinstance(node.body[-1], ast.Raise) and guards[1] is not Guard.NONE:
            run.flow.guards.append(guards[1])
    elif else_leaves and not then_leaves:
        scope.names = then_names
    else:
        _named_on_both_sides(run, then_names, scope.names)
        scope.names = _merge(then_names, scope.names)
    return then_leaves and else_leaves


def _returns(node: ast.If) -> bool:
    """True where one side of the branch returns a value."""
    inner = (child for side in (*node.body, *node.orelse) for child in ast.walk(side))
    return any(isinstance(child, ast.Return) and child.value is not None for child in inner)


def _asked_absent(run: Interpreter, test: ast.expr, scope: Scope) -> set[str]:
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
    return {f"{item.name}.{name}" for item in run.evaluate(owner, scope).of(Library)}


def _written_on_both_sides(
    run: Interpreter, start: dict[Buffer, int], middle: dict[Buffer, int]
) -> None:
    """Storage that a kernel writes on either side is written whatever the condition says."""
    for buffer, count in run.heap.kernel_writes.items():
        by_then = middle.get(buffer, 0) > start.get(buffer, 0)
        if by_then and count > middle.get(buffer, 0):
            mark_kernel(run, [buffer], "either side")


def _named_on_both_sides(run: Interpreter, left: dict[str, Value], right: dict[str, Value]) -> None:
    """The same for a name that either side binds to what a kernel made."""
    for name, value in left.items():
        other = right.get(name)
        if other is None or other is value or not (value.is_data and other.is_data):
            continue
        if holds_kernel(value) and holds_kernel(other):
            mark_kernel(run, (*value.buffers, *other.buffers), "either side")


def _side(run: Interpreter, body: list[ast.stmt], guard: Guard, scope: Scope) -> bool:
    """Follow one side of a branch; where it leaves, its effects are taken back."""
    if guard is not Guard.NONE:
        run.flow.guards.append(guard)
    mark = run.heap.journal.mark(run.heap.buffers)
    leaves = run.execute(body, scope)
    if leaves:
        run.heap.journal.go_back(mark)
    if guard is not Guard.NONE:
        run.flow.guards.pop()
    return leaves


def _merge(left: dict[str, Value], right: dict[str, Value]) -> dict[str, Value]:
    merged = dict(right)
    for name, value in left.items():
        other = merged.get(name)
        merged[name] = value if other is None or other is value else either([value, other])
    return merged


def _try(run: Interpreter, node: ast.Try, scope: Scope) -> bool:
    """A try: its handlers run under a condition. Names of a try that imports win: there the
    handler only stands in for a missing package.
    """
    imports = any(isinstance(s, ast.Import | ast.ImportFrom) for s in node.body)
    guard = Guard.BENIGN if imports else Guard.CONDITION
    before = dict(scope.names)
    leaves = run.execute([*node.body, *node.orelse], scope)
    after = scope.names
    handlers_leave = True
    for handler in node.handlers:
        scope.names = _merge(before, after)
        if not _side(run, handler.body, guard, scope):
            handlers_leave = False
            after = {**scope.names, **after} if imports else _merge(after, scope.names)
    scope.names = after
    run.execute(node.finalbody, scope)
    return leaves and handlers_leave


def _match(run: Interpreter, node: ast.Match, scope: Scope) -> None:
    """A match: every case under a condition, each from the same names."""
    subject = run.evaluate(node.subject, scope)
    guard = branch_guards(node.subject, subject)[0]
    before, after = scope.names, {} if _takes_all(node.cases[-1]) else scope.names
    for case in node.cases:
        scope.names = dict(before)
        if not _side(run, case.body, guard, scope):
            after = _merge(scope.names, after)
    scope.names = after or before


def _takes_all(case: ast.match_case) -> bool:
    """True for `case _:` and `case name:`."""
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and not case.pattern.pattern


def bind(run: Interpreter, target: ast.expr, value: Value, scope: Scope) -> None:
    """Bind any kind of target."""
    if isinstance(target, ast.Name):
        _bind_name(run, target.id, value, scope)
    elif isinstance(target, ast.Tuple | ast.List):
        for position, item in enumerate(target.elts):
            bind(run, item, _part(value, position), scope)
    elif isinstance(target, ast.Starred):
        bind(run, target.value, value, scope)
    elif isinstance(target, ast.Attribute):
        base = run.evaluate(target.value, scope)
        set_attribute(run, base, target.attr, value, scope.place(target))
    elif isinstance(target, ast.Subscript):
        _bind_item(run, target, value, scope)


def _bind_name(run: Interpreter, name: str, value: Value, scope: Scope) -> None:
    home = scope.home(name)
    if run.flow.frames and home.parent is None:
        keep(run, home.names, name, value)
    else:
        home.names[name] = value


def _part(value: Value, position: int) -> Value:
    parts = [value.data]
    for item in value.refs:
        if isinstance(item, Box):
            parts.append(item.items.get(position) or item.rest or NOTHING)
        if isinstance(item, Library) and item.name.endswith("()"):
            parts.append(ref(item))
    return join(parts)


def _bind_item(run: Interpreter, target: ast.Subscript, value: Value, scope: Scope) -> None:
    base, key = run.evaluate(target.value, scope), run.evaluate(target.slice, scope)
    for item in base.refs:
        special(run, item, "__setitem__", key, value)
        if isinstance(item, Box):
            _store(run, item, key, value)
        if isinstance(item, Library):
            _patch_item(run, item.name, key.text(), scope.place(target))
    write(base, value)
    for buffer in base.buffers if value.scalar else ():
        buffer.addresses |= value.buffers


def _store(run: Interpreter, item: Box, key: Value, value: Value) -> None:
    held, constant = item, key.constant()
    if constant is not None:
        run.heap.journal.set_item(held.items, constant.value, value)
    else:
        run.heap.journal.set_rest(held, either([held.rest or NOTHING, value]))
    if run.in_forward:
        run.heap.kept.append((held.items, constant.value if constant is not None else "*"))


def _patch_item(run: Interpreter, name: str, key: str | None, where: str) -> None:
    """`sys.modules["torch"] = ...`, `torch.__dict__["mm"] = ...`."""
    reach = item_reach(name)
    if reach is not None:
        run.see(reach, name, where)
    is_known = key is not None and key.split(".")[0] in _KNOWN_MODULES
    if name.endswith(".__dict__"):
        owner = ref(Library(name.removesuffix(".__dict__")))
        set_attribute(run, owner, key or ANY_NAME, NOTHING, where)
    elif name == "os.environ" or (name == "sys.modules" and is_known):
        set_attribute(run, ref(Library(name)), key or "", NOTHING, where)


def _assign(run: Interpreter, node: ast.Assign | ast.AnnAssign, scope: Scope) -> None:
    """`a = b`, `a: T = b`; an annotation alone binds nothing."""
    if node.value is not None:
        value = run.evaluate(node.value, scope)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            bind(run, target, value, scope)


def _augmented(run: Interpreter, node: ast.AugAssign, scope: Scope) -> None:
    """`a += b`: in place on tensors."""
    sides = [run.evaluate(node.target, scope), run.evaluate(node.value, scope)]
    value = arithmetic(run, node, sides, scope)
    if sides[0].is_data:
        value = join([write(sides[0], value), value])
    bind(run, node.target, value, scope)


def _delete(run: Interpreter, node: ast.Delete, scope: Scope) -> None:
    """`del torch.x`."""
    for target in node.targets:
        if isinstance(target, ast.Attribute):
            bind(run, target, NOTHING, scope)


def _do(run: Interpreter, node: ast.Expr | ast.Assert, scope: Scope) -> None:
    """An expression for its effect; a check is followed for what it touches."""
    run.evaluate(node.value if isinstance(node, ast.Expr) else node.test, scope)


STATEMENTS: StatementTable = {
    ast.Expr: _do, ast.Assert: _do, ast.Return: _return, ast.Raise: _raise,
    ast.Continue: lambda *_: True, ast.Break: lambda *_: True,
    ast.For: _for, ast.AsyncFor: _for, ast.While: _while, ast.With: _with, ast.AsyncWith: _with,
    ast.If: _if, ast.Try: _try, ast.TryStar: _try, ast.Match: _match,
    ast.Assign: _assign, ast.AnnAssign: _assign, ast.AugAssign: _augmented, ast.Delete: _delete,
}  # fmt: skip
