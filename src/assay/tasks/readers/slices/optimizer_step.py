"""OptimizerStep: a function that returns an optimizer, asked for the step which its script takes.

The rule: an optimizer holds no answer. Where the script calls `step()` on what the function
returned, the task is that step: a parameter and its gradient are inputs, and what the parameters
have become is the answer.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from assay.tasks.readers.slices.call_slice import CallSlice

_GRADIENT, _STEP = "grad", "step"


def is_stepped(call_op: ast.FunctionDef, call: ast.Call) -> bool:
    """Whether the script keeps what the call returned, takes a step with it and returns nothing."""
    if any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(call_op)):
        return False
    kept = {
        target.id
        for node in ast.walk(call_op)
        if isinstance(node, ast.Assign) and node.value is call
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    steps = [node.func for node in ast.walk(call_op) if isinstance(node, ast.Call)]
    return any(
        isinstance(one, ast.Attribute)
        and one.attr == _STEP
        and isinstance(one.value, ast.Name)
        and one.value.id in kept
        for one in steps
    )


def returns_optimizer(tree: ast.Module, function: str) -> bool:
    """Whether a function of that name returns one of torch's: `torch.optim.Adam(...)`."""
    named = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function]
    returns = [n.value for one in named for n in ast.walk(one) if isinstance(n, ast.Return)]
    made = [value.func for value in returns if isinstance(value, ast.Call)]
    return any(isinstance(n, ast.Attribute) and "optim." in ast.unparse(n) for n in made)


def with_step(found: CallSlice) -> CallSlice:
    """The slice with gradients as inputs, whose call takes a step and gives the parameters."""
    gradients: dict[str, ast.expr] = {}
    rest: list[ast.stmt] = []
    for node in found.statements:
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr=attribute)]) if (
                attribute == _GRADIENT
            ):
                gradients[name] = node.value
            case _:
                rest.append(node)
    given = dict(zip(found.call.inputs, found.inputs, strict=True))
    named = {name: ast.unparse(value) for name, value in given.items()}
    parameters = {name: gradients[value] for name, value in named.items() if value in gradients}
    if not parameters:
        return found
    gradient_of = {name: f"{name}_{_GRADIENT}" for name in parameters}
    inputs = (*found.call.inputs, *gradient_of.values())
    expression = _expression(found.call.expression, gradient_of)
    return replace(
        found,
        statements=tuple(rest),
        inputs=(*found.inputs, *parameters.values()),
        call=replace(found.call, expression=expression, inputs=inputs),
    )


def _expression(call: str, gradient_of: dict[str, str]) -> str:
    """Gradients given, the step taken, gradients taken away: the parameters in the last place."""
    before = [f"setattr({name}, 'grad', {given})" for name, given in gradient_of.items()]
    after = [f"setattr({name}, 'grad', None)" for name in gradient_of]
    changed = ", ".join(gradient_of)
    answer = changed if len(gradient_of) == 1 else f"({changed})"
    return f"[{', '.join((*before, f'{call}.step()', *after, answer))}][-1]"
