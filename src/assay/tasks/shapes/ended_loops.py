"""EndedLoops: loops of a task's input functions that end at every size.

The rule: `while rows * width < elements: width += 1` never ends where rows is 0. Such a loop is
left with an error after a number of turns that no generator of inputs needs, so that the size is
one the task does not have, like any other at which it fails.
"""

from __future__ import annotations

import ast

from assay.tasks.shapes.source_sizes import INPUT_FUNCTIONS

TURNS = 1 << 16
_TURN = "_assay_turn"
_ERROR = f"a loop of the input functions did not end within {TURNS} turns"


def end_loops(tree: ast.Module) -> None:
    """Rewrites the loops in place."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in INPUT_FUNCTIONS:
            _Ended().visit(node)
    ast.fix_missing_locations(tree)


class _Ended(ast.NodeTransformer):
    def visit_While(self, node: ast.While) -> ast.stmt:
        """The same loop, counted; one with an `else` of its own stays as it is."""
        self.generic_visit(node)
        if node.orelse:
            return node
        over = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
        turns = ast.Call(ast.Name("range", ast.Load()), [ast.Constant(TURNS)], [])
        error = ast.Call(ast.Name("RuntimeError", ast.Load()), [ast.Constant(_ERROR)], [])
        counter = ast.Name(_TURN, ast.Store())
        made = ast.For(counter, turns, [over, *node.body], [ast.Raise(error)])
        return ast.copy_location(made, node)
