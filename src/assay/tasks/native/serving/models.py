"""Whole blocks and small models, their weights given as inputs."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Float, Index, task

FAMILY = {
    "category": "Fusion",
    "kerneleval": "fused",
    "level": "K4",
    "source": "model",
    "difficulty": "hard",
}
AXES = {
    "batch": {"own": 2, "high": 8, "role": "batch"},
    "length": {"own": 32, "high": 128},
    "hidden": {"own": 64, "low": 8, "high": 128, "multiple_of": 8},
    "rows": {"own": 64, "high": 512, "role": "batch"},
    "inputs": {"own": 96, "high": 256},
    "words": {"own": 200, "high": 2000},
}
HEADS = 4


def _heads(x):
    return x.unflatten(-1, (HEADS, -1)).transpose(1, 2)


def _causal(q, k, v):
    later = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool, device=q.device).triu(1)
    scores = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).masked_fill(later, float("-inf"))
    return (torch.softmax(scores, dim=-1) @ v).transpose(1, 2).flatten(-2)


def _block(x, qkv, out, up, down):
    inner = F.layer_norm(x, x.shape[-1:])
    q, k, v = (_heads(one) for one in (inner @ qkv.t()).chunk(3, dim=-1))
    x = x + _causal(q, k, v) @ out.t()
    inner = F.layer_norm(x, x.shape[-1:])
    return x + F.gelu(inner @ up.t()) @ down.t()


@task(level="K3")
def mlp_model(
    x: Float["rows inputs"],
    first: Float["hidden inputs", "weight"],
    second: Float["hidden hidden", "weight"],
    last: Float["10 hidden", "weight"],
) -> Tensor:
    """Three layers with GELU between them, and the logarithm of the softmax."""
    made = F.gelu(F.gelu(x @ first.t()) @ second.t())
    return torch.log_softmax(made @ last.t(), dim=-1)


@task()
def transformer_block(
    x: Float["batch length hidden"],
    qkv: Float["3*hidden hidden", "weight"],
    out: Float["hidden hidden", "weight"],
    up: Float["4*hidden hidden", "weight"],
    down: Float["hidden 4*hidden", "weight"],
) -> Tensor:
    """A block as in GPT: norm, causal attention of four heads, norm, MLP, both added to x."""
    return _block(x, qkv, out, up, down)


@task()
def gpt_next_word(
    ids: Index["batch length", "words"],
    table: Float["words hidden"],
    qkv: Float["3*hidden hidden", "weight"],
    out: Float["hidden hidden", "weight"],
    up: Float["4*hidden hidden", "weight"],
    down: Float["hidden 4*hidden", "weight"],
) -> Tensor:
    """A model of one block: words in, scores of the next word out."""
    x = F.layer_norm(_block(table[ids], qkv, out, up, down), table.shape[-1:])
    return x[:, -1] @ table.t()


@task()
def llama_feed_forward(
    x: Float["batch length hidden"],
    gain: Float["hidden"],
    gate: Float["2*hidden hidden", "weight"],
    up: Float["2*hidden hidden", "weight"],
    down: Float["hidden 2*hidden", "weight"],
) -> Tensor:
    """x plus a gated MLP of its RMSNorm."""
    inner = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-6) * gain
    return x + (F.silu(inner @ gate.t()) * (inner @ up.t())) @ down.t()
