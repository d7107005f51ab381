"""OutputExpectation: what one output must be, and by how much it may differ.

The rule: it is complete. Whoever holds it can judge any answer without the reference, the
inputs or the seed it was made from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from assay.data.contract import Contract
from assay.numerics.contracts.equations import Equations
from assay.numerics.contracts.random_draws import Draws
from assay.numerics.known_answers import KnownAnswers


class NamedOutputs(Protocol):
    """Tensors with their names, in order."""

    @property
    def names(self) -> tuple[str, ...]:
        """One name for each tensor."""

    @property
    def tensors(self) -> tuple[torch.Tensor, ...]:
        """The outputs, buffers the reference updates included."""


class Compute(Protocol):
    """The reference. Deterministic; never mutates its arguments.

    With `wide` it computes in float64, and floating inputs and state may already be float64.
    """

    def __call__(
        self, inputs: Sequence[Any], state: Mapping[str, torch.Tensor], wide: bool
    ) -> NamedOutputs:
        """The outputs for these inputs and this state."""


PROBES = 4  # runs of the reference by whose answers its sensitivity is known


@dataclass(frozen=True)
class PlantedElement:
    """Where a NaN or an infinity was put among the inputs."""

    input: int
    element: int  # flat, in logical order
    more: tuple[int, ...] = ()  # other elements that hold the same
    infinite: tuple[int, ...] = ()  # elements that hold infinities beside it


@dataclass(frozen=True)
class ExpectationRequest:
    """How an expectation is to be made."""

    seed: int
    probes: int = PROBES
    planted: PlantedElement | None = None
    tf32: bool = False  # contraction operands may be rounded to 11 bits on both sides
    exact: bool = False  # every partial sum is exact: no relief for ties and rounding operations
    n: int | None = None  # the longest reduction, where already known
    contract: Contract | None = None  # what the task declares
    masked: bool = False  # inputs hold rows that begin with minus infinity


@dataclass(frozen=True)
class Relief:
    """Other right answers of a few elements: the truth at one-rounding neighbours.

    An argmax, a floor or a quantisation jumps there; either side of the jump is right, as exactly
    as a number of its own size can be.
    """

    index: torch.Tensor  # flat positions
    values: torch.Tensor  # (alternatives, positions)
    n: int = 1  # of the output's reduction
    between: bool = False  # what lies between two of them is right, too


@dataclass(frozen=True)
class NonFinite:
    """What a planted NaN or infinity asks of each element."""

    free: torch.Tensor  # anything is right
    must_be_nan: torch.Tensor
    may_be_nan: torch.Tensor  # right beside the truth: inf - inf, where the truth is infinite
    may_be_non_finite: torch.Tensor  # a non-finite value is right, and so is the truth
    limit: torch.Tensor  # also right: for ±Inf the truth at the largest finite value, and what
    # nothing planted would give, where no finite value but only the planted one changes that
    limit_budget: torch.Tensor
    pole: torch.Tensor | None = None  # the infinity that the truth tends to; zero where it does not


@dataclass(frozen=True)
class DeviceDoubt:
    """What the reference says otherwise on the device, flat; None where it does not."""

    unasked: torch.Tensor | None = None  # anything is right
    may_be_non_finite: torch.Tensor | None = None  # right beside the truth

    @property
    def excuses(self) -> bool:
        """Whether there is anything that the truth alone would refuse."""
        return self.unasked is not None or self.may_be_non_finite is not None


@dataclass(frozen=True)
class OutputExpectation:
    """One output. `truth`, `budget` and the masks of a complex output are over its real parts."""

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype
    truth: torch.Tensor  # float64, or exact integers or booleans
    budget: torch.Tensor | None  # float64 per element; None: exact
    reference: torch.Tensor  # at the task's precision
    reference_error: float = 0.0  # largest error of the reference over the largest |truth|
    reference_bias: tuple[float, float] | None = None  # mean error in ulps: signed, outward
    relief: Relief | None = None
    non_finite: NonFinite | None = None
    equations: Equations | None = None  # where the outputs of a call are judged together by these
    draws: Draws | None = None  # where the output is random
    masked: bool = (
        False  # its inputs hold infinities: inf - inf is right where the truth is infinite
    )
    special: bool = False  # some truth or reference is not finite, may overflow or is undefined
    undefined: torch.Tensor | None = None  # follow the integer of a NaN: anything is right there
    doubt: DeviceDoubt | None = None  # None: the reference was not asked on the device
    # Of this very expectation: one that is made from it by `replace` begins without any.
    known: KnownAnswers = field(init=False, default_factory=KnownAnswers, repr=False, compare=False)

    @property
    def must_be_nan(self) -> torch.Tensor | None:
        """Elements that must be NaN, where something was planted."""
        return None if self.non_finite is None else self.non_finite.must_be_nan

    @property
    def free(self) -> torch.Tensor | None:
        """Elements that may be anything, where something was planted."""
        return None if self.non_finite is None else self.non_finite.free

    @property
    def in_domain(self) -> bool:
        """False where the reference's own error exceeds 1 % of the output's scale."""
        return self.reference_error <= 0.01
