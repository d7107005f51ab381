"""MovedInputs: tensors that a performance script makes only where it moves its inputs.

The rule: a method that does nothing but move is left out; one that calls a generator of tensors is
run between what was kept and the call, on what was kept.
"""

from __future__ import annotations

import ast
import copy

from assay.tasks.shapes.source_sizes import FACTORIES


def made_there(move: ast.FunctionDef | None, kept: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
    """Statements that make the inputs of the call of what was kept, and those inputs."""
    if move is None or not _makes_tensors(move) or not isinstance(move.body[-1], ast.Return):
        return [], kept
    returned = move.body[-1].value
    if returned is None or any(isinstance(n, ast.Return) for s in move.body[:-1] for n in _all(s)):
        return [], kept
    given = _Given(move.args.args[-1].arg, kept)
    before = [given.visit(copy.deepcopy(node)) for node in move.body[:-1]]
    made: ast.expr = given.visit(copy.deepcopy(returned))
    return [ast.fix_missing_locations(node) for node in before], ast.fix_missing_locations(made)


def _all(node: ast.AST) -> list[ast.AST]:
    return list(ast.walk(node))


def _makes_tensors(move: ast.FunctionDef) -> bool:
    calls = [node.func for node in ast.walk(move) if isinstance(node, ast.Call)]
    return any(
        isinstance(one, ast.Attribute)
        and one.attr in FACTORIES
        and isinstance(one.value, ast.Name)
        and one.value.id == "torch"
        for one in calls
    )


class _Given(ast.NodeTransformer):
    """What was kept in the place of the method's parameter."""

    def __init__(self, name: str, kept: ast.expr) -> None:
        self._name = name
        self._kept = kept

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The value, where the parameter is read."""
        if node.id != self._name or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(copy.deepcopy(self._kept), node)
