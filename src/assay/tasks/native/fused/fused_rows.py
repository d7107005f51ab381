"""Chains over rows: element by element, along the row, or both."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Flag, Float, Index, task

FAMILY = {"category": "Fusion", "kerneleval": "fused", "level": "K2", "difficulty": "medium"}
AXES = {
    "rows": {"own": 256, "high": 2048, "role": "batch"},
    "cols": {"own": 1024, "low": 2, "high": 8192},
    "words": {"own": 500, "high": 20000},
    "picks": {"own": 64, "high": 1024},
}


@task(level="K1")
def fused_add_gelu(x: Float["rows cols"], y: Float["rows cols"]) -> Tensor:
    """GELU of x + y."""
    return F.gelu(x + y)


@task()
def fused_add_mean(x: Float["rows cols"], y: Float["rows cols"]) -> Tensor:
    """The mean of each row of x + y / 2."""
    return (x + 0.5 * y).mean(dim=-1)


@task(level="K1")
def fused_sub_gelu(x: Float["rows cols"], y: Float["cols"]) -> Tensor:
    """GELU by tanh of x less y."""
    return F.gelu(x - y, approximate="tanh")


@task(level="K1")
def fused_mul_sub(x: Float["rows cols"], y: Float["rows cols"], z: Float["cols"]) -> Tensor:
    """x y - z / 2."""
    return x * y - 0.5 * z


@task(level="K1")
def fused_relu_sqrt(x: Float["rows cols"]) -> Tensor:
    """The root of x where it is positive, else zero."""
    return torch.sqrt(torch.relu(x))


@task(level="K1")
def fused_log_tanh(x: Float["rows cols", "positive"]) -> Tensor:
    """tanh of the logarithm of x."""
    return torch.tanh(torch.log(x))


@task(level="K1")
def fused_cos_signbit(x: Float["rows cols", "spread"]) -> tuple[Tensor, Tensor]:
    """The cosine, and whether its sign bit is set."""
    made = torch.cos(x)
    return made, torch.signbit(made)


@task()
def fused_exp_mean(x: Float["rows cols"]) -> Tensor:
    """The mean of exponentials of each row."""
    return torch.exp(x).mean(dim=-1)


@task()
def fused_gelu_min(x: Float["rows cols"]) -> Tensor:
    """The smallest GELU by tanh of each column."""
    return F.gelu(x, approximate="tanh").amin(dim=0)


@task()
def fused_gelu_std(x: Float["rows cols"]) -> Tensor:
    """The standard deviation of the GELU of each row."""
    return F.gelu(x).std(dim=-1)


@task()
def fused_sum_std(x: Float["rows cols"]) -> Tensor:
    """The standard deviation of each row plus its sum over a thousand."""
    return x.std(dim=-1) + x.sum(dim=-1) / 1000


@task()
def fused_softmax_log(x: Float["rows cols", "positive"]) -> Tensor:
    """The softmax of logarithms of each row."""
    return torch.softmax(torch.log(x), dim=-1)


@task(level="K1")
def fused_tile_exp(x: Float["rows cols"]) -> Tensor:
    """exp(x), twice side by side."""
    return torch.exp(x.tile(1, 2))


@task(level="K1")
def fused_hstack_div(
    a: Float["rows cols"], b: Float["rows cols"], by: Float["rows 1", "positive"]
) -> Tensor:
    """Two matrices side by side, over a number for each row."""
    return torch.hstack([a, b]) / by


@task()
def fused_repeat_interleave_log_softmax(x: Float["rows cols"]) -> Tensor:
    """The logarithm of the softmax of rows in which every element stands twice."""
    return torch.log_softmax(x.repeat_interleave(2, dim=-1), dim=-1)


@task(level="K1")
def fused_index_select_eq(
    x: Float["rows cols"], index: Index["picks", "rows"], y: Float["picks cols"]
) -> Tensor:
    """Whether picked rows are at least y."""
    return x.index_select(0, index) >= y


@task(level="K1")
def fused_gather_masked_fill(
    x: Float["rows cols"], index: Index["rows picks", "cols"], mask: Flag["rows picks"]
) -> Tensor:
    """Elements of each row by number, -1 where the mask is set."""
    return x.gather(1, index).masked_fill(mask, -1.0)


@task(level="K1")
def fused_masked_add_gelu(x: Float["rows cols"], mask: Flag["rows cols"]) -> Tensor:
    """GELU of x + 1/2 where the mask is set, else zero."""
    return torch.where(mask, F.gelu(x + 0.5), 0.0)


@task(source="serving")
def fused_embedding_add_tanh(
    table: Float["words cols"], ids: Index["rows", "words"], y: Float["cols"]
) -> Tensor:
    """tanh of rows of a table plus y."""
    return torch.tanh(table[ids] + y)


@task()
def fused_pairwise_distance_normalize(a: Float["rows cols"], b: Float["rows cols"]) -> Tensor:
    """The distance between rows, after each was given unit length by its sum of sizes."""
    return F.pairwise_distance(F.normalize(a, p=1.0, dim=-1), F.normalize(b, p=1.0, dim=-1))


@task()
def fused_cosine_embedding_loss(a: Float["rows cols"], b: Float["rows cols"]) -> Tensor:
    """One less the cosine between rows; the mean."""
    return (1 - F.cosine_similarity(a, b, dim=-1)).mean()


@task()
def fused_cross_entropy_log_softmax(
    x: Float["rows cols"], y: Index["rows", "cols"]
) -> tuple[Tensor, Tensor]:
    """The mean cross entropy, and the logarithm of the softmax."""
    logs = torch.log_softmax(x, dim=-1)
    return F.nll_loss(logs, y), logs


@task()
def fused_cross_entropy_softmax_layernorm(
    x: Float["rows cols"], y: Index["rows", "cols"], gain: Float["cols"]
) -> tuple[Tensor, Tensor]:
    """The mean cross entropy, and the softmax after LayerNorm with gain."""
    made = F.layer_norm(torch.softmax(x, dim=-1), x.shape[-1:], gain)
    return F.cross_entropy(x, y), made


@task(level="K1")
def fused_hardshrink_mask(x: Float["rows cols"], keep: Flag["rows cols"]) -> Tensor:
    """x where its size is above 1/2 and the mask is set, then doubled; else zero."""
    return F.hardshrink(x) * keep * 2


@task(backward=True)
def fused_add_layernorm(
    x: Float["rows cols"], y: Float["rows cols"], gain: Float["cols"], bias: Float["cols"]
) -> Tensor:
    """LayerNorm of x + y, with gain and bias."""
    return F.layer_norm(x + y, x.shape[-1:], gain, bias)


@task()
def fused_bias_gelu_mask(
    x: Float["rows cols"], bias: Float["cols"], keep: Flag["rows cols"]
) -> Tensor:
    """GELU of x + bias, over 0.9 where the mask is set, else zero."""
    return F.gelu(x + bias) * keep / 0.9


@task()
def fused_scale_mask_softmax(x: Float["rows cols"], mask: Flag["rows cols"]) -> Tensor:
    """Softmax of x / 4, with masked places at -10000."""
    return torch.softmax((x / 4).masked_fill(mask, -1e4), dim=-1)
