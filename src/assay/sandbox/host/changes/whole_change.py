"""Whole change: a tensor whose every element is another one, and which is as likely as before.

The rule: what was worked out for one content is of no use for the next, however little of it a
kernel would have to correct: no element stays where it was. Elements that might as well lie
elsewhere are laid out anew in short runs, whose length, places and order are secret, and where
their last bits are as random as those of a float that is drawn, these change too: no value is one
that was seen before. Integers are laid out anew where they might as well lie elsewhere. A batch of
symmetric matrices becomes a mean of two of its own, with rows and columns in a secret order: that
stays symmetric, definite where it was, with the diagonal it had if that was constant, and has other
eigenvalues. What has another structure (zeros, an order, rows of one sum or length, columns of
different size, a heavy diagonal) is changed in part only, as SpreadChange and few_changed do.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import torch

from assay.sandbox.host.call_content import Content, is_symmetric
from assay.sandbox.host.changes.spread_change import (
    Words,
    all_changed,
    float_positions,
    words_of,
)
from assay.sandbox.host.tensor_bytes import from_bytes, span

_SHORT, _LONGEST = 64, 2039  # elements of a run: copies of 8 KB cost what they cost in one piece
_RUNS, _MANY_RUNS = 32, 2048  # at least so many, where runs are as short as that and longer
_LOOKED_AT = 1 << 15  # elements that show a structure
_FAR = 5.0  # standard errors; of eight looks at an honest draw one in 200000 is farther
_ZEROS = 1e-6  # of all: a draw of 24 bits is zero now and then, a mask is more often
_LEAST_ROWS = 4
_SLACK = 0.05  # of the cube root: nothing is drawn quite independently
_WEIGHTS = (0.25, 0.75)  # of the first matrix in the mean of two
_KEPT_BITS = 5  # of a mantissa: a value stays within a 32nd of its power of two
_MANTISSA = {torch.float64: 52, torch.float32: 23, torch.float16: 10, torch.bfloat16: 7}
_RANDOM_BIT = (0.1, 0.9)  # share of elements in which a random bit is set
_BITS_LOOKED_AT = 1 << 12  # elements
_LEAST_DISTINCT = 4  # elements of a row: fewer are distinct by chance


@dataclass(frozen=True)
class Shuffle:
    """Runs of `length` elements, beginning at `first`, in an order that `seed` gives.

    The bits of `flips` change in every element.
    """

    length: int
    first: int
    seed: int
    flips: int = 0

    @classmethod
    def draw(cls, elements: int, rng: random.Random, bits: int = 0) -> Shuffle:
        """One for so many elements: no run of several comes to lie where it was.

        Of the last `bits` bits of each element some change, the highest of them always.
        """
        wished = min(_LONGEST, max(_SHORT, elements // _MANY_RUNS))
        longest = max(1, min(wished, elements // _RUNS))
        length = rng.randint((longest + 3) // 4, longest)
        first = rng.randrange(1, length) if length > 1 else 0
        seed = rng.getrandbits(63)
        flips = random.Random(seed).getrandbits(bits) | 1 << (bits - 1) if bits else 0
        return cls(length, first, seed, flips)

    def make(self, words: Words, given: Words) -> None:
        """Lay the elements of `given` out in `words`, which is another piece of memory."""
        runs = (given.size - self.first) // self.length
        end = self.first + runs * self.length
        order = np.random.default_rng(self.seed).permutation(runs)
        source = given[self.first : end].reshape(runs, self.length)
        np.take(source, order, axis=0, out=words[: source.size].reshape(source.shape), mode="clip")
        rest = given.size - end
        words[source.size : source.size + rest] = given[end:]
        words[source.size + rest :] = given[: self.first]
        if self.flips:
            np.bitwise_xor(words, words.dtype.type(self.flips), out=words)


def random_bits(tensor: torch.Tensor) -> int:
    """How many of the last bits of every element are random, as far as its numbers show."""
    mantissa = _MANTISSA.get(tensor.dtype, 0)
    bits = max(0, mantissa - _KEPT_BITS)
    if not bits or tensor.numel() < 2:
        return 0
    words = words_of(tensor.detach().reshape(-1)[:_BITS_LOOKED_AT].contiguous())
    set_ = [float((words >> words.dtype.type(bit) & 1).mean()) for bit in range(bits)]
    low, high = _RANDOM_BIT
    return bits if all(low < share < high for share in set_) else 0


def shuffled(tensor: torch.Tensor, change: Shuffle) -> torch.Tensor:
    """The tensor so laid out; a contiguous one of its own."""
    given = words_of(tensor.contiguous())
    words = np.empty_like(given)
    change.make(words, given)
    dtype = str(tensor.dtype).removeprefix("torch.")
    return from_bytes(words.view(np.uint8), dtype, tuple(tensor.shape))


def bears_shuffle(tensor: torch.Tensor) -> bool:
    """Whether any of its elements might as well lie elsewhere, as far as its numbers show."""
    if tensor.numel() < 2 or span(tensor) < tensor.numel():
        return False
    if tensor.is_complex():
        return tensor.element_size() == np.dtype(np.complex64).itemsize and all(
            bears_shuffle(part) for part in (tensor.real, tensor.imag)
        )
    if not tensor.is_floating_point():
        return _bears_order(tensor)
    if tensor.element_size() not in (2, 4, 8):
        return False
    zeros = tensor.numel() - int(torch.count_nonzero(tensor))
    if zeros > max(1.0, _ZEROS * tensor.numel()) or not _is_finite(tensor):
        return False
    rows = _some_rows(tensor)
    if _is_even(rows):
        return False
    if _leans(rows) or _leans(rows.square()) or _has_diagonal(tensor):
        return False
    return not is_symmetric(tensor)


def _bears_order(tensor: torch.Tensor) -> bool:
    """Integers and flags that are neither offsets nor lengths of rows nor rows of distinct ones."""
    rows = _some_rows(tensor)
    if _is_even(rows) or _leans(rows) or is_symmetric(tensor):
        return False
    steps = rows.diff(dim=1)
    if steps.numel() and bool((steps >= 0).all() or (steps <= 0).all()):
        return False
    if rows.shape[1] < _LEAST_DISTINCT:
        return True
    apart = bool((rows.sort(dim=1).values.diff(dim=1) > 0).all())
    alone = rows.shape[0] == 1 or len(rows.unique()) == rows.numel()
    return not apart or alone


def _ordered(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether one of two is nowhere above the other: starts and ends, which belong together."""
    if one.shape != other.shape:
        return False
    return bool((one <= other).all()) or bool((one >= other).all())


def changing_integers(content: Content) -> list[int]:
    """Where the integer and boolean inputs stand that can be laid out anew."""
    whole = [
        (i, v)
        for i, v in enumerate(content.inputs)
        if isinstance(v, torch.Tensor) and not (v.is_floating_point() or v.is_complex())
    ]
    return [
        i
        for i, v in whole
        if bears_shuffle(v) and not any(j != i and _ordered(v, other) for j, other in whole)
    ]


class WholeChange:
    """How the inputs of contents like this one change; what they bear is looked at once."""

    def __init__(self, like: Content) -> None:
        positions = float_positions(like)
        self._integers = changing_integers(like)
        self._shuffled = {i for i in positions if bears_shuffle(like.inputs[i])}
        self._mixed = {i for i in set(positions) - self._shuffled if _bears_mean(like.inputs[i])}
        self._others = tuple(i for i in positions if i not in self._shuffled | self._mixed)

    def make(self, content: Content, rng: random.Random) -> Content:
        """The content with every element of its inputs another one, where they bear it."""
        inputs = list(content.inputs)
        for position in sorted((*self._shuffled, *self._integers)):
            inputs[position] = _laid_out(inputs[position], rng)
        for position in sorted(self._mixed):
            inputs[position] = _mean_of_two(inputs[position], rng)
        return all_changed(Content(tuple(inputs)), rng, self._others)


def _laid_out(tensor: torch.Tensor, rng: random.Random) -> torch.Tensor:
    changed = shuffled(tensor, Shuffle.draw(tensor.numel(), rng, random_bits(tensor)))
    if tensor.is_contiguous():
        return changed
    flat = tensor.detach().as_strided((span(tensor),), (1,)).clone()  # with the gaps' bytes
    return flat.as_strided(tensor.shape, tensor.stride()).copy_(changed)


def _is_finite(tensor: torch.Tensor) -> bool:
    """By the sum, which an infinity or a NaN spoils: ten times as quick as a look at each."""
    return bool(tensor.detach().sum(dtype=torch.float64).isfinite())


def _some_rows(tensor: torch.Tensor) -> torch.Tensor:
    rows = tensor.detach().reshape(-1, tensor.shape[-1])
    return rows[: max(_LEAST_ROWS, _LOOKED_AT // rows.shape[1])].double()


def _is_even(rows: torch.Tensor) -> bool:
    """All of one value, or in steps of one size: positions, bounds, a constant."""
    steps = rows.flatten()[:_LOOKED_AT].diff()
    return bool((steps == 0).all() or (steps >= 0).all() or (steps <= 0).all())


def _leans(rows: torch.Tensor) -> bool:
    """Whether means of rows, or of columns, differ more or less than chance makes them."""
    return _uneven(rows) or _uneven(rows.T.contiguous())


def _uneven(rows: torch.Tensor) -> bool:
    """By the variance of the means of n rows of m: s^2 / m times a chi^2 over its n - 1 degrees.

    z = (ratio^(1/3) - 1 + 2 / 9k) / sqrt(2 / 9k) is nearly normal (k = n - 1); heavy tails of the
    elements make it wider by sqrt(1 + kurtosis / 2m).
    """
    count, length = rows.shape
    if count < _LEAST_ROWS or length < _LEAST_ROWS:
        return False
    spread = float(rows.var())
    if spread == 0.0:
        return True
    ratio = float(rows.mean(dim=1).var()) * length / spread
    kurtosis = float((rows - rows.mean()).square().square().mean()) / spread**2 - 3.0
    narrow = 2.0 / (9.0 * (count - 1))
    wider = (1.0 + max(0.0, kurtosis) / (2.0 * length)) ** 0.5
    far = abs(ratio ** (1 / 3) - 1.0 + narrow)
    return bool(far > _FAR * wider * narrow**0.5 + _SLACK)


def _has_diagonal(tensor: torch.Tensor) -> bool:
    """Whether the diagonals of square matrices have another mean than the rest."""
    if tensor.dim() < 2 or tensor.shape[-1] != tensor.shape[-2]:
        return False
    diagonal = tensor.detach().diagonal(dim1=-2, dim2=-1).double()
    others = _some_rows(tensor)
    error = float(others.std()) / diagonal.numel() ** 0.5
    return bool(abs(float(diagonal.mean() - others.mean())) > _FAR * error)


def _bears_mean(tensor: torch.Tensor) -> bool:
    """A batch of symmetric matrices that are dense."""
    if not tensor.is_floating_point() or span(tensor) < tensor.numel() or not is_symmetric(tensor):
        return False
    size = tensor.shape[-1]
    outside = ~torch.eye(size, dtype=torch.bool)
    return _is_finite(tensor) and not bool((tensor[..., outside] == 0).any())


def _mean_of_two(tensor: torch.Tensor, rng: random.Random) -> torch.Tensor:
    """W P A P^T + (1 - w) Q B Q^T, with B the matrices in another order."""
    drawn = torch.Generator().manual_seed(rng.getrandbits(63))
    batch = tensor.detach().reshape(-1, *tensor.shape[-2:])
    weight = rng.uniform(*_WEIGHTS)
    first, second = (_reordered(batch, drawn) for _ in range(2))
    mean = torch.lerp(second, first, weight).tril()
    mean = (mean + mean.tril(-1).transpose(-1, -2)).reshape(tensor.shape)
    flat = tensor.detach().as_strided((span(tensor),), (1,)).clone()
    return flat.as_strided(tensor.shape, tensor.stride()).copy_(mean)


def _reordered(batch: torch.Tensor, drawn: torch.Generator) -> torch.Tensor:
    order = torch.randperm(batch.shape[-1], generator=drawn)
    items = torch.randperm(batch.shape[0], generator=drawn)
    return batch[items][:, order][:, :, order]
