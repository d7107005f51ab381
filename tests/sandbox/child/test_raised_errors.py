"""Checks of a candidate's own, told from errors that came over it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import torch

from assay.sandbox.child.raised_errors import described, is_own_check

SOURCE = """
import numpy as np
import torch


class Unsupported(Exception):
    pass


def bare_assertion(x):
    assert x.shape[0] == 3


def raised(x):
    raise RuntimeError("rows of %s"
                       % (x.shape,))


def own_class(x):
    raise Unsupported("no")


def unknown_key(x):
    try:
        return {}[x.dtype]
    except KeyError:
        raise TypeError("no kernel for it")


def library_call(x):
    return torch.matmul(x, torch.zeros(3, 3))


def operator(x):
    return x @ torch.zeros(3, 3)


def method(x):
    return x.view(3,
                  7)


def method_of_a_result(x):
    return x.contiguous().view(3, 7)


def python_part_of_a_library(x):
    return torch.nn.functional.layer_norm(x, (9,))


def registered_operator(x):
    return torch.ops.aten.mm(x, x)


def array(x):
    return np.zeros(3).reshape(7)


def unpacking(x):
    a, b, c = x.shape


def index(x):
    return [1][3]


def division(x):
    try:
        return 1 // 0
    except ZeroDivisionError as error:
        raise RuntimeError("it failed") from error


def no_exception(x):
    raise GeneratorExit
"""
CHECKS = ["bare_assertion", "raised", "own_class", "unknown_key"]
BROKEN = [
    "library_call",
    "operator",
    "method",
    "method_of_a_result",
    "python_part_of_a_library",
    "registered_operator",
    "array",
    "unpacking",
    "index",
    "division",
    "no_exception",
]


@pytest.fixture(scope="module")
def candidate(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path: Path = tmp_path_factory.mktemp("scratch") / "kernel.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("kernel", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _error(candidate: ModuleType, name: str) -> BaseException:
    with pytest.raises(BaseException) as caught:
        getattr(candidate, name)(torch.zeros(4, 5))
    return caught.value


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_of_its_own(candidate: ModuleType, name: str) -> None:
    assert is_own_check(_error(candidate, name))


@pytest.mark.parametrize("name", BROKEN)
def test_an_error_that_came_over_it(candidate: ModuleType, name: str) -> None:
    assert not is_own_check(_error(candidate, name))


def test_an_assertion_without_words_is_described_by_its_line(candidate: ModuleType) -> None:
    error = _error(candidate, "bare_assertion")
    assert described(error) == "AssertionError: assert x.shape[0] == 3"
    assert described(ValueError("so")) == "ValueError: so"
