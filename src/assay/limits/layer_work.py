"""Layer work: recurrent layers and attention, whose traces would be long, by formula.

The rule: an answer has the right shape and dtype, and nothing is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from assay.limits.operation_work import Add
from assay.limits.work import Operation, Read, dtype_name, storage

_RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")
_ATTENTION_REST = ("attn_mask", "dropout_p", "is_causal")  # behind query, key and value
_PADDED = 9  # arguments of the variant for padded sequences


class LayerWork(TorchFunctionMode):
    """Answers recurrent layers and attention, and hands on what they need."""

    def __init__(self, add: Add) -> None:
        super().__init__()
        self._add = add

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name = getattr(func, "__name__", "")
        if name in _RECURRENT and len(args) == _PADDED:
            x, hidden, weights, *_, bidirectional, _ = args
            return self._recurrent(x, hidden, weights, bidirectional)
        if name == "scaled_dot_product_attention":
            return self._attention(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))

    def _recurrent(
        self, x: torch.Tensor, hidden: Any, weights: list[torch.Tensor], bidirectional: bool
    ) -> tuple[torch.Tensor, ...]:
        """Every matrix meets every step once."""
        states = tuple(hidden) if isinstance(hidden, list | tuple) else (hidden,)
        steps = x[..., 0].numel()
        flops = 2 * steps * sum(weight.numel() for weight in weights if weight.dim() > 1)
        width = states[0].shape[-1] * (2 if bidirectional else 1)  # a projection narrows it
        made = (x.new_empty((*x.shape[:-1], width)), *(s.new_empty(s.shape) for s in states))
        self._note((x, *states, *weights), made, flops)
        return made

    def _attention(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        *rest: Any,
        **named: Any,
    ) -> torch.Tensor:
        """Scores and their product with the values; a causal one needs half of each."""
        given = dict(zip(_ATTENTION_REST, rest, strict=False)) | named
        mask, is_causal = given.get("attn_mask"), given.get("is_causal", False)
        scores = query[..., 0].numel() * key.shape[-2]
        flops = 2 * scores * (query.shape[-1] + value.shape[-1])
        made = query.new_empty((*query.shape[:-1], value.shape[-1]))
        taken = (query, key, value) if mask is None else (query, key, value, mask)
        self._note(taken, (made,), flops // 2 if is_causal else flops)
        return made

    def _note(
        self, taken: Sequence[torch.Tensor], made: Sequence[torch.Tensor], flops: int
    ) -> None:
        keys = frozenset(map(storage, made)), frozenset(map(storage, taken))
        reads = tuple(map(Read.of, taken))
        self._add(Operation(*keys, reads, dtype_name(taken[0]), flops), made)
