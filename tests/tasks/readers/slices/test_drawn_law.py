"""A function that only draws has the law of its draw; one that computes has none."""

from __future__ import annotations

import ast

import pytest

from assay.data.contract import Law
from assay.tasks.readers.slices.drawn_law import drawn_law


@pytest.mark.parametrize(
    ("body", "law"),
    [
        ('"""Draws."""\n    return torch.rand(*size)', Law.UNIFORM),
        ("return torch.rand_like(size)", Law.UNIFORM),
        ("return torch.rand(*size) * 2", None),
        ("return torch.zeros(*size)", None),
        ("size = size * 2\n    return torch.rand(*size)", None),
    ],
)
def test_the_law_of_a_function(body: str, law: Law | None) -> None:
    found = drawn_law(ast.parse(f"def f(*size):\n    {body}\n"), "f")
    assert (found.law if found else None) == law
    assert drawn_law(ast.parse("x = 1"), "f") is None
