"""A convolution or a window over images with something before or after it."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Float, task

FAMILY = {"category": "Fusion", "kerneleval": "fused", "level": "K3", "difficulty": "hard"}
AXES = {
    "images": {"own": 2, "high": 16, "role": "batch"},
    "inputs": {"own": 8, "low": 4, "high": 32, "multiple_of": 4},
    "outputs": {"own": 16, "low": 4, "high": 32, "multiple_of": 4},
    "side": {"own": 20, "low": 6, "high": 64},
}


def _conv(x, weight, bias=None):
    return F.conv2d(x, weight / 8, bias, padding=1)


@task(backward=True)
def fused_relu_conv2d(
    x: Float["images inputs side side"], weight: Float["outputs inputs 3 3"], bias: Float["outputs"]
) -> Tensor:
    """max of a convolution with bias and zero."""
    return torch.relu(_conv(x, weight, bias))


@task()
def fused_leaky_relu_conv2d(
    x: Float["images inputs side side"], weight: Float["outputs inputs 3 3"], bias: Float["outputs"]
) -> Tensor:
    """A convolution with bias, a tenth of it where it is negative."""
    return F.leaky_relu(_conv(x, weight, bias), 0.1)


@task()
def fused_gelu_conv2d(
    x: Float["images inputs side side"], weight: Float["outputs inputs 3 3"]
) -> Tensor:
    """GELU of a convolution."""
    return F.gelu(_conv(x, weight))


@task()
def fused_conv2d_add(
    x: Float["images inputs side side"],
    weight: Float["outputs inputs 3 3"],
    y: Float["images outputs side side"],
) -> Tensor:
    """A convolution plus y."""
    return _conv(x, weight) + y


@task()
def fused_relu_max_pool2d_conv2d(
    x: Float["images inputs side side"], weight: Float["outputs inputs 3 3"]
) -> Tensor:
    """The largest of two by two of a convolution and zero."""
    return torch.relu(F.max_pool2d(_conv(x, weight), 2))


@task()
def fused_relu_batch_norm_conv2d(
    x: Float["images inputs side side"],
    weight: Float["outputs inputs 3 3"],
    gain: Float["outputs"],
    bias: Float["outputs"],
) -> Tensor:
    """max of a convolution after batch norm and zero."""
    return torch.relu(F.batch_norm(_conv(x, weight), None, None, gain, bias, training=True))


@task()
def fused_instance_norm_selu_conv2d(
    x: Float["images inputs side side"], weight: Float["outputs inputs 3 3"]
) -> Tensor:
    """Instance norm of SELU of a convolution."""
    return F.instance_norm(F.selu(_conv(x, weight)))


@task()
def fused_silu_layer_norm_conv2d(
    x: Float["images inputs side side"], weight: Float["outputs inputs 3 3"]
) -> Tensor:
    """SiLU of a convolution, with each image of a channel brought to mean 0 and deviation 1."""
    made = _conv(x, weight)
    return F.silu(F.layer_norm(made, made.shape[-2:]))


@task()
def fused_pixel_shuffle_conv2d(
    x: Float["images inputs side side"], weight: Float["outputs inputs 3 3"]
) -> Tensor:
    """Four channels of a convolution as two by two places of one."""
    return F.pixel_shuffle(_conv(x, weight), 2)


@task(level="K2", difficulty="medium")
def fused_sigmoid_adaptive_avg_pool2d(x: Float["images inputs side side"]) -> Tensor:
    """Means of the sigmoid, three by three of them that cover the image."""
    return F.adaptive_avg_pool2d(torch.sigmoid(x), 3)


@task(level="K2", difficulty="medium")
def fused_avg_pool2d_cosine_similarity(
    a: Float["images inputs side side"], b: Float["images inputs side side"]
) -> Tensor:
    """Means of two by two of the cosine between the channels of two images."""
    return F.avg_pool2d(F.cosine_similarity(a, b, dim=1).unsqueeze(1), 2)


@task(level="K2", difficulty="medium")
def fused_cos_avg_pool1d(x: Float["images inputs side"]) -> Tensor:
    """Means of two neighbours of the cosine."""
    return F.avg_pool1d(torch.cos(x), 2)


@task(level="K2", difficulty="medium")
def fused_hardsigmoid_batch_norm(
    x: Float["images inputs side side"], gain: Float["inputs"]
) -> Tensor:
    """The hard sigmoid of batch norm with gain."""
    return F.hardsigmoid(F.batch_norm(x, None, None, gain, None, training=True))


@task(level="K2", difficulty="medium")
def fused_sigmoid_batch_norm(x: Float["images inputs side side"], gain: Float["inputs"]) -> Tensor:
    """The sigmoid of batch norm with gain."""
    return torch.sigmoid(F.batch_norm(x, None, None, gain, None, training=True))


@task(level="K2", difficulty="medium")
def fused_add_mul_groupnorm(
    x: Float["images inputs side side"], y: Float["images inputs side side"], gain: Float["inputs"]
) -> Tensor:
    """Group norm, four groups with gain, of (x + y) y."""
    return F.group_norm((x + y) * y, 4, gain)


@task(level="K2", difficulty="medium")
def fused_relu_max_pool2d(x: Float["images inputs side side"]) -> Tensor:
    """The largest of three by three and zero, every second place."""
    return torch.relu(F.max_pool2d(x, 3, stride=2))


@task(source="model", backward=True)
def resnet_block(
    x: Float["images inputs side side"],
    first: Float["inputs inputs 3 3"],
    second: Float["inputs inputs 3 3"],
    gain: Float["inputs"],
) -> Tensor:
    """max(0, x + norm(conv(max(0, norm(conv(x))))))."""
    made = torch.relu(F.group_norm(_conv(x, first), 4, gain))
    return torch.relu(x + F.group_norm(_conv(made, second), 4, gain))
