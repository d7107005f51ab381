"""Windows of signals and images to one number each."""

from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Float, task

FAMILY = {"category": "Pooling", "kerneleval": "reduction", "level": "K2", "library": True}
AXES = {
    "images": {"own": 8, "high": 32, "role": "batch"},
    "channels": {"own": 16, "high": 64},
    "side": {"own": 48, "low": 6, "high": 128},
    "length": {"own": 1024, "low": 6, "high": 8192},
}


@task(backward=True)
def avg_pool1d(x: Float["images channels length"]) -> Tensor:
    """The mean of three neighbours, every second place."""
    return F.avg_pool1d(x, 3, stride=2)


@task()
def avg_pool2d(x: Float["images channels side side"]) -> Tensor:
    """The mean of windows of two by two."""
    return F.avg_pool2d(x, 2)


@task(backward=True)
def max_pool2d(x: Float["images channels side side"]) -> Tensor:
    """The largest of windows of three by three, every second place."""
    return F.max_pool2d(x, 3, stride=2, padding=1)


@task()
def adaptive_avg_pool2d(x: Float["images channels side side"]) -> Tensor:
    """Five by five means that cover the image."""
    return F.adaptive_avg_pool2d(x, 5)


@task()
def global_max_pool(x: Float["images channels side side"]) -> Tensor:
    """The largest element of each channel."""
    return x.amax(dim=(-2, -1))


@task(difficulty="medium")
def lp_pool2d(x: Float["images channels side side"]) -> Tensor:
    """The root of the sum of squares of windows of two by two."""
    return F.lp_pool2d(x, 2.0, 2)
