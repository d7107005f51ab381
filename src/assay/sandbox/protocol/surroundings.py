"""Surroundings: in which state of the process and of the module a call is made.

The rule: none of them changes what the reference answers. A server, a training loop and a notebook
call the same kernel, and each finds it otherwise than the next. `inference_mode()` is none of them:
what a kernel keeps from such a call must not be changed in another.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Surroundings:
    """Those of the calls of one batch; by default as an evaluation has them."""

    recording: bool = False  # gradients are recorded, as torch does by default
    other_thread: bool = False  # each call is made in a thread of its own
    frozen: bool = False  # no parameter requires a gradient
    other_mode: bool = False  # eval() where the constructor left it in train(), or the reverse
    one_thread: bool = False  # the library, OpenMP and Numba are told to use one
    passing: bool = False  # by an instance that is gone before its result is read
    trained: bool = False  # every input of floats requires a gradient, and it is recorded
    more_threads: bool = False  # the library and OpenMP are told to use a few more
    smaller_teams: bool = False  # OpenMP starts no more threads than there are processors

    @property
    def usual(self) -> bool:
        """Whether nothing is otherwise than in most calls."""
        return self == USUAL


USUAL = Surroundings()
