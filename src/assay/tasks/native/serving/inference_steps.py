"""Steps between the products of a language model: places, caches, routing, choosing."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Expression, Float, Index, task

FAMILY = {
    "category": "Fusion",
    "kerneleval": "fused",
    "level": "K2",
    "source": "serving",
    "difficulty": "medium",
}
AXES = {
    "tokens": {"own": 96, "high": 512, "role": "batch"},
    "hidden": {"own": 256, "low": 2, "high": 1024},
    "heads": {"own": 4, "high": 16},
    "half": {"own": 16, "high": 64},
    "experts": {"own": 8, "low": 2, "high": 32},
    "vocab": {"own": 1024, "low": 16, "high": 8192},
    "slots": {"own": 128, "high": 1024},
    "drafts": {"own": 5, "high": 8},
    "rank": {"own": 8, "high": 32},
}


@task(backward=True)
def rope(x: Float["tokens heads 2*half"], angle: Float["tokens half", "spread"]) -> Tensor:
    """Both halves of each head rotated by the angles of their place."""
    cos, sin = torch.cos(angle)[:, None], torch.sin(angle)[:, None]
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


@task()
def rope_interleaved(
    x: Float["tokens heads 2*half"], angle: Float["tokens half", "spread"]
) -> Tensor:
    """Neighbouring pairs of each head rotated by the angles of their place."""
    cos, sin = torch.cos(angle)[:, None], torch.sin(angle)[:, None]
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, odd * cos + even * sin], dim=-1).flatten(-2)


@task(contract={"kind": "updates", "inputs": (1,)}, kerneleval="normalisation")
def fused_add_rmsnorm(
    x: Float["tokens hidden"], residual: Float["tokens hidden"], gain: Float["hidden"]
) -> Tensor:
    """The residual grows by x in place; its RMSNorm with gain is returned."""
    residual.add_(x)
    return residual * torch.rsqrt(residual.square().mean(dim=-1, keepdim=True) + 1e-6) * gain


@task(level="K1", dtypes=("float16", "bfloat16"))
def silu_and_mul(x: Float["tokens 2*hidden"]) -> Tensor:
    """SiLU of the first half of each row times the second, in a narrow precision."""
    gate, up = x.chunk(2, dim=-1)
    return F.silu(gate) * up


@task(contract={"kind": "updates", "inputs": (0,)}, category="Index", level="K1")
def kv_cache_write(
    cache: Float["slots heads half"],
    keys: Float["tokens heads half"],
    slot: Expression["torch.arange(tokens) % slots"],
) -> Tensor:
    """Keys written to their slots of a cache in place, later ones over earlier ones; its sum."""
    last = torch.full((len(cache),), -1, device=cache.device).scatter_reduce(
        0, slot, torch.arange(len(slot), device=cache.device), "amax"
    )
    written = (last >= 0)[:, None, None]
    cache.copy_(torch.where(written, keys[last.clamp_min(0)], cache))
    return cache.sum()


@task()
def moe_routing(logits: Float["tokens experts"]) -> tuple[Tensor, Tensor]:
    """The two largest shares of each token, made to sum to one, and the load of each expert."""
    shares = torch.softmax(logits, dim=-1)
    top, chosen = shares.topk(2, dim=-1)
    load = torch.zeros_like(shares).scatter(1, chosen, 1.0).sum(dim=0)
    return top / top.sum(dim=-1, keepdim=True), load


@task(level="K4", difficulty="hard", kerneleval="GEMM")
def grouped_gemm(
    x: Float["tokens hidden"],
    weight: Float["experts half hidden", "weight"],
    expert: Index["tokens", "experts"],
) -> Tensor:
    """Each token times the matrix of its expert."""
    return torch.einsum("th,toh->to", x, weight[expert])


@task(level="K4", difficulty="hard")
def mixture_of_experts(
    x: Float["tokens half"],
    router: Float["experts half", "weight"],
    up: Float["experts 2*half half", "weight"],
    down: Float["experts half 2*half", "weight"],
) -> Tensor:
    """All experts weighted by the softmax of the router."""
    share = torch.softmax(x @ router.t(), dim=-1)
    inner = F.silu(torch.einsum("th,eoh->teo", x, up))
    return torch.einsum("te,teo,eho->th", share, inner, down)


@task()
def temperature_softmax_top_p(logits: Float["tokens vocab"]) -> Tensor:
    """Probabilities at temperature 0.8, those below a twentieth of the largest set to zero."""
    shares = torch.softmax(logits / 0.8, dim=-1)
    kept = torch.where(shares >= 0.05 * shares.amax(dim=-1, keepdim=True), shares, 0.0)
    return kept / kept.sum(dim=-1, keepdim=True)


@task(difficulty="hard", kerneleval="reduction")
def top_k_values(logits: Float["tokens vocab"]) -> Tensor:
    """The sixteen largest scores of each token, largest first."""
    return logits.topk(16, dim=-1).values


@task(category="Random", kerneleval="reduction")
def inverse_sampling(
    shares: Float["tokens vocab", "probability"], draw: Float["tokens", "unit"]
) -> Tensor:
    """The first word at which the running sum of shares passes the draw, as its running sum."""
    sums = shares.cumsum(dim=-1)
    passed = torch.where(sums >= 0.98 * draw[:, None], sums, 2.0)
    return passed.amin(dim=-1)


@task()
def speculative_acceptance(
    target: Float["tokens drafts", "positive"],
    draft: Float["tokens drafts", "positive"],
    draw: Float["tokens drafts", "unit"],
) -> Tensor:
    """How many drafts in a row are accepted: draw times draft at most target."""
    accepted = (draw * draft <= target).to(torch.int64)
    return accepted.cumprod(dim=-1).sum(dim=-1)


@task(level="K3", kerneleval="GEMM")
def lora_linear(
    x: Float["tokens hidden"],
    weight: Float["half hidden", "weight"],
    down: Float["rank hidden", "weight"],
    up: Float["half rank", "weight"],
) -> Tensor:
    """x W^T plus twice x times two narrow matrices."""
    return x @ weight.t() + 2.0 * (x @ down.t()) @ up.t()


@task(level="K4", difficulty="hard", kerneleval="GEMM")
def multi_lora(
    x: Float["tokens hidden"],
    down: Float["experts rank hidden", "weight"],
    up: Float["experts half rank", "weight"],
    adapter: Index["tokens", "experts"],
) -> Tensor:
    """Each token times the two narrow matrices of its adapter."""
    inner = torch.einsum("th,trh->tr", x, down[adapter])
    return torch.einsum("tr,tor->to", inner, up[adapter])


@task(kerneleval="reduction")
def repetition_penalty(logits: Float["tokens vocab"], seen: Index["tokens 8", "vocab"]) -> Tensor:
    """Scores of seen words divided by 1.2 where positive, else multiplied by it."""
    mark = torch.zeros_like(logits).scatter(1, seen, 1.0).bool()
    return torch.where(mark, torch.where(logits > 0, logits / 1.2, logits * 1.2), logits)


@task(kerneleval="reduction")
def token_logprob(logits: Float["tokens vocab"], ids: Index["tokens", "vocab"]) -> Tensor:
    """The logarithm of the probability of each token."""
    return torch.log_softmax(logits, dim=-1).gather(1, ids[:, None]).squeeze(1)
