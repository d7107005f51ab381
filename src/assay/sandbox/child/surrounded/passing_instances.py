"""PassingInstances: a new instance for one call, gone before its result is read: `Model()(x)`.

The rule: only of instances without state. What constructing takes is paid from one allowance, and
the first time tells what it takes: a slow constructor is called seldom or never, and a machine that
stands still for a moment costs a turn, not all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

ALLOWANCE_S = 1.0  # of one process, for all constructors


class PassingInstances:
    """How instances are made again, by the number of the one that stays."""

    def __init__(self) -> None:
        self._left_s = ALLOWANCE_S
        self._makers: dict[int, tuple[Callable[[], Any], float]] = {}  # with what it took

    def construct(self, number: int, make: Callable[[], Any]) -> Any:
        """The instance that stays; whether there will be others of it is decided here."""
        start = time.monotonic()
        instance = make()
        if isinstance(instance, torch.nn.Module) and not instance.state_dict():
            self._makers[number] = make, time.monotonic() - start
        return instance

    def maker(self, number: int) -> Callable[[], Any] | None:
        """Makes one more, where there may be one and the allowance suffices."""
        make, took_s = self._makers.get(number, (None, 0.0))
        return None if make is None or took_s > self._left_s else lambda: self._made(number, make)

    def _made(self, number: int, make: Callable[[], Any]) -> Any:
        start = time.monotonic()
        try:
            return make()
        finally:
            took_s = time.monotonic() - start
            self._left_s -= took_s
            self._makers[number] = make, min(took_s, self._makers[number][1])
