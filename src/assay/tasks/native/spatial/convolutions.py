"""Convolutions of signals, images and volumes."""

from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Float, task

FAMILY = {
    "category": "Convolution",
    "kerneleval": "convolution",
    "level": "K3",
    "difficulty": "hard",
}
AXES = {
    "images": {"own": 4, "high": 16, "role": "batch"},
    "inputs": {"own": 16, "high": 48},
    "outputs": {"own": 24, "high": 48},
    "side": {"own": 24, "low": 5, "high": 64},
    "length": {"own": 512, "low": 5, "high": 4096},
}


@task(backward=True, library=True)
def conv1d(
    x: Float["images inputs length"], weight: Float["outputs inputs 3"], bias: Float["outputs"]
) -> Tensor:
    """Width three, with a bias, the signal's length kept."""
    return F.conv1d(x, weight / 7, bias, padding=1)


@task(library=True, dtypes=("float16", "bfloat16"))
def conv2d_narrow(
    x: Float["images inputs side side"], weight: Float["outputs inputs 3 3", "weight"]
) -> Tensor:
    """Three by three in a narrow precision."""
    return F.conv2d(x, weight, padding=1)


@task(library=True)
def conv2d_strided(
    x: Float["images inputs side side"], weight: Float["outputs inputs 5 5"]
) -> Tensor:
    """Five by five, every second place."""
    return F.conv2d(x, weight / 20, stride=2, padding=2)


@task(backward=True, library=True)
def conv_transpose2d(
    x: Float["images inputs side side"], weight: Float["inputs outputs 3 3"]
) -> Tensor:
    """The transposed convolution, three by three, every place spread over two."""
    return F.conv_transpose2d(x, weight / 12, stride=2, padding=1)


@task(library=True)
def depthwise_conv2d(x: Float["images inputs side side"], weight: Float["inputs 1 3 3"]) -> Tensor:
    """Three by three, each channel for itself."""
    return F.conv2d(x, weight / 3, padding=1, groups=x.shape[1])


@task(library=True)
def dilated_conv2d(
    x: Float["images inputs side side"], weight: Float["outputs inputs 3 3"]
) -> Tensor:
    """Three by three places, two apart."""
    return F.conv2d(x, weight / 12, padding=2, dilation=2)


@task(library=True, own={"side": 10}, high={"side": 20})
def conv3d(
    x: Float["images inputs side side side"], weight: Float["outputs inputs 3 3 3"]
) -> Tensor:
    """Three by three by three."""
    return F.conv3d(x, weight / 20, padding=1)


@task(source="serving", level="K2")
def causal_conv1d(x: Float["images inputs length"], weight: Float["inputs 1 4"]) -> Tensor:
    """The last four places of each channel, weighted, then SiLU."""
    return F.silu(F.conv1d(F.pad(x, (3, 0)), weight, groups=x.shape[1]))
