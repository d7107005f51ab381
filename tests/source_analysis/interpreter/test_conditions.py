"""Conditions: which questions are innocent, which are telling, and which the source answers."""

from __future__ import annotations

import ast

import pytest

from assay.source_analysis.interpreter.conditions import branch_guards, decide, truth
from assay.source_analysis.interpreter.tags import Guard, Origin, Tag
from assay.source_analysis.interpreter.values import (
    NOTHING,
    Buffer,
    Constant,
    Extension,
    Library,
    Untracked,
    Value,
    join,
    ref,
    stored,
)

NONE = ref(Constant(None))


def _guards(test: str, origin: Origin = Origin.INPUT) -> tuple[Guard, Guard]:
    node = ast.parse(test, mode="eval").body
    return branch_guards(node, stored(Buffer({Tag(origin)})))


@pytest.mark.parametrize("test", ["x.numel() == 0", "n < 1", "n <= 0", "not n", "not x.numel()"])
def test_an_empty_input_is_an_innocent_reason(test: str) -> None:
    assert _guards(test) == (Guard.BENIGN, Guard.NONE)


@pytest.mark.parametrize("test", ["x.is_cuda", "HAS_TRITON", "torch.cuda.is_available()"])
def test_a_missing_device_is_an_innocent_reason(test: str) -> None:
    assert _guards(test) == (Guard.BENIGN, Guard.BENIGN)


@pytest.mark.parametrize("origin", [Origin.CLOCK, Origin.PAST, Origin.SURROUNDINGS])
def test_a_clock_the_past_and_the_surroundings_are_telling(origin: Origin) -> None:
    assert _guards("seen > 3", origin) == (Guard.PHASE, Guard.PHASE)
    assert _guards("seen > 3") == (Guard.CONDITION, Guard.CONDITION)


@pytest.mark.parametrize(
    ("left", "answer"),
    [
        (NONE, True),
        (ref(Constant(1)), False),
        (ref(Extension("k.py:1")), False),
        (join([NONE, ref(Extension("k.py:1"))]), None),
        (ref(Untracked()), None),
        (ref(Library("os.getenv()")), None),
        (NOTHING, None),
    ],
)
def test_whether_a_value_is_none(left: Value, answer: bool | None) -> None:
    assert decide(ast.Is(), left, NONE) is answer
    assert decide(ast.IsNot(), left, NONE) is (None if answer is None else not answer)


def test_truth_is_certain_for_constants_and_for_things_that_exist() -> None:
    assert truth(ref(Constant(0))) is False
    assert truth(ref(Extension("k.py:1"))) is True
    assert truth(ref(Library("os.getenv()"))) is None
    assert truth(stored(Buffer())) is None
