"""Losses: one number from predictions and targets."""

from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Float, Index, task

FAMILY = {"category": "Loss", "kerneleval": "reduction", "level": "K2", "difficulty": "medium"}
AXES = {
    "rows": {"own": 512, "high": 4096, "role": "batch"},
    "classes": {"own": 512, "low": 2, "high": 8192},
}


@task(backward=True)
def binary_cross_entropy(
    logits: Float["rows classes"], targets: Float["rows classes", "unit"]
) -> Tensor:
    """The mean binary cross entropy of logits."""
    return F.binary_cross_entropy_with_logits(logits, targets)


@task(library=True)
def kl_div(
    logs: Float["rows classes", "log probability"], targets: Float["rows classes", "probability"]
) -> Tensor:
    """The mean over rows of the Kullback-Leibler divergence."""
    return F.kl_div(logs, targets, reduction="batchmean")


@task(backward=True, library=True, difficulty="easy", level="K1")
def mse_loss(x: Float["rows classes"], y: Float["rows classes"]) -> Tensor:
    """The mean squared difference."""
    return F.mse_loss(x, y)


@task(library=True)
def nll_loss(
    logs: Float["rows classes", "log probability"], targets: Index["rows", "classes"]
) -> Tensor:
    """Minus the mean logarithm of the targets' probabilities."""
    return F.nll_loss(logs, targets)


@task(library=True, difficulty="easy", level="K1")
def smooth_l1_loss(x: Float["rows classes"], y: Float["rows classes"]) -> Tensor:
    """Half the squared difference below one, else the difference less a half; its mean."""
    return F.smooth_l1_loss(x, y)


@task(library=True)
def huber_loss(x: Float["rows classes"], y: Float["rows classes"]) -> Tensor:
    """Quadratic below a difference of 1/2, linear above it; the mean."""
    return F.huber_loss(x, y, delta=0.5)


@task()
def label_smoothed_cross_entropy(
    logits: Float["rows classes"], targets: Index["rows", "classes"]
) -> Tensor:
    """The mean cross entropy with a tenth of each target spread over all classes."""
    return F.cross_entropy(logits, targets, label_smoothing=0.1)


@task()
def triplet_margin_loss(
    anchor: Float["rows classes"], near: Float["rows classes"], far: Float["rows classes"]
) -> Tensor:
    """How far the near one is not nearer by one than the far one; the mean."""
    return F.triplet_margin_loss(anchor, near, far)
