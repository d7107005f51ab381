"""Gradients: what autograd makes of the candidate's own `torch.autograd.Function` classes.

The rule: a gradient is what `backward` of a class returns whose `apply` was read. Which result came
from which class is not followed: any of them may have made it.
"""

from __future__ import annotations

from dataclasses import replace

from assay.source_analysis.interpreter.abstract_interpreter import Interpreter
from assay.source_analysis.interpreter.dataflow import contents, tags_of
from assay.source_analysis.interpreter.tags import Origin
from assay.source_analysis.interpreter.values import (
    NOTHING,
    CallSite,
    Class,
    FunctionValue,
    Library,
    Value,
    all_buffers,
    box,
    join,
    ref,
)

CONTEXT = "torch.autograd.function.context()"
_SAVED = "saved_tensors"


def applied(run: Interpreter, kind: Class) -> Value:
    """`Kind.apply`: its forward; its backward may be asked for later."""
    if kind not in run.heap.differentiated:
        run.heap.differentiated.append(kind)
    return _with_context(kind, "forward")


def _with_context(kind: Class, name: str) -> Value:
    """A method of the class, bound to the context that autograd hands it first."""
    context = ref(Library(CONTEXT))
    found = (kind.find(name) or NOTHING).of(FunctionValue)
    return Value(frozenset(replace(function, bound=context) for function in found))


def save(run: Interpreter, call: CallSite) -> Value:
    """`ctx.save_for_backward(a, b)`."""
    held = run.heap.attached.setdefault(CONTEXT, {})
    run.heap.journal.set_item(held, _SAVED, box(dict(enumerate(call.positional))))
    return NOTHING


def gradients(run: Interpreter, call: CallSite) -> Value | None:
    """`torch.autograd.grad(outputs, inputs, given)`; None without a class of its own."""
    outputs = call.get(0, "outputs")
    made = _backward(run, call, outputs, call.get(2, "grad_outputs"))
    return box(rest=made) if made is not None else None


def propagate(run: Interpreter, call: CallSite, outputs: Value, given: Value) -> Value | None:
    """`y.backward(given)`: the gradients lie beside the tensors that forward saved."""
    made = _backward(run, call, outputs, given)
    if made is None:
        return None
    for buffer in all_buffers(run.heap.attached.get(CONTEXT, {}).get(_SAVED, NOTHING)):
        buffer.tags.update(made.tags)
    return NOTHING


def _backward(run: Interpreter, call: CallSite, outputs: Value, given: Value) -> Value | None:
    """The gradients of outputs. What the library did to make these, it undoes for their gradients.

    What the backward passes are given may stand in a container.
    """
    functions = [_with_context(kind, "backward") for kind in run.heap.differentiated]
    refs = frozenset(item for function in functions for item in function.refs)
    if not refs:
        return None
    inner = given if given.buffers else contents(run, given)
    made = run.call(Value(refs), call.given(inner if inner.buffers else run.heap.unknown()))
    undone = {tag for tag in tags_of([outputs]) if tag.origin is Origin.LIBRARY}
    return join([made.data, contents(run, made), run.heap.new(undone)])
