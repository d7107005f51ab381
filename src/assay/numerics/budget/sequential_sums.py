"""Sequential sums: long reductions of the reference as one running sum of the accumulation dtype.

The rule: an honest kernel may add one term after the other however many there are. Few distinct
values then round to one side at every step, so that the error grows with the length; of other
contents it grows with its root. Both are measured on the contents of the call, not bounded: a
bound for every content would hide a dropped term. Each sum is made from the front and from the
back, and the larger error counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.numerics.budget.reduction import reduction_length

_MOST_TERMS = 2**21  # added one by one for one reduction: about 20 ms; more outputs are sampled


class SequentialSums(TorchDispatchMode):
    """While active, results of reductions longer than `least` are off as running sums are."""

    def __init__(self, dtype: torch.dtype, least: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._dtype = dtype
        self._least = least

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo: 2.3 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kwargs = func.overloadpacket.__name__, kwargs or {}
        result = func(*args, **kwargs)
        move = _MOVES.get(name)
        if move is None or not _has_wide_elements(result):
            return result
        if (reduction_length(name, args, result) or 1) <= self._least:
            return result
        return move(_Call(func, args, kwargs, self._dtype), result)


def _has_wide_elements(result: Any) -> bool:
    """Where a result is empty nothing was added up: there is no row to measure."""
    made = result[0] if isinstance(result, tuple) else result
    is_wide = isinstance(made, torch.Tensor) and made.dtype == torch.float64
    return is_wide and made.numel() > 0


class _Call:
    """One reduction of the reference, in float64."""

    def __init__(
        self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], dtype: torch.dtype
    ) -> None:
        self.func, self.args, self.kwargs, self.dtype = func, args, kwargs, dtype
        self.name: str = func.overloadpacket.__name__

    @property
    def given(self) -> torch.Tensor:
        """What is reduced."""
        given: torch.Tensor = self.args[0]
        return given

    def argument(self, position: int, default: Any = None) -> Any:
        """A positional argument; reductions pass dimensions and switches by position."""
        return self.args[position] if len(self.args) > position else default

    def drift(self, terms: torch.Tensor, dims: Any) -> torch.Tensor:
        """How far a running sum of `terms` over `dims` is off; these dimensions become 1."""
        dims = _dimensions(dims, terms.dim())
        kept = [d for d in range(terms.dim()) if d not in dims]
        rows = terms.permute(*kept, *dims).reshape(-1, prod(terms.shape[d] for d in dims))
        shape = [1 if d in dims else size for d, size in enumerate(terms.shape)]
        return drift(rows, self.dtype).view(shape)


def drift(rows: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The error of a running sum along each row of a matrix of terms, in float64.

    Where there are too many rows, some are added up, and every row is off by as much of its sum of
    magnitudes as the worst of them.
    """
    step = max(1, -(-rows.numel() // _MOST_TERMS))
    some = rows[::step]
    found = _off(some, dtype)
    if step == 1:
        return found
    return _worst_share(found, some.abs().sum(1)) * rows.abs().sum(1)


def _off(rows: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    terms = rows.to(dtype)
    true = terms.sum(1, dtype=torch.float64)
    plain = terms.cpu().numpy()
    ends = [_partial_sums(order, 1)[:, -1].copy() for order in (plain, plain[:, ::-1])]
    found = [torch.from_numpy(end).to(true) - true for end in ends]
    return torch.where(found[0].abs() >= found[1].abs(), found[0], found[1])


def _partial_sums(terms: np.ndarray[Any, Any], dim: int) -> np.ndarray[Any, Any]:
    """Each rounded: torch's cumsum adds float32 in float64."""
    with np.errstate(all="ignore"):
        sums: np.ndarray[Any, Any] = np.add.accumulate(terms, axis=dim)
    return sums


def _worst_share(found: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    shares = (found / sizes).nan_to_num_(0.0, 0.0, 0.0)
    return shares[shares.abs().argmax()] if shares.numel() else shares.new_zeros(())


def _dimensions(dims: Any, rank: int) -> tuple[int, ...]:
    if isinstance(dims, bool):  # var(x, unbiased)
        dims = None
    if isinstance(dims, int):
        dims = [dims]
    return tuple(d % rank for d in dims) if dims else tuple(range(rank))


def _as(drift: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    return drift.reshape(result.shape)


def _sum(call: _Call, result: torch.Tensor) -> torch.Tensor:
    return result + _as(call.drift(call.given, call.argument(1)), result)


def _mean(call: _Call, result: torch.Tensor) -> torch.Tensor:
    count = call.given.numel() // max(1, result.numel())
    return result + _as(call.drift(call.given, call.argument(1)), result) / count


def _cumulated(call: _Call, result: torch.Tensor) -> torch.Tensor:
    terms, dim = call.given.to(call.dtype), call.args[1]
    sums = torch.from_numpy(_partial_sums(terms.cpu().numpy(), dim)).to(result)
    return result + sums - terms.cumsum(dim, dtype=torch.float64)


def _moments(
    call: _Call, given: torch.Tensor, dims: tuple[int, ...]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and biased variance by two running sums, the second about the mean of the first."""
    count = prod(given.shape[d] for d in dims)
    mean = given.mean(dims, keepdim=True) + call.drift(given, dims) / count
    squares = (given - mean).square()
    return mean, squares.mean(dims, keepdim=True) + call.drift(squares, dims) / count


def _spread(call: _Call, result: Any) -> Any:
    """var, std and the two with the mean."""
    dims = _dimensions(call.argument(1), call.given.dim())
    count = prod(call.given.shape[d] for d in dims)
    correction = call.kwargs.get("correction", call.argument(2, 1))
    correction = 1 if correction is None else float(correction)
    mean, variance = _moments(call, call.given, dims)
    variance = variance * (count / max(1.0, count - correction))
    spread = variance.sqrt() if call.name.startswith("std") else variance
    if isinstance(result, tuple):
        return _as(spread, result[0]), _as(mean, result[1])
    return _as(spread, result)


def _norm(call: _Call, result: torch.Tensor) -> torch.Tensor:
    order = float(call.argument(1, 2) or 2)
    if order not in (1.0, 2.0):
        return result
    powers = call.given.abs() ** order
    off = _as(call.drift(powers, call.argument(2)), result)
    return (result**order + off).clamp_(min=0.0) ** (1.0 / order)


def _exponentials(call: _Call, dims: Any) -> torch.Tensor:
    """log(1 + e), where the sum of exponentials is off by a share of e."""
    dims = _dimensions(dims, call.given.dim())
    terms = (call.given - call.given.amax(dims, keepdim=True)).exp_()
    return (call.drift(terms, dims) / terms.sum(dims, keepdim=True)).log1p_()


def _softmax(call: _Call, result: torch.Tensor) -> torch.Tensor:
    return result * _exponentials(call, call.args[1]).neg_().exp_()


def _log_softmax(call: _Call, result: torch.Tensor) -> torch.Tensor:
    return result - _exponentials(call, call.args[1])


def _logsumexp(call: _Call, result: torch.Tensor) -> torch.Tensor:
    return result + _as(_exponentials(call, call.args[1]), result)


def _layer_norm(call: _Call, result: Any) -> Any:
    given, eps = call.given, float(call.args[4])
    dims = tuple(range(given.dim() - len(call.args[1]), given.dim()))
    mean, variance = _moments(call, given, dims)
    inverse = (variance + eps).rsqrt_()
    made = _affine((given - mean) * inverse, call.args[2], call.args[3])
    return made, _as(mean, result[1]), _as(inverse, result[2])


def _group_norm(call: _Call, result: Any) -> Any:
    given, (batch, _, _, groups) = call.given, call.args[3:7]
    parts = given.reshape(batch, groups, -1)
    mean, variance = _moments(call, parts, (2,))
    inverse = (variance + float(call.args[7])).rsqrt_()
    made = ((parts - mean) * inverse).view(given.shape)
    channels = [1, -1] + [1] * (given.dim() - 2)
    gain, bias = (v if v is None else v.reshape(channels) for v in call.args[1:3])
    return _affine(made, gain, bias), _as(mean, result[1]), _as(inverse, result[2])


def _affine(
    value: torch.Tensor, gain: torch.Tensor | None, bias: torch.Tensor | None
) -> torch.Tensor:
    value = value if gain is None else value * gain
    return value if bias is None else value + bias


def _loss(reduction: int) -> Callable[[_Call, Any], Any]:
    """Losses whose switch of the reduction is the argument at this position: 1 is the mean."""

    def move(call: _Call, result: Any) -> Any:
        made = result[0] if isinstance(result, tuple) else result
        args = [*call.args, *[None] * reduction][: max(reduction + 1, len(call.args))]
        mean, args[reduction] = call.argument(reduction, 1) == 1, 0
        terms = call.func(*args, **call.kwargs)
        terms = terms[0] if isinstance(terms, tuple) else terms
        off = _as(call.drift(terms, None), made)
        if not isinstance(result, tuple):
            return result + off / (terms.numel() if mean else 1)
        return made + off / (result[1] if mean else 1), *result[1:]

    return move


def _product(left: int) -> Callable[[_Call, torch.Tensor], torch.Tensor]:
    """Contractions of the arguments at `left` and after it, over one dimension."""

    def move(call: _Call, result: torch.Tensor) -> torch.Tensor:
        first, second = call.args[left], call.args[left + 1]
        columns = second if second.dim() > 1 else second[:, None]
        share = _product_share(first, columns, call.dtype) * float(call.kwargs.get("alpha", 1))
        return result + share * torch.matmul(first.abs(), second.abs())

    return move


def _product_share(first: torch.Tensor, second: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The worst of some outputs: the error of a running sum over that of magnitudes."""
    length, width = first.shape[-1], second.shape[-1]
    rows = first.reshape(-1, length)
    columns = second.transpose(-1, -2).reshape(-1, length)
    count = min(max(4, _MOST_TERMS // length), max(len(rows), width))
    place = torch.arange(count, device=rows.device)
    across = place * max(1, len(rows) // count) % len(rows)
    down = place * max(1, width // count) % width
    if second.dim() > 2:  # a row meets the columns of its own matrix
        down += across // first.shape[-2] * width
    terms = rows[across] * columns[down]
    return _worst_share(_off(terms, dtype), terms.abs().sum(1))


_MOVES: dict[str, Callable[[_Call, Any], Any]] = {
    "sum": _sum,
    "mean": _mean,
    "cumsum": _cumulated,
    **dict.fromkeys(("var", "std", "var_mean", "std_mean"), _spread),
    **dict.fromkeys(("linalg_vector_norm", "norm"), _norm),
    "_softmax": _softmax,
    "_log_softmax": _log_softmax,
    "logsumexp": _logsumexp,
    "native_layer_norm": _layer_norm,
    "native_group_norm": _group_norm,
    **dict.fromkeys(("mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"), _loss(2)),
    **dict.fromkeys(("binary_cross_entropy", "nll_loss_forward", "nll_loss2d_forward"), _loss(3)),
    **dict.fromkeys(("mm", "bmm", "mv", "dot"), _product(0)),
    **dict.fromkeys(("addmm", "baddbmm", "addmv"), _product(1)),
}
