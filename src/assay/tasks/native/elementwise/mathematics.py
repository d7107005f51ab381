"""Functions of one or two numbers, element by element."""

import torch
from torch import Tensor

from assay.tasks.families.family_words import Float, Integer, task

FAMILY = {"category": "Math", "kerneleval": "elementwise", "level": "K1"}
AXES = {
    "rows": {"own": 512, "high": 4096, "role": "batch"},
    "cols": {"own": 2048, "high": 16384},
}


@task(library=True)
def absolute(x: Float["rows cols"]) -> Tensor:
    """x without its sign."""
    return torch.abs(x)


@task(library=True)
def add(x: Float["rows cols"], y: Float["rows cols"]) -> Tensor:
    """x + y."""
    return torch.add(x, y)


@task(library=True)
def sub(x: Float["rows cols"], y: Float["rows cols"]) -> Tensor:
    """x - y."""
    return torch.sub(x, y)


@task(backward=True, library=True, dtypes=("float32", "float16", "bfloat16"))
def mul(x: Float["rows cols"], y: Float["rows cols"]) -> Tensor:
    """x times y."""
    return torch.mul(x, y)


@task(library=True)
def div(x: Float["rows cols"], y: Float["rows cols", "positive"]) -> Tensor:
    """x / y."""
    return torch.div(x, y)


@task(library=True)
def power(x: Float["rows cols", "positive"], y: Float["rows cols"]) -> Tensor:
    """x to the power of y."""
    return torch.pow(x, y)


@task(library=True)
def asin(x: Float["rows cols", "signed unit"]) -> Tensor:
    """The angle whose sine is x."""
    return torch.asin(x)


@task(library=True)
def cos(x: Float["rows cols", "spread"]) -> Tensor:
    """The cosine of x."""
    return torch.cos(x)


@task(library=True)
def erf(x: Float["rows cols"]) -> Tensor:
    """The error function."""
    return torch.erf(x)


@task()
def erfc_sqrt(x: Float["rows cols", "positive"]) -> tuple[Tensor, Tensor]:
    """The complementary error function, and the square root."""
    return torch.erfc(x), torch.sqrt(x)


@task()
def exp_sqrt(x: Float["rows cols", "positive"]) -> Tensor:
    """The square root of exp(x)."""
    return torch.sqrt(torch.exp(x))


@task()
def sqrt_exp(x: Float["rows cols", "positive"]) -> Tensor:
    """exp of the square root of x."""
    return torch.exp(torch.sqrt(x))


@task()
def sqrt_tanh(x: Float["rows cols", "positive"]) -> Tensor:
    """tanh of the square root of x."""
    return torch.tanh(torch.sqrt(x))


@task()
def rad2deg_sqrt(x: Float["rows cols", "positive"]) -> tuple[Tensor, Tensor]:
    """x from radians to degrees, and its square root."""
    return torch.rad2deg(x), torch.sqrt(x)


@task(library=True)
def floor(x: Float["rows cols", "spread"]) -> Tensor:
    """The largest whole number that is not above x."""
    return torch.floor(x)


@task(library=True)
def trunc(x: Float["rows cols", "spread"]) -> Tensor:
    """x without its fraction."""
    return torch.trunc(x)


@task(library=True)
def signbit(x: Float["rows cols"]) -> Tensor:
    """Whether the sign bit of x is set."""
    return torch.signbit(x)


@task()
def signbit_bitwise_and(
    x: Float["rows cols"],
    bits: Integer["rows cols", "0", "256"],
    mask: Integer["cols", "0", "256"],
) -> tuple[Tensor, Tensor]:
    """Whether the sign bit of x is set, and the bits that the mask leaves."""
    return torch.signbit(x), bits & mask


@task(library=True)
def bitwise_and(
    x: Integer["rows cols", "0", "65536"], y: Integer["rows cols", "0", "65536"]
) -> Tensor:
    """The bits that both numbers have."""
    return torch.bitwise_and(x, y)


@task(library=True)
def log(x: Float["rows cols", "positive"]) -> Tensor:
    """The natural logarithm."""
    return torch.log(x)


@task(library=True)
def log1p(x: Float["rows cols", "unit"]) -> Tensor:
    """log(1 + x), exact near zero."""
    return torch.log1p(x)


@task(library=True)
def reciprocal(x: Float["rows cols", "positive"]) -> Tensor:
    """1 / x."""
    return torch.reciprocal(x)


@task(library=True)
def rsqrt(x: Float["rows cols", "positive"]) -> Tensor:
    """1 over the square root of x."""
    return torch.rsqrt(x)


@task(library=True, backward=True)
def clamp(x: Float["rows cols"]) -> Tensor:
    """x, but no less than -1 and no more than 1."""
    return torch.clamp(x, -1.0, 1.0)


@task()
def logit(x: Float["rows cols", "unit"]) -> Tensor:
    """log(x / (1 - x)), with x kept 1e-3 away from 0 and 1."""
    return torch.logit(x, eps=1e-3)
