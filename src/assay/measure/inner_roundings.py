"""Inner roundings: sums that are made on the way, moved as a kernel may round them.

The rule: whoever adds in another order gets another sum, and so another answer, even where the
answer does not depend on the inputs at all. What subtracts a number from itself in the reference
subtracts two sums of the same terms in another kernel, and leaves noise of their size: attention's
gradients by `rowsum(dO * O)`, where a row sees one position or its softmax is one-hot. A sum that
float32 holds exactly, such as a count, is rounded by nobody and stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.measure.budget import growth
from assay.measure.perturbation import Perturbation, Signs
from assay.measure.reduction import reduction_length

_WIDE = (torch.float64, torch.complex128)
_LOGARITHMS = frozenset(("logsumexp", "_log_softmax", "logcumsumexp"))


class InnerRoundings(TorchDispatchMode):
    """While active, results of reductions and contractions are moved.

    The perturbation is that of the longest reduction, of `n` terms; shorter ones move less.
    """

    def __init__(self, perturbation: Perturbation, n: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._signs = Signs(perturbation)
        self._n = n

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo: 2.3 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        if name == "_softmax_backward_data" and args[0].dtype == torch.float64:
            return self._softmax_backward(args)
        result = func(*args, **(kwargs or {}))
        length = reduction_length(name, args, result)
        if length is not None:
            for tensor in result if isinstance(result, tuple | list) else (result,):
                self._move(tensor, length, name in _LOGARITHMS)
        return result

    def _softmax_backward(self, args: Sequence[Any]) -> torch.Tensor:
        """Its sum lies inside the operator: y * (g - sum(g * y))."""
        gradient: torch.Tensor = args[0]
        made: torch.Tensor = args[1]
        total = (gradient * made).sum(int(args[2]), keepdim=True)
        self._move(total, gradient.numel() // max(1, total.numel()))
        return (gradient - total).mul_(made)

    def _move(self, tensor: Any, length: int, logarithm: bool = False) -> None:
        """By a share of itself; a logarithm by that share of one, for it is its sum that moves."""
        if not isinstance(tensor, torch.Tensor) or tensor.dtype not in _WIDE:
            return
        parts = torch.view_as_real(tensor) if tensor.is_complex() else tensor
        steps = self._signs.factors(parts).sub_(1.0)
        steps.mul_(growth(min(length, self._n)) / growth(self._n))
        steps.masked_fill_(parts.to(torch.float32) == parts, 0.0)
        parts.add_(steps if logarithm else steps.mul_(parts))
