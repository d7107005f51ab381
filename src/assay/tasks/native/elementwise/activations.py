"""Activation functions of one input, element by element."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Code, Float, task

FAMILY = {"category": "Activation", "kerneleval": "elementwise", "level": "K1"}
AXES = {
    "rows": {"own": 512, "high": 4096, "role": "batch"},
    "cols": {"own": 2048, "high": 16384},
}


@task(backward=True, library=True)
def silu(x: Float["rows cols"]) -> Tensor:
    """x times its own sigmoid."""
    return F.silu(x)


@task(library=True, dtypes=("float32", "float16", "bfloat16"))
def relu(x: Float["rows cols"]) -> Tensor:
    """x where it is positive, else zero."""
    return torch.relu(x)


@task(library=True, dtypes=("float32", "float16", "bfloat16"))
def sigmoid(x: Float["rows cols"]) -> Tensor:
    """1 / (1 + exp(-x))."""
    return torch.sigmoid(x)


@task(library=True, dtypes=("float32", "float16", "bfloat16"))
def tanh(x: Float["rows cols"]) -> Tensor:
    """The hyperbolic tangent."""
    return torch.tanh(x)


@task(library=True, dtypes=("float16", "bfloat16"))
def gelu_erf(x: Float["rows cols"]) -> Tensor:
    """Exact GELU in a narrow precision."""
    return F.gelu(x)


@task(backward=True, library=True)
def gelu_tanh(x: Float["rows cols"]) -> Tensor:
    """GELU by the tanh formula: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))."""
    return F.gelu(x, approximate="tanh")


@task(difficulty="medium")
def gelu_int8(codes: Code["rows cols"], scale: Float["cols", "positive"]) -> Tensor:
    """Exact GELU of eight-bit codes that are first multiplied by the scale of their column."""
    return F.gelu(codes.to(torch.float32) * (scale / 32))


@task(backward=True, library=True)
def leaky_relu(x: Float["rows cols"]) -> Tensor:
    """x where it is positive, else x / 100."""
    return F.leaky_relu(x, 0.01)


@task(library=True)
def selu(x: Float["rows cols"]) -> Tensor:
    """Scaled exponential linear unit."""
    return F.selu(x)


@task(backward=True, library=True)
def elu(x: Float["rows cols"]) -> Tensor:
    """x where it is positive, else exp(x) - 1."""
    return F.elu(x)


@task(library=True)
def hardswish(x: Float["rows cols", "spread"]) -> Tensor:
    """x times min(max(x + 3, 0), 6) / 6."""
    return F.hardswish(x)


@task(library=True)
def hardsigmoid(x: Float["rows cols", "spread"]) -> Tensor:
    """min(max(x + 3, 0), 6) / 6."""
    return F.hardsigmoid(x)


@task(library=True)
def softplus(x: Float["rows cols", "spread"]) -> Tensor:
    """log(1 + exp(x))."""
    return F.softplus(x)


@task(library=True)
def mish(x: Float["rows cols"]) -> Tensor:
    """x times tanh of softplus of x."""
    return F.mish(x)


@task()
def squared_relu(x: Float["rows cols"]) -> Tensor:
    """The square of x where it is positive, else zero."""
    return torch.relu(x).square()


@task()
def combined_activation(x: Float["rows cols"], bias: Float["cols"]) -> Tensor:
    """tanh(sigmoid(x)) times the bias of its column."""
    return torch.tanh(torch.sigmoid(x)) * bias


@task(source="serving", backward=True)
def geglu(gate: Float["rows cols"], up: Float["rows cols"]) -> Tensor:
    """GELU of the gate times the other half."""
    return F.gelu(gate) * up
