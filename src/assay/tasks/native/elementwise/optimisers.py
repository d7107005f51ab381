"""One step of an optimiser, in place; the step's size is returned."""

import torch
from torch import Tensor

from assay.tasks.families.family_words import Float, task

FAMILY = {
    "category": "Optimizer",
    "kerneleval": "elementwise",
    "level": "K2",
    "difficulty": "medium",
}
AXES = {
    "size": {"own": 65536, "high": 1048576, "role": "batch"},
    "terms": {"own": 65536, "high": 1048576, "role": "size"},
}
RATE = 1e-2


@task(contract={"kind": "updates", "inputs": (0, 2, 3)})
def adam(
    param: Float["size"],
    grad: Float["size"],
    first: Float["size"],
    second: Float["size", "positive"],
) -> Tensor:
    """Adam without correction of the start: both moments and the parameters in place."""
    first.mul_(0.9).add_(grad, alpha=0.1)
    second.mul_(0.99).addcmul_(grad, grad, value=0.01)
    step = RATE * first / (second.sqrt() + 1e-8)
    param.sub_(step)
    return step.abs().amax()


@task(contract={"kind": "updates", "inputs": (0, 2)})
def lion(param: Float["size"], grad: Float["size"], momentum: Float["size"]) -> Tensor:
    """Lion: parameters by the sign of a mean, then the momentum, in place."""
    mixed = momentum * 0.9 + grad * 0.1
    param.mul_(1 - RATE * 0.1).sub_(mixed.sign(), alpha=RATE)
    momentum.mul_(0.99).add_(grad, alpha=0.01)
    return mixed.abs().mean()


@task(contract={"kind": "updates", "inputs": (0, 2)})
def rmsprop(param: Float["size"], grad: Float["size"], square: Float["size", "positive"]) -> Tensor:
    """RMSProp: the mean of squares and the parameters in place."""
    square.mul_(0.95).addcmul_(grad, grad, value=0.05)
    step = RATE * grad / (square.sqrt() + 1e-6)
    param.sub_(step)
    return step.abs().amax()


@task(contract={"kind": "updates", "inputs": (0, 2)})
def adagrad(param: Float["size"], grad: Float["size"], total: Float["size", "positive"]) -> Tensor:
    """Adagrad: the sum of squares and the parameters in place."""
    total.addcmul_(grad, grad)
    step = RATE * grad / (total.sqrt() + 1e-6)
    param.sub_(step)
    return step.abs().amax()


@task(contract={"kind": "updates", "inputs": (0,)}, level="K1", difficulty="easy")
def moving_average(param: Float["size"], other: Float["size"]) -> Tensor:
    """The parameters moved by a hundredth towards others, in place; their mean."""
    param.lerp_(other, 0.01)
    return param.mean()


@task(category="Reduce", kerneleval="reduction")
def clip_by_norm(grad: Float["terms"]) -> Tensor:
    """The gradient, scaled so that its norm is at most ten."""
    norm = torch.linalg.vector_norm(grad)
    return grad * torch.clamp(10 / (norm + 1e-6), max=1.0)
