"""A product with something before or after it."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Expression, Flag, Float, task

FAMILY = {"category": "Fusion", "kerneleval": "fused", "level": "K3", "difficulty": "medium"}
AXES = {
    "batch": {"own": 4, "high": 32, "role": "batch"},
    "m": {"own": 128, "high": 512, "role": "batch"},
    "terms": {"own": 128, "low": 2, "high": 512, "role": "size"},  # all in one sum
    "n": {"own": 128, "low": 2, "high": 512},
    "k": {"own": 96, "high": 512},
    "size": {"own": 12, "high": 32},
}


def _definite(batch, size):
    """Symmetric and positive definite, with a condition of a few."""
    made = torch.randn(batch, size, size)
    return made @ made.transpose(-2, -1) / size + torch.eye(size)


@task(backward=True)
def fused_elu_linear(x: Float["m k"], weight: Float["n k", "weight"], bias: Float["n"]) -> Tensor:
    """ELU of x W^T + b."""
    return F.elu(F.linear(x, weight, bias))


@task()
def fused_tanh_linear(x: Float["m k"], weight: Float["n k", "weight"], bias: Float["n"]) -> Tensor:
    """tanh of x W^T + b."""
    return torch.tanh(F.linear(x, weight, bias))


@task()
def fused_softplus_linear(
    x: Float["m k"], weight: Float["n k", "weight"], bias: Float["n"]
) -> Tensor:
    """Softplus of x W^T + b."""
    return F.softplus(F.linear(x, weight, bias))


@task()
def fused_log_softmax_linear(
    x: Float["m k"], weight: Float["n k", "weight"], bias: Float["n"]
) -> Tensor:
    """The logarithm of the softmax of x W^T + b."""
    return torch.log_softmax(F.linear(x, weight, bias), dim=-1)


@task()
def fused_mask_sigmoid_linear(
    x: Float["m k"], weight: Float["n k", "weight"], keep: Flag["m n"]
) -> Tensor:
    """The sigmoid of x W^T, doubled where the mask is set, else zero."""
    return torch.sigmoid(x @ weight.t()) * keep * 2


@task()
def fused_layer_norm_relu_linear(
    x: Float["m k"], weight: Float["n k", "weight"], gain: Float["n"]
) -> Tensor:
    """LayerNorm of max(x W^T, 0), with gain."""
    return F.layer_norm(torch.relu(x @ weight.t()), (len(weight),), gain)


@task()
def fused_bmm_mask_gelu(
    a: Float["batch m k"], b: Float["batch k n", "weight"], keep: Flag["batch m n"]
) -> Tensor:
    """GELU of a product for each member, doubled where the mask is set, else zero."""
    return F.gelu(torch.bmm(a, b) * keep * 2)


@task()
def fused_bmm_rmsnorm_gelu(a: Float["batch m k"], b: Float["batch k n", "weight"]) -> Tensor:
    """GELU of the RMSNorm of a product for each member."""
    made = torch.bmm(a, b)
    return F.gelu(made * torch.rsqrt(made.square().mean(dim=-1, keepdim=True) + 1e-5))


@task()
def fused_bmm_rmsnorm_gelu_sub(
    a: Float["batch m k"], b: Float["batch k n", "weight"], y: Float["batch m n"]
) -> Tensor:
    """GELU of the RMSNorm of a product for each member, less y."""
    made = torch.bmm(a, b)
    return F.gelu(made * torch.rsqrt(made.square().mean(dim=-1, keepdim=True) + 1e-5)) - y


@task()
def fused_mul_add_logsoftmax_bmm(
    x: Float["batch m k"], y: Float["batch m k"], b: Float["batch k n"]
) -> Tensor:
    """The logarithm of the softmax of x y + x, times B."""
    return torch.bmm(torch.log_softmax(x * y + x, dim=-1), b)


@task(level="K2")
def fused_mv_logsoftmax(a: Float["terms k"], x: Float["k", "unit"]) -> Tensor:
    """The logarithm of the softmax of A x / 8."""
    return torch.log_softmax(a @ x / 8, dim=0)


@task(level="K2")
def fused_mv_sigmoid_sub(a: Float["m k"], x: Float["k"], y: Float["m"]) -> Tensor:
    """The sigmoid of A x / 8, less y / 2."""
    return torch.sigmoid(a @ x / 8) - 0.5 * y


@task(difficulty="hard", level="K4", kerneleval="decomposition")
def fused_cholesky_solve(a: Float["batch size size"], b: Float["batch size 2"]) -> Tensor:
    """The X for which A A^T / n + 1 times X is B, each column of it less its mean."""
    size = a.shape[-1]
    definite = a @ a.transpose(-2, -1) / size + torch.eye(size, device=a.device, dtype=a.dtype)
    found = torch.cholesky_solve(b, torch.linalg.cholesky(definite))
    return found - found.mean(dim=-2, keepdim=True)


@task(difficulty="hard", level="K4", kerneleval="decomposition")
def fused_lu_solve(a: Expression["_definite(batch, size)"], b: Float["batch size"]) -> Tensor:
    """tanh of the x for which A x is b."""
    return torch.tanh(torch.linalg.solve(a, b.unsqueeze(-1)).squeeze(-1))


@task(difficulty="hard", level="K4", kerneleval="decomposition")
def fused_svd_reconstruct(a: Float["batch size size"]) -> Tensor:
    """The product of the factors of the singular value decomposition, halved."""
    u, s, vh = torch.linalg.svd(a)
    return 0.5 * (u * s.unsqueeze(-2)) @ vh


@task(source="serving", backward=True)
def fused_mlp(x: Float["m k"], up: Float["n k", "weight"], down: Float["k n", "weight"]) -> Tensor:
    """GELU of x times one matrix, times another."""
    return F.gelu(x @ up.t()) @ down.t()


@task(source="serving")
def gated_mlp(
    x: Float["m k"],
    gate: Float["n k", "weight"],
    up: Float["n k", "weight"],
    down: Float["k n", "weight"],
) -> Tensor:
    """SiLU of one product times another, times a third matrix."""
    return (F.silu(x @ gate.t()) * (x @ up.t())) @ down.t()
