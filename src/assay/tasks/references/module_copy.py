"""Module copy: a deep copy of a module that shares no layer with the original.

The rule: functions that a part of the module holds see the copies of what they enclose. `deepcopy`
shares functions, so that a lambda over a layer would go on calling the layer of the original.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from types import CellType, FunctionType
from typing import Any

from torch import nn


def copied_module(module: nn.Module) -> nn.Module:
    """A deep copy; functions among the attributes of its parts call parts of the copy."""
    known: dict[int, Any] = {}
    made = copy.deepcopy(module, known)
    for part in made.modules():
        for key, value in vars(part).items():
            if isinstance(value, FunctionType):
                vars(part)[key] = _over_copies(value, known)
    return made


def _over_copies(function: FunctionType, known: Mapping[int, Any]) -> FunctionType:
    """The same function over the copies of what it encloses and takes by default."""

    def cell(old: CellType) -> CellType:
        try:
            return CellType(known.get(id(old.cell_contents), old.cell_contents))
        except ValueError:  # not assigned yet
            return old

    code, name = function.__code__, function.__name__
    enclosed = tuple(map(cell, function.__closure__ or ()))
    taken = tuple(known.get(id(value), value) for value in function.__defaults__ or ())
    made = FunctionType(code, function.__globals__, name, taken, enclosed)
    named = function.__kwdefaults__ or {}
    made.__kwdefaults__ = {key: known.get(id(value), value) for key, value in named.items()}
    return made
