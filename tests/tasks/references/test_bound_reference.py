"""A bound reference, as those who watch its operations see it."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.tasks.references.bound_reference import BoundReference


class Rounds(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen += func.overloadpacket.__name__ == "round"
        return func(*args, **(kwargs or {}))


class Scaled(torch.nn.Module):
    scale: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("scale", torch.tensor(3.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.round(x * self.scale)


def test_who_watches_the_first_call_sees_that_call_alone() -> None:
    """Codes of the calls that find its buffers out counted: a tie had one right answer then."""
    bound = BoundReference("scaled", Scaled())
    for wide in (True, False):
        with Rounds() as rounds:
            bound([torch.ones(4)], {}, wide)
        assert rounds.seen == 1


class Unordered(torch.nn.Module):
    """Several threads add in the order in which they come, as a gradient of a table's rows does."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.rand(()) if torch.get_num_threads() > 1 else x.clone()


def test_the_order_in_which_threads_add_is_no_randomness() -> None:
    torch.set_num_threads(2)
    assert BoundReference("unordered", Unordered()).repeats([torch.ones(4)], {})
    assert torch.get_num_threads() == 2
    assert not BoundReference("random", torch.nn.Dropout()).repeats([torch.ones(64)], {})
