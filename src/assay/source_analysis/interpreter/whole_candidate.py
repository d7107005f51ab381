"""One abstract run of a whole candidate: import, construct, call.

The rule: forward is followed more than once, because what the first call keeps is what the second
one finds; only the last pass is reported.
"""

from __future__ import annotations

import ast

from assay.source_analysis.interpreter import (
    calls,
    expressions,
    library_calls,
    methods,
    modules,
    statements,
)
from assay.source_analysis.interpreter.abstract_interpreter import (
    Interpreter,
    OutOfBudget,
    Semantics,
)
from assay.source_analysis.interpreter.attributes import attribute
from assay.source_analysis.interpreter.calls import construct
from assay.source_analysis.interpreter.effects import report_threads
from assay.source_analysis.interpreter.interpreter_state import CallFrame, Phase, Sources
from assay.source_analysis.interpreter.modules import run_file
from assay.source_analysis.interpreter.statements import remember_return
from assay.source_analysis.interpreter.tags import Origin, Tag
from assay.source_analysis.interpreter.values import (
    NOTHING,
    Buffer,
    CallSite,
    Class,
    Constant,
    FunctionValue,
    Instance,
    Scope,
    Value,
    all_buffers,
    join,
)

MAX_PASSES = 3
SEMANTICS = Semantics(
    expressions=expressions.EXPRESSIONS,
    statements={**statements.STATEMENTS, **calls.STATEMENTS, **modules.STATEMENTS},
    calls={**calls.CALLS, **library_calls.CALLS, **methods.CALLS},
)


def interpret(sources: Sources) -> Interpreter:
    """Follow a candidate from import to the result of forward."""
    run = Interpreter(sources, SEMANTICS)
    try:
        _follow(run)
    except (OutOfBudget, RecursionError):
        run.seen.complete = False
    return run


def _follow(run: Interpreter) -> None:
    scope = run_file(run, run.sources.main_path)
    if scope is None:
        return
    classes = scope.names.get(run.sources.entry, NOTHING).of(Class)
    run.seen.found_entry = bool(classes) or run.sources.entry in scope.names
    if not classes:
        run.seen.opaque = run.seen.opaque or run.seen.found_entry
        return
    site = CallSite(scope.place(classes[0].node), scope)
    run.flow.phase = Phase.CONSTRUCT
    made = construct(run, classes[0], site)
    _settle(run)
    run.flow.phase = Phase.FORWARD
    for _ in range(MAX_PASSES):
        before = {buffer: set(buffer.tags) for buffer in run.heap.buffers}
        if not _one_call(run, made, site):
            break
        _age(run, before)
    report_threads(run, run.sources.trees.values())


def _one_call(run: Interpreter, made: Value, site: CallSite) -> bool:
    """Follow one call of forward. True where it kept something for the next."""
    seen, heap = run.seen, run.heap
    seen.launches, seen.returns, heap.kept = [], [], []
    seen.computed.clear()
    run.flow.forward_calls += 1
    first_new = len(heap.buffers)
    entry = _entry_functions(run, made)
    for function in entry:
        _enter_forward(run, function)
    if not entry and not seen.returns:
        seen.opaque = True
    _follow_hooks(run, made, site)
    for buffer in heap.buffers[first_new:]:
        buffer.fresh = True
    return bool(heap.kept)


def _entry_functions(run: Interpreter, made: Value) -> list[FunctionValue]:
    for name in ("__call__", "forward"):
        found = attribute(run, made, name)
        functions = found.of(FunctionValue)
        if functions:
            return functions
        if found.refs and name == "forward":
            _call_other(run, Value(found.refs), made)
    return []


def _call_other(run: Interpreter, entry: Value, made: Value) -> None:
    """Forward is a kernel, a compiled function, or comes from a library layer."""
    owners = made.of(Instance)
    main = run.sources.main_path
    site = owners[0].kind.call() if owners else CallSite(f"{main}:1", Scope(main))
    result = run.call(entry, site.given(_input(run, "x")))
    remember_return(run, result, site.where)


def _input(run: Interpreter, name: str, small: bool = False) -> Value:
    return run.heap.new({Tag(Origin.INPUT, name, small=small)}, fresh=False)


def _enter_forward(run: Interpreter, function: FunctionValue) -> None:
    """Follow the body of forward with arguments that are inputs."""
    node = function.node
    inner = _forward_scope(run, function)
    frame = CallFrame(node, inner, is_entry=True)
    run.flow.frames.append(frame)
    if isinstance(node, ast.Lambda):
        remember_return(run, run.evaluate(node.body, inner), inner.place(node))
    elif not run.execute(node.body, inner) and not frame.returns:
        remember_return(run, NOTHING, inner.place(node))
    run.flow.frames.pop()


def _forward_scope(run: Interpreter, function: FunctionValue) -> Scope:
    args, bound = function.node.args, function.bound
    inner = Scope(function.scope.module, {}, function.scope)
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    for position, name in enumerate(names):
        small = position - (bound is not None) in run.sources.given.small_inputs
        owner = bound if position == 0 else None
        inner.names[name] = owner or _input(run, name, small)
    for star in (args.vararg, args.kwarg):
        if star is not None:
            inner.names[star.arg] = _input(run, star.arg)
    return inner


def _follow_hooks(run: Interpreter, made: Value, site: CallSite) -> None:
    """Hooks on the module may replace its result."""
    for hook in run.heap.hooks:
        given = (made, _input(run, "input"), run.heap.unknown())
        result = run.call(hook, CallSite(site.where, Scope(run.sources.main_path), given))
        if all_buffers(result):
            remember_return(run, result, site.where)


def _settle(run: Interpreter) -> None:
    """What import and construction computed stands ready before the first call."""
    for buffer in run.heap.buffers:
        origins = {tag.origin for tag in buffer.tags}
        if origins & {Origin.KERNEL, Origin.LIBRARY} and Origin.PARAMETER not in origins:
            kept = {tag for tag in buffer.tags if tag.origin is not Origin.KERNEL}
            buffer.tags = kept | {Tag(Origin.PREPARED)}


def _age(run: Interpreter, before: dict[Buffer, set[Tag]]) -> None:
    """Make what this call left behind into what the next one finds."""
    past = Tag(Origin.PAST)
    touched = run.heap.journal.replay()
    for buffer in run.heap.buffers:
        old = before.get(buffer)
        if old is None:
            buffer.tags = {past}
        elif old != buffer.tags or buffer in touched:
            buffer.tags = old | {past}
    marker = run.heap.new({past})
    for holder, key in run.heap.kept:
        value = holder.get(key)
        if value is not None:
            holder[key] = _blurred(value, marker)


def _blurred(value: Value, marker: Value) -> Value:
    """A value that changes from call to call: its constants are not constant."""
    refs = frozenset(r for r in value.refs if not isinstance(r, Constant) or r.value is None)
    plain = not value.is_data and not refs
    held = Value(refs, value.buffers | marker.buffers, scalar=plain or value.scalar)
    if value.is_data or plain:
        return held
    return join([Value(refs), Value(buffers=held.buffers, scalar=True)])
