"""Contract: what a task promises about its outputs beyond "close to the reference".

The rule: a contract is a literal of the task's own source (`CONTRACT = {...}`), one record for each
kind of operation; a task without one is judged number by number, integers exactly.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from assay.data.record import Record


class Quantised(Record):
    """Integer codes with scales: which entries of the state are what, and the scheme in words."""

    kind: Literal["quantised"] = "quantised"
    codes: dict[str, tuple[int, int]]  # entries of the state that are codes, with their domain
    scales: tuple[str, ...] = ()  # entries that are positive scales
    activation_levels: int | None = None  # largest code of an input quantised on the fly
    accumulator: str = "float32"


class Equation(StrEnum):
    """Which equations define the outputs of a decomposition."""

    QR = "qr"  # A -> Q, R
    EIGH = "eigh"  # symmetric A -> eigenvalues ascending, vectors
    EIG = "eig"  # square A -> eigenvalues in any order, vectors of length one
    SVD = "svd"  # A -> U, S descending, Vh
    SOLVE = "solve"  # A, B -> X
    INVERSE = "inverse"  # A -> X
    CHOLESKY = "cholesky"  # A -> L


class Decomposition(Record):
    """Outputs that are right where their defining equations hold, whatever the basis or sign."""

    kind: Literal["decomposition"] = "decomposition"
    equation: Equation


class Law(StrEnum):
    """How a random output is distributed, given the inputs."""

    DROPOUT = "dropout"  # 0 with probability `rate`, else x / (1 - rate)
    BERNOULLI = "bernoulli"  # 1 with the probability that the input gives, else 0
    NORMAL = "normal"  # input + `rate` times a standard normal draw
    UNIFORM = "uniform"  # uniform on [0, 1), whatever the input holds; its shape is the input's


class Stochastic(Record):
    """A random output."""

    kind: Literal["stochastic"] = "stochastic"
    law: Law
    rate: float = Field(default=0.0, ge=0.0)


class Updates(Record):
    """Inputs that the operation changes in place; their new values count as outputs."""

    kind: Literal["updates"] = "updates"
    inputs: tuple[int, ...]


Contract = Annotated[Quantised | Decomposition | Stochastic | Updates, Field(discriminator="kind")]
