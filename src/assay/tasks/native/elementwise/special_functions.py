"""Special functions of mathematics, element by element."""

import torch
from torch import Tensor

from assay.tasks.families.family_words import Float, task

FAMILY = {"category": "Math", "kerneleval": "elementwise", "level": "K1"}
AXES = {
    "rows": {"own": 128, "high": 1024, "role": "batch"},
    "cols": {"own": 1024, "high": 4096},
}


@task(difficulty="hard", library=True)
def airy_ai(x: Float["rows cols"]) -> Tensor:
    """The Airy function Ai."""
    return torch.special.airy_ai(x)


@task(difficulty="hard", library=True)
def bessel_j1(x: Float["rows cols", "spread"]) -> Tensor:
    """The Bessel function of the first kind and first order."""
    return torch.special.bessel_j1(x)


@task(difficulty="medium", library=True)
def i0(x: Float["rows cols"]) -> Tensor:
    """The modified Bessel function of the first kind and order zero."""
    return torch.special.i0(x)


@task(difficulty="hard", library=True)
def digamma(x: Float["rows cols", "positive"]) -> Tensor:
    """The logarithmic derivative of the gamma function."""
    return torch.special.digamma(x)


@task(difficulty="hard", library=True)
def gammaln(x: Float["rows cols", "positive"]) -> Tensor:
    """The logarithm of the gamma function."""
    return torch.special.gammaln(x)


@task(difficulty="hard", library=True)
def polygamma(x: Float["rows cols", "positive"]) -> Tensor:
    """The first derivative of the digamma function."""
    return torch.special.polygamma(1, x)


@task(difficulty="hard", library=True)
def zeta(x: Float["rows cols", "positive"], q: Float["rows cols", "positive"]) -> Tensor:
    """The Hurwitz zeta function of x + 1 and q."""
    return torch.special.zeta(x + 1, q)


@task(difficulty="medium")
def chebyshev_polynomial_t(x: Float["rows cols", "signed unit"]) -> Tensor:
    """The Chebyshev polynomial of the first kind of degree five."""
    return 16 * x**5 - 20 * x**3 + 5 * x
