"""InstanceSpec: how one instance of a module is constructed, on both sides of the wall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.sandbox.protocol.requests import Construct


@dataclass(frozen=True)
class InstanceSpec:
    """One constructor configuration."""

    axes: tuple[tuple[str, int], ...]
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...]
    seed: int
    training: bool

    def construct(self, number: int = 0) -> Construct:
        """The request to make the instance of that number so."""
        return Construct(number, self.args, self.kwargs, self.seed, self.training)
