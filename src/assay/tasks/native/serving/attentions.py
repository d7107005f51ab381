"""Attention in the forms that language models use."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Expression, Float, Index, task

FAMILY = {
    "category": "Fusion",
    "kerneleval": "attention",
    "level": "K4",
    "source": "serving",
    "difficulty": "hard",
}
AXES = {
    "batch": {"own": 2, "high": 8, "role": "batch"},
    "heads": {"own": 4, "high": 8},
    "length": {"own": 96, "high": 512},
    "dim": {"own": 32, "high": 64},
    "pages": {"own": 24, "low": 1, "high": 128},
    "blocks": {"own": 6, "high": 16},
}
PAGE = 16  # places in a page, and in a block
WINDOW = 24
RANK = 16  # of a latent that stands for keys and values


def _attended(q, k, v, hidden=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    return torch.softmax(scores, dim=-1) @ v


def _later(length, device):
    return torch.ones(length, length, dtype=torch.bool, device=device).triu(1)


@task(level="K3", backward=True)
def attention_full(
    q: Float["batch heads length dim"],
    k: Float["batch heads length dim"],
    v: Float["batch heads length dim"],
) -> Tensor:
    """softmax(Q K^T / sqrt(d)) V, every place seeing all."""
    return _attended(q, k, v)


def attention_full_vendor(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


@task(dtypes=("float16", "bfloat16"))
def flash_attention(
    q: Float["batch heads length dim"],
    k: Float["batch heads length dim"],
    v: Float["batch heads length dim"],
) -> Tensor:
    """Causal attention in a narrow precision, computed in float32 inside."""
    wide = [one.float() for one in (q, k, v)]
    return _attended(*wide, _later(q.shape[-2], q.device)).to(q.dtype)


@task()
def sliding_window_attention(
    q: Float["batch heads length dim"],
    k: Float["batch heads length dim"],
    v: Float["batch heads length dim"],
) -> Tensor:
    """Each place sees itself and the 23 before it."""
    place = torch.arange(q.shape[-2], device=q.device)
    gap = place[:, None] - place[None, :]
    return _attended(q, k, v, (gap < 0) | (gap >= WINDOW))


@task()
def block_sparse_attention(
    q: Float["heads blocks*16 dim"],
    k: Float["heads blocks*16 dim"],
    v: Float["heads blocks*16 dim"],
) -> Tensor:
    """Blocks of 16: each sees itself, the first, and every block an even distance before it."""
    block = torch.arange(q.shape[-2], device=q.device) // PAGE
    gap = block[:, None] - block[None, :]
    seen = (gap >= 0) & ((gap % 2 == 0) | (block[None, :] == 0))
    return _attended(q, k, v, ~seen)


@task()
def grouped_query_attention(
    q: Float["batch 2*heads length dim"],
    k: Float["batch heads length dim"],
    v: Float["batch heads length dim"],
) -> Tensor:
    """Causal, two heads of queries sharing one of keys and values."""
    k, v = (one.repeat_interleave(2, dim=1) for one in (k, v))
    return _attended(q, k, v, _later(q.shape[-2], q.device))


@task()
def cross_attention(
    q: Float["batch heads length dim"],
    k: Float["batch heads 2*length dim"],
    v: Float["batch heads 2*length dim"],
) -> Tensor:
    """Queries of one sequence over keys and values of another."""
    return _attended(q, k, v)


@task()
def paged_attention(
    q: Float["batch heads dim"],
    keys: Float["pages 16 heads dim"],
    values: Float["pages 16 heads dim"],
    table: Index["batch blocks", "pages"],
    used: Expression["torch.randint(1, blocks * 16 + 1, (batch,))"],
) -> Tensor:
    """One query a sequence over the used keys and values in pages that a table names."""
    k, v = (one[table].flatten(1, 2).transpose(1, 2) for one in (keys, values))
    beyond = torch.arange(k.shape[2], device=q.device) >= used[:, None]
    return _attended(q.unsqueeze(2), k, v, beyond[:, None, None, :]).squeeze(2)


@task()
def ragged_attention(
    q: Float["batch heads length dim"],
    k: Float["batch heads length dim"],
    v: Float["batch heads length dim"],
    used: Expression["torch.randint(1, length + 1, (batch,))"],
) -> Tensor:
    """Causal, each sequence of its own length; zero beyond it."""
    place = torch.arange(q.shape[-2], device=q.device)
    beyond = place >= used[:, None]
    hidden = _later(len(place), q.device) | (beyond[:, None, None, :] & (place > 0))
    return _attended(q, k, v, hidden).masked_fill(beyond[:, None, :, None], 0.0)


@task()
def latent_attention(
    q: Float["batch heads length dim"],
    latent: Float["batch length 16"],
    to_key: Float["heads 16 dim", "weight"],
    to_value: Float["heads 16 dim", "weight"],
) -> Tensor:
    """Keys and values made from one latent of rank 16 a place, causal."""
    k = torch.einsum("blr,hrd->bhld", latent, to_key)
    v = torch.einsum("blr,hrd->bhld", latent, to_value)
    return _attended(q, k, v, _later(q.shape[-2], q.device))


@task()
def attention_with_bias(
    q: Float["batch heads length dim"],
    k: Float["batch heads length dim"],
    v: Float["batch heads length dim"],
    slope: Float["heads", "unit"],
) -> Tensor:
    """Causal, with a slope a head times the distance taken off each score."""
    place = torch.arange(q.shape[-2], device=q.device)
    gap = (place[:, None] - place[None, :]).to(q.dtype)
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 - slope[:, None, None] * gap
    later = _later(len(place), q.device)
    return torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1) @ v


@task()
def linear_attention(
    q: Float["batch heads length dim"],
    k: Float["batch heads length dim"],
    v: Float["batch heads length dim"],
) -> Tensor:
    """Causal attention with elu(x) + 1 in place of the softmax."""
    q, k = F.elu(q) + 1, F.elu(k) + 1
    scores = (q @ k.transpose(-2, -1)).tril()
    return (scores @ v) / scores.sum(dim=-1, keepdim=True)
