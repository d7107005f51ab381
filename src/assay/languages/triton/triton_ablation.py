"""Ablation of interpreted Triton: launches that are counted and do nothing.

The rule: only the launch is taken away. Compilation, autotuning and the candidate's own Python go
on as ever, so an answer that is still right was computed by something else.
"""

from __future__ import annotations

from typing import Any


class SilencedLaunches:
    """Takes the launches away from now on, and counts them."""

    def __init__(self) -> None:
        self.count = 0
        try:
            from triton.runtime import interpreter
        except ImportError:
            return
        interpreter.GridExecutor.__call__ = self._ignore

    def _ignore(self, *_args: Any, **_kwargs: Any) -> None:
        self.count += 1
