"""Normalisations and what is made of normalised rows."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Expression, Float, task

FAMILY = {
    "category": "Normalization",
    "kerneleval": "normalisation",
    "level": "K2",
    "difficulty": "medium",
}
AXES = {
    "rows": {"own": 256, "high": 2048, "role": "batch"},
    "cols": {"own": 1024, "high": 8192},
    "images": {"own": 8, "high": 64, "role": "batch"},
    "channels": {"own": 32, "low": 8, "high": 128, "multiple_of": 8},
    "height": {"own": 24, "low": 2, "high": 128},
    "width": {"own": 24, "low": 2, "high": 128},
    "batch": {"own": 16, "high": 128, "role": "batch"},
    "size": {"own": 24, "high": 64},
}


def _symmetric(batch, size):
    made = torch.randn(batch, size, size)
    return made + made.transpose(-2, -1)


@task(library=True, dtypes=("float16", "bfloat16"))
def softmax_rows(x: Float["rows cols"]) -> Tensor:
    """Softmax of each row in a narrow precision."""
    return torch.softmax(x, dim=-1)


@task(category="Activation", kerneleval="reduction", backward=True, library=True)
def log_softmax(x: Float["rows cols"]) -> Tensor:
    """The logarithm of the softmax of each row."""
    return torch.log_softmax(x, dim=-1)


@task(library=True, dtypes=("float16", "bfloat16"))
def layernorm_rows(x: Float["rows cols"], gain: Float["cols"], bias: Float["cols"]) -> Tensor:
    """LayerNorm of each row in a narrow precision, with gain and bias."""
    return F.layer_norm(x, x.shape[-1:], gain, bias)


@task()
def batch_norm(
    x: Float["images channels height width"], gain: Float["channels"], bias: Float["channels"]
) -> Tensor:
    """Each channel less its mean, over its standard deviation, with gain and bias."""
    return F.batch_norm(x, None, None, gain, bias, training=True)


@task(backward=True)
def instance_norm(x: Float["images channels height width"]) -> Tensor:
    """Each channel of each image less its mean, over its standard deviation."""
    return F.instance_norm(x)


@task(backward=True, library=True)
def group_norm(
    x: Float["images channels height width"], gain: Float["channels"], bias: Float["channels"]
) -> Tensor:
    """Eight groups of channels, each less its mean, over its standard deviation."""
    return F.group_norm(x, 8, gain, bias)


@task(library=True)
def l2_normalize(x: Float["rows cols"]) -> Tensor:
    """Each row over its Euclidean norm."""
    return F.normalize(x, dim=-1)


@task()
def normalize_pairwise_distance(a: Float["rows cols"], b: Float["rows cols"]) -> Tensor:
    """The distance between rows of unit length."""
    return F.pairwise_distance(F.normalize(a, dim=-1), F.normalize(b, dim=-1))


@task()
def normalized_cosine_similarity(a: Float["rows cols"], b: Float["rows cols"]) -> Tensor:
    """The cosine of the angle between rows that were first given unit length."""
    return F.cosine_similarity(F.normalize(a, dim=-1), F.normalize(b, dim=-1), dim=-1)


@task(difficulty="hard", level="K3")
def spectral_norm_eig(a: Expression["_symmetric(batch, size)"]) -> Tensor:
    """The largest absolute eigenvalue of each symmetric matrix."""
    return torch.linalg.eigvalsh(a).abs().amax(dim=-1)


@task()
def symmetric_matrix_vector_norm(
    a: Expression["_symmetric(batch, size)"], x: Float["batch size"]
) -> Tensor:
    """The Euclidean norm of a symmetric matrix times a vector."""
    return torch.linalg.vector_norm((a @ x.unsqueeze(-1)).squeeze(-1), dim=-1)
