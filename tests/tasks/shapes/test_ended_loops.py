"""A loop of the input functions that cannot end is an error, and every other stays what it was."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from assay.tasks.shapes.ended_loops import end_loops

SOURCE = """
def get_inputs(rows, elements):
    width, odd = 1, 0
    while rows * width < elements:
        width += 1
        if width % 2:
            continue
        odd += 1
        if odd > 50:
            break
    return width, odd

def helper():
    while True:
        return 3
"""


def _names() -> dict[str, Any]:
    tree = ast.parse(SOURCE)
    end_loops(tree)
    names: dict[str, Any] = {}
    exec(compile(tree, "<test>", "exec"), names)
    return names


def test_a_loop_counts_as_before() -> None:
    names = _names()
    assert names["get_inputs"](3, 30) == (10, 5) and names["get_inputs"](3, 0) == (1, 0)
    assert names["get_inputs"](1, 1000) == (102, 51)
    assert names["helper"]() == 3


def test_a_loop_without_an_end_is_an_error() -> None:
    endless = _names()
    source = SOURCE.replace("odd > 50", "False")
    tree = ast.parse(source)
    end_loops(tree)
    exec(compile(tree, "<test>", "exec"), endless)
    with pytest.raises(RuntimeError, match="did not end"):
        endless["get_inputs"](0, 30)
