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
def always(x, rate=0.1):
    return F.dropout(x, p=rate, training=True)
def no_dropout(x, training=True):
    return F.batch_norm(x, None, None, training=training)
def of_batch(x, p=0.5, training=True):
    return F.dropout(F.batch_norm(x, None, None, training=training), p=p, training=training)
def of_batch_at_a_rate(x, training=True):
    return F.dropout(F.batch_norm(x, None, None, None, None, training), 0.5, training)
def of_statistics(x, mean, var, p=0.5, training=True):
    return F.dropout(F.batch_norm(x, mean, var, training=training), p, training)
"""


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ("drops(x)", "drops(x, training=False)"),
        ("drops(x, 0.1, True)", "drops(x, 0.1, False)"),
        ("drops(x, training=True, out=y)", "drops(x, out=y, training=False)"),
        ("only_by_name(x)", "only_by_name(x, training=False)"),
        ("of_batch(x, p=0.3, training=True)", "of_batch(x, training=True, p=0.0)"),
        ("of_batch(x, 0.3)", "of_batch(x, 0.0)"),
        ("of_batch_at_a_rate(x)", "of_batch_at_a_rate(x)"),
        ("of_statistics(x, m, v)", "of_statistics(x, m, v, training=False)"),
        ("no_switch(x)", "no_switch(x)"),
        ("always(x)", "always(x, rate=0.0)"),
        ("no_dropout(x)", "no_dropout(x)"),
        ("elsewhere.drops(x)", "elsewhere.drops(x)"),
    ],
)
def test_a_call_without_dropout(call: str, made: str) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    assert ast.unparse(without_dropout(node, ast.parse(MODULE))) == made
