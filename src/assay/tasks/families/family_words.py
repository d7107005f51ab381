"""FamilyWords: what a family file is written with.

    AXES = {
        "rows": {"own": 512, "high": 4096, "role": "batch"},
        "cols": {"own": 2048, "high": 16384},
    }


    FAMILY = {"category": "Activation", "kerneleval": "elementwise", "level": "K1"}


    @task(backward=True)
    def silu(x: Float["rows cols"]) -> Tensor:
        "x times its own sigmoid."
        return F.silu(x)

The rule: these names carry meaning to `family_file`, which parses and never runs them. Here they
are only what lets a family file be imported and edited as Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def task(**declared: Any) -> Callable[[_Function], _Function]:
    """Makes a function a task; see `family_function.Declared` for what can be said."""

    def as_it_is(function: _Function) -> _Function:
        return function

    return as_it_is


class _Argument:
    """A tensor that the function is given: `Word["dimensions", "domain"]`."""

    def __class_getitem__(cls, described: object) -> Any:
        return cls


class Float(_Argument):
    """Of the task's own precision; a second text names the domain."""


class Half(_Argument):
    """float16, whatever the task's precision."""


class BFloat(_Argument):
    """bfloat16, whatever the task's precision."""


class Complex(_Argument):
    """complex64."""


class Index(_Argument):
    """int64 from 0 up to, and without, the second text."""


class Integer(_Argument):
    """int64 from the second text up to, and without, the third."""


class Code(_Argument):
    """int8 from -127 to 127."""


class Flag(_Argument):
    """bool, half of them true."""


class Expression(_Argument):
    """What an expression of axes and of helpers of the file makes."""
