"""Tensors that are made while inputs are moved are inputs; a mere move changes nothing."""

from __future__ import annotations

import ast

from assay.tasks.readers.slices.moved_inputs import made_there


def _method(text: str) -> ast.FunctionDef:
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.FunctionDef)
    return node


def test_what_is_made_there_is_made_of_what_was_kept() -> None:
    move = _method("def move(self, case):\n n = case\n x = torch.zeros(n)\n return (x, 3)")
    statements, value = made_there(move, ast.parse("rows", mode="eval").body)
    assert [ast.unparse(node) for node in statements] == ["n = rows", "x = torch.zeros(n)"]
    assert ast.unparse(value) == "(x, 3)"


def test_a_move_is_left_out() -> None:
    kept = ast.parse("(x, y)", mode="eval").body
    for text in (
        "def move(self, case):\n x, y = case\n return x.cuda(), y.cuda()",
        "def move(self, case):\n if case:\n  return case\n return torch.zeros(3)",
    ):
        assert made_there(_method(text), kept) == ([], kept)
    assert made_there(None, kept) == ([], kept)
