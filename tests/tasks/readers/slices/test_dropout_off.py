"""Dropout is switched off where the function has a switch, and nothing else is changed."""

from __future__ import annotations

import ast

import pytest

from assay.tasks.readers.slices.dropout_off import without_dropout

MODULE = """
def drops(x, p=0.5, training=True, *, out=None):
    return torch.nn.functional.dropout(x, p, training)
def only_by_name(x, *, training=True):
    return F.dropout(x, training=training)
def no_switch(x):
    return F.dropout(x)
def no_dropout(x, training=True):
    return F.batch_norm(x, None, None, training=training)
"""


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ("drops(x)", "drops(x, training=False)"),
        ("drops(x, 0.1, True)", "drops(x, 0.1, False)"),
        ("drops(x, training=True, out=y)", "drops(x, out=y, training=False)"),
        ("only_by_name(x)", "only_by_name(x, training=False)"),
        ("no_switch(x)", "no_switch(x)"),
        ("no_dropout(x)", "no_dropout(x)"),
        ("elsewhere.drops(x)", "elsewhere.drops(x)"),
    ],
)
def test_a_call_without_dropout(call: str, made: str) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    assert ast.unparse(without_dropout(node, ast.parse(MODULE))) == made
