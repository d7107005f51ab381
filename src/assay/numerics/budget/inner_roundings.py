"""Inner roundings: sums that are made on the way, moved as a kernel may round them.

The rule: whoever adds in another order gets another sum, off by roundings of its *terms*, and so
another answer, even where the answer does not depend on the inputs at all. What subtracts a number
from itself in the reference subtracts two sums of the same terms in another kernel, and leaves
noise of their size: attention's gradients by `rowsum(dO * O)`, where a row sees one position or its
softmax is one-hot. Weights made again as `exp(x - logsumexp)` are off by roundings of x. An error
function is off by a few roundings of its own, which `1 + erf(x)` leaves where it cancels. Powers of
evenly spaced exponents are off by roundings of the exponents, which no input holds. A sum
that float32 holds exactly, such as a count, is rounded by nobody and stays. A decomposition that is
computed with is that of a matrix nearby (see `backward_error`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.numerics.budget.backward_error import VALUES, Neighbour
from assay.numerics.budget.error_budget import growth
from assay.numerics.budget.perturbation import OPERANDS, Perturbation, Signs
from assay.numerics.budget.reduction import reduction_length

_WIDE = (torch.float64, torch.complex128)
_LOGARITHMS = frozenset(("logsumexp", "logcumsumexp"))  # it is their sum that moves
_EXPONENTS = frozenset(("_softmax", "_log_softmax"))
_LINEAR = frozenset(("sum", "mean", "cumsum"))  # what is summed may cancel
_NORMALISATIONS = {"native_layer_norm": 2, "native_group_norm": 1}  # where the weights stand
# Roundings in an erf of single precision: a rational approximation that compilers use (Abramowitz
# and Stegun 7.1.26, in what torch.compile writes for AVX-512) is off by 1.5e-7 beside 1.
_ERF_ROUNDINGS = 2.5
_EXACT_SUM = 2.0**24  # integers up to here are exact in float32
_ROUNDINGS_OF_ONE = 2.0**24  # of float32 in a number of size one
# Up to here log(exp(x)) - x can be computed as it stands, and is off by a rounding of one where the
# truth is exactly 0 (a single class); beyond, float32 overflows unless the largest is subtracted.
_DIRECT_EXPONENT = 87.0


@dataclass(frozen=True)
class _Product:
    """A contraction, and how to make it again."""

    result: torch.Tensor
    version: int  # of its memory when it was made
    again: Callable[[], torch.Tensor]

    def is_still(self, tensor: torch.Tensor) -> bool:
        """Whether `tensor` is all of it, and nobody has written there since."""
        whole = tensor.is_contiguous() and tensor.numel() == self.result.numel()
        return whole and tensor._version == self.version


class InnerRoundings(TorchDispatchMode):
    """While active, results of reductions and contractions are moved.

    All of them as far as the inputs are: what is a sum of three terms here, another kernel may
    make as one of thousands (`rowsum(dO * O)` runs over the head, `rowsum(dP * P)` over the keys).
    """

    def __init__(self, perturbation: Perturbation, n: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._signs = Signs(perturbation)
        self._few = growth(1) / growth(n)  # what does not pile up in a sum of n terms
        self._neighbour = Neighbour(self._signs, 1.0 / growth(n))
        self._made: dict[int, _Product] = {}  # by their memory, which they keep

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo: 2.3 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kwargs = func.overloadpacket.__name__, kwargs or {}
        if name == "_softmax_backward_data" and _is_wide(args[0]):
            return self._softmax_backward(args)
        if name in OPERANDS:
            return self._contraction(func, args, kwargs)
        if name in VALUES and _is_wide(args[0]) and args[0].numel():
            return self._neighbour.decomposed(func, args, kwargs)
        result = func(*args, **kwargs)
        length = reduction_length(name, args, result)
        if name in _NORMALISATIONS and _is_wide(args[0]):
            self._move_mean(name, args, result)
        elif _is_wide(result) and not result.is_complex():
            self._move_error_function(name, args, kwargs, result)
            if name == "logspace":
                self._signs.move(result, _exponent_measure(result))
        for tensor in result if isinstance(result, tuple | list) else (result,):
            if length is not None and _is_wide(tensor):
                self._move(tensor, self._measure(func, args, kwargs, tensor))
        return result

    def _contraction(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        name = func.overloadpacket.__name__

        def again() -> Any:
            return func(*self._operands(name, args), **kwargs)

        result = again()
        if isinstance(result, torch.Tensor):
            place = result.untyped_storage().data_ptr()
            self._made[place] = _Product(result, result._version, again)
        return result

    def _again(self, tensor: torch.Tensor) -> torch.Tensor:
        """A product rounded anew, as by a kernel that makes it twice; else the tensor itself."""
        product = self._made.get(tensor.untyped_storage().data_ptr())
        if product is None or not product.is_still(tensor):
            return tensor
        return product.again().view_as(tensor)

    def _operands(self, name: str, args: Sequence[Any]) -> list[Any]:
        """Of two the smaller one is moved, so that every product moves; of three both ends."""
        places = OPERANDS[name]
        operands = [args[place] for place in places]
        length = reduction_length(name, args, operands[0])
        if length is None or not all(map(_is_wide, operands)) or _exact(operands, length):
            return list(args)
        if len(places) == 2:
            places = (min(places, key=lambda place: args[place].numel()),)
        chosen = (places[0], places[-1])
        return [self._moved(v) if place in chosen else v for place, v in enumerate(args)]

    def _moved(self, value: torch.Tensor) -> torch.Tensor:
        if not value.is_complex():
            return self._signs.moved(value)
        parts = self._signs.moved(torch.view_as_real(value.resolve_conj()))
        return torch.view_as_complex(parts.contiguous())

    def _softmax_backward(self, args: Sequence[Any]) -> torch.Tensor:
        """Its sum lies inside the operator: y * (g - sum(g * y)).

        Where y is one-hot the sum is g again, and by the output it is another sum of its terms.
        """
        gradient, made, dim = args[0], args[1], int(args[2])
        terms: torch.Tensor = self._again(gradient) * made
        total = terms.sum(dim, keepdim=True)
        self._move(total, terms.abs_().sum(dim, keepdim=True))
        return (gradient - total).mul_(made)  # type: ignore[no-any-return]

    def _move_mean(self, name: str, args: Sequence[Any], result: Sequence[torch.Tensor]) -> None:
        """The mean lies inside the operator: w * (x - mean) / deviation.

        Where all of a row are alike because codes of one scale are, no input moves them apart, and
        what is left of x - mean is the rounding of the mean.
        """
        given, made, means, inverse = args[0], *result[:3]
        if not given.numel():
            return
        rows = given.reshape(means.numel(), -1)
        off = means.reshape(-1, 1).clone()
        measure = rows.abs().mean(dim=1, keepdim=True)
        self._signs.move(off, measure.masked_fill_(off.to(torch.float32) == off, 0.0))
        off.sub_(means.reshape(-1, 1)).mul_(inverse.reshape(-1, 1))
        weights = args[_NORMALISATIONS[name]]
        if weights is None:
            made.sub_(off.expand(rows.shape).reshape(made.shape))
            return
        if name == "native_group_norm":
            weights = weights.reshape(1, -1, *[1] * (given.dim() - 2)).expand(given.shape)
            made.sub_(off.mul(weights.reshape(rows.shape)).reshape(made.shape))
        else:
            made.sub_(off.mul(weights.reshape(1, -1)).reshape(made.shape))

    def _move_error_function(
        self, name: str, args: Sequence[Any], kwargs: dict[str, Any], result: torch.Tensor
    ) -> None:
        """A GELU is x / 2 (1 + erf(x / sqrt 2)): its tail is what the error function leaves."""
        if name == "erf":
            self._signs.move(result, _erf_measure(args[0], result))
        elif name == "gelu" and kwargs.get("approximate", "none") == "none":
            given = args[0] * 0.5**0.5
            inner = _erf_measure(given, torch.erf(given)).mul_(args[0]).abs_()
            self._signs.move(result, inner.mul_(0.5).nan_to_num_(0.0, 0.0, 0.0))

    def _move(self, tensor: torch.Tensor, measure: torch.Tensor | None) -> None:
        """By a share of the measure; without one of itself, where it can be rounded at all."""
        parts = torch.view_as_real(tensor) if tensor.is_complex() else tensor
        if measure is None:
            measure = parts.masked_fill(parts.to(torch.float32) == parts, 0.0)
        self._signs.move(parts, measure)

    def _measure(
        self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], result: torch.Tensor
    ) -> torch.Tensor | None:
        """What a sum is off by one rounding of; None: the result itself."""
        name, given = func.overloadpacket.__name__, args[0]
        if name in _LINEAR and _is_wide(given) and not given.is_complex():
            measure: torch.Tensor = func(given.abs(), *args[1:], **kwargs)
            return measure.masked_fill_(result.to(torch.float32) == result, 0.0)
        if name in _EXPONENTS:
            weights = name == "_softmax"
            others = (1.0 - result) if weights else result.neg()
            exponents = _exponents(given, others, int(args[1]))
            # The exponents of weights are sums themselves, as long as any.
            share = exponents.mul_(1.0 if weights else self._few).add_(1.0)
            exact = others == 0.0
            if not weights:
                exact &= given.abs() > _DIRECT_EXPONENT
            share.masked_fill_(exact, 0.0)
            return share.mul_(result) if weights else share
        return torch.ones_like(result) if name in _LOGARITHMS else None


def _erf_measure(given: torch.Tensor, made: torch.Tensor) -> torch.Tensor:
    """A few roundings of `made`, which is the erf of `given`; none where it is 1 for float32, and
    everybody knows that.
    """
    left = torch.erfc(given.abs()).mul_(_ROUNDINGS_OF_ONE).clamp_(max=1.0)
    return made.abs().mul_(left).mul_(_ERF_ROUNDINGS).nan_to_num_(0.0)


def _exponent_measure(made: torch.Tensor) -> torch.Tensor:
    """What b^x is off by one rounding of x: |b^x| |x ln b|, the size times its logarithm.

    Torch has the exponents in float64 on a CPU and in float32 on a GPU: of a million powers up to
    10^10 the latter are off by up to 1.1e-6, and 2.4e-6 where they are made as exp(x ln b).
    """
    size = made.abs()
    return size.log().abs_().mul_(size).nan_to_num_(0.0, 0.0, 0.0)


def _is_wide(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in _WIDE


def _exact(operands: Sequence[torch.Tensor], length: int) -> bool:
    """Whether these are integers whose sums of products float32 holds."""
    largest = 1.0
    if any(operand.is_complex() or not operand.numel() for operand in operands):
        return False
    rows = [operand[(0,) * (operand.dim() - 1)] for operand in operands]  # one tells nearly always
    if not all(map(_whole, rows)) or not all(map(_whole, operands)):
        return False
    for operand in operands:
        largest *= max(1.0, float(operand.abs().max()))
    return largest * length <= _EXACT_SUM


def _whole(tensor: torch.Tensor) -> bool:
    return bool((tensor == tensor.round()).all())


def _exponents(given: torch.Tensor, others: torch.Tensor, dim: int) -> torch.Tensor:
    """|x| and |logsumexp|, whose roundings remain in `x - logsumexp`.

    Where one term outweighs the others so far that the logarithm is its own exponent, the
    difference is exact: nothing remains but what the others add.
    """
    if not given.numel():  # a maximum of nothing is refused
        return torch.zeros_like(given)
    top = given.amax(dim, keepdim=True).abs()
    sizes = given.abs().add_(top).nan_to_num_(0.0, 0.0, 0.0)
    return torch.minimum(sizes, (others * _ROUNDINGS_OF_ONE).nan_to_num_(0.0))
