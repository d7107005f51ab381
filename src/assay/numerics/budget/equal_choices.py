"""Choices among equals: the truth where a selection takes another of equal elements.

The rule: nobody promises which of equal elements `topk` selects, nor in which order `topk` and an
unstable sort give their places; NaN equals NaN here. What follows from such a choice is not judged.
`argmax`, `max` and `min` promise the first, and a stable sort the given order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.errors import TaskError

_MOST_TURNS = 16  # runs of the reference; more equal elements than that are taken in steps

Outputs = tuple[torch.Tensor, ...]


class ChoiceWatch(TorchDispatchMode):
    """While active, keeps in `most` how many equals a selection had to choose from.

    With a `turn` the selections take that many places further on in the circle of equals; with
    `backwards` they count from the last of them.
    """

    def __init__(self, turn: int | None = None, backwards: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.most = 1
        self._turn = turn
        self._backwards = backwards

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo: 2.3 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        result = func(*args, **given)
        selection = _selection(func, args, given)
        if selection is None or not result[1].numel():
            return result
        operand, dim, descending = selection
        if not _has_equals(operand, result[0], dim):
            return result
        places, most = self._other_places(operand, result[1].shape[dim], dim, descending)
        self.most = max(self.most, most)
        if self._turn is not None:
            result[1].copy_(places)
        return result

    def _other_places(
        self, operand: torch.Tensor, count: int, dim: int, descending: bool
    ) -> tuple[torch.Tensor, int]:
        """The first `count` places in order, and the size of the largest group of equals."""
        given = operand.detach().movedim(dim, -1)
        values, order = given.sort(dim=-1, descending=descending, stable=True)
        number = torch.arange(values.shape[-1]).expand(values.shape)
        begins = torch.ones(values.shape, dtype=torch.bool)
        begins[..., 1:] = ~_equal(values[..., 1:], values[..., :-1])
        start = torch.where(begins, number, 0).cummax(-1).values
        ends = torch.cat([begins[..., 1:], torch.ones_like(begins[..., :1])], -1)
        last = torch.where(ends, number, values.shape[-1]).flip(-1).cummin(-1).values.flip(-1)
        size = last - start + 1
        within = (number - start + (self._turn or 0)) % size
        chosen = last - within if self._backwards else start + within
        places = order.gather(-1, chosen)[..., :count].movedim(-1, dim)
        return places, int(size[..., :count].max())


def _selection(func: Any, args: Any, given: Any) -> tuple[torch.Tensor, int, bool] | None:
    """What is selected from, along which dimension, and whether the largest come first."""
    name = func.overloadpacket.__name__
    if name not in ("topk", "sort") or not args or args[0].dim() == 0:
        return None
    if func._overloadname == "stable":
        if given.get("stable", args[1] if len(args) > 1 else False):
            return None
        dim, descending = given.get("dim", -1), given.get("descending", False)
    elif name == "topk":
        dim = args[2] if len(args) > 2 else given.get("dim", -1)
        descending = args[3] if len(args) > 3 else given.get("largest", True)
    else:
        dim = args[1] if len(args) > 1 else given.get("dim", -1)
        descending = args[2] if len(args) > 2 else given.get("descending", False)
    return args[0], dim, descending


def _equal(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return (one == other) | ((one != one) & (other != other))


def _has_equals(operand: torch.Tensor, selected: torch.Tensor, dim: int) -> bool:
    """Whether a selected element equals another; cheap, as most operands have no such."""
    given, values = operand.detach().movedim(dim, -1), selected.detach().movedim(dim, -1)
    ordered = values if values.shape == given.shape else values.sort(dim=-1).values
    if bool(_equal(ordered[..., 1:], ordered[..., :-1]).any()):
        return True
    if values.shape == given.shape:
        return False
    ends = [ordered[..., :1], ordered[..., -1:]]
    return any(bool((_equal(given, end).sum(-1) > 1).any()) for end in ends)


def other_choices(run: Callable[[], Outputs], most: int) -> list[Outputs]:
    """The outputs of `run` where its selections take others of up to `most` equal elements."""
    if most < 2:
        return []
    step = -(-most // _MOST_TURNS)
    turns = [(turn, False) for turn in range(0, most, step)]
    found = []
    for turn, backwards in (*turns, (0, True)):
        try:
            with ChoiceWatch(turn, backwards):
                found.append(run())
        except TaskError:  # it refuses what follows from this choice
            continue
    return found
