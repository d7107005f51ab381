"""State that is carried from place to place."""

import torch
from torch import Tensor

from assay.tasks.families.family_words import Float, task

FAMILY = {
    "category": "Fusion",
    "kerneleval": "fused",
    "level": "K4",
    "source": "serving",
    "difficulty": "hard",
}
AXES = {
    "batch": {"own": 2, "high": 8, "role": "batch"},
    "length": {"own": 48, "high": 128},
    "channels": {"own": 32, "high": 128},
    "state": {"own": 8, "high": 16},
}


@task()
def selective_scan(
    x: Float["batch length channels"],
    decay: Float["batch length channels", "unit"],
    into: Float["batch length state"],
    out: Float["batch length state"],
) -> Tensor:
    """h <- decay h + x into, y = h out: a state of numbers for each channel."""
    h = x.new_zeros(x.shape[0], x.shape[2], into.shape[2])
    made = []
    for t in range(x.shape[1]):
        h = decay[:, t, :, None] * h + x[:, t, :, None] * into[:, t, None, :]
        made.append((h * out[:, t, None, :]).sum(dim=-1))
    return torch.stack(made, dim=1)


@task()
def chunked_state_space(
    x: Float["batch length channels"],
    log_decay: Float["batch length", "unit"],
    into: Float["batch length state"],
    out: Float["batch length state"],
) -> Tensor:
    """The same with one decay a place, written as a product with a lower triangular matrix."""
    sums = (-log_decay).cumsum(dim=1)
    weights = torch.exp(sums[:, :, None] - sums[:, None, :]).tril()
    return (weights * (out @ into.transpose(1, 2))) @ x


@task(level="K2", kerneleval="reduction")
def gated_recurrence(
    x: Float["batch length channels"], gate: Float["batch length channels", "unit"]
) -> Tensor:
    """h <- gate h + (1 - gate) x for each channel; every h."""
    h = x.new_zeros(x.shape[0], x.shape[2])
    made = []
    for t in range(x.shape[1]):
        h = gate[:, t] * h + (1 - gate[:, t]) * x[:, t]
        made.append(h)
    return torch.stack(made, dim=1)


@task()
def delta_rule(
    q: Float["batch length state"],
    k: Float["batch length state", "unit"],
    v: Float["batch length channels"],
) -> Tensor:
    """A matrix corrected at every place: S <- S + (v - S k) k / 8, y = S q."""
    memory = q.new_zeros(q.shape[0], v.shape[2], q.shape[2])
    made = []
    for t in range(q.shape[1]):
        key = k[:, t].unsqueeze(-1)
        wrong = v[:, t].unsqueeze(-1) - memory @ key
        memory = memory + wrong @ key.transpose(-2, -1) / 8
        made.append((memory @ q[:, t].unsqueeze(-1)).squeeze(-1))
    return torch.stack(made, dim=1)
