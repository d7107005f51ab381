"""Weights: the versions of an instance's parameters, some of them large, small or far from zero.

The rule: a scaled version changes the scale of parameters and nothing else; whether the reference
bears it is found out by asking the reference. One that differs from another in one place of one
parameter keeps every value in its domain: it is drawn as the whole parameter is, or taken from
another place of it. Parameters that are tied to each other change together.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import torch
from torch import nn

_ENLARGED = 2.0**8  # times: a result that is clamped shows
_SHIFT = 2.0**9  # added: so does a variance of one pass
_PRUNED = 1 / 3  # of the rows or entries
_REDUCED = 2.0**-22  # times: so does a result that is flushed to zero


class WeightsKind(StrEnum):
    """How the weights of an instance were made."""

    SEEDED = "seeded"  # what the constructor drew from the common seed
    DRAWN = "drawn"  # every entry anew
    HALF = "half"  # one half of the entries anew; number 1 draws the half that number 0 leaves
    ENTRY = "entry"  # one entry of one parameter changed
    SWAPPED = "swapped"  # two rows of one parameter in each other's place: sums and norms stay
    ROW = "row"  # one row of one parameter anew
    LARGE = "large"  # gains and biases enlarged
    RAISED = "raised"  # gains and biases shifted up
    LOWERED = "lowered"  # gains and biases shifted down
    SMALL = "small"  # every parameter reduced
    SMALL_BUT_ONE = "small_but_one"  # the parameter of that number keeps its scale
    ZEROED = "zeroed"  # some rows of matrices and some of all other entries are zero
    NEW = "new"  # as the constructor leaves them: gains of one, biases of zero
    EVEN = "even"  # the vector of that number holds one value: as a gain does before it is trained


_IN_PART = frozenset({WeightsKind.ENTRY, WeightsKind.SWAPPED, WeightsKind.ROW})
_SCALED = (
    frozenset(WeightsKind) - {WeightsKind.SEEDED, WeightsKind.DRAWN, WeightsKind.HALF} - _IN_PART
)


@dataclass(frozen=True)
class Weights:
    """One version of the weights."""

    kind: WeightsKind = WeightsKind.DRAWN
    number: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"

    @property
    def scaled(self) -> bool:
        """Whether parameters have a scale on which the reference must be tried first."""
        return self.kind in _SCALED

    @property
    def as_constructed(self) -> bool:
        """Whether it is what the constructor leaves."""
        return self.kind in (WeightsKind.SEEDED, WeightsKind.NEW)

    @property
    def in_part(self) -> bool:
        """Whether it differs from the version before it in one place alone."""
        return self.kind in _IN_PART

    @property
    def ordinary(self) -> Weights:
        """A version that every workload bears: a scale is borne by the one it was tried on.

        Nor is one that differs in one place asked of all: each costs a truth more.
        """
        return FIRST_WEIGHTS if self.scaled or self.in_part else self

    @property
    def before(self) -> tuple[Weights, ...]:
        """The version that came before: of the same kind, or the one that it differs from."""
        if self in IN_PART:
            return (FIRST_WEIGHTS, *IN_PART)[IN_PART.index(self) :][:1]
        return (replace(self, number=self.number - 1),) if self.number else ()


FIRST_WEIGHTS = Weights()
SEEDED = Weights(WeightsKind.SEEDED)
TWIN_WEIGHTS = Weights(number=1)  # of a second instance, which is called in turns with the first
# Each differs in one place from the one before it, and the first of them from FIRST_WEIGHTS.
IN_PART = tuple(map(Weights, (WeightsKind.ENTRY, WeightsKind.SWAPPED, WeightsKind.ROW)))
HALVES = (Weights(WeightsKind.HALF, 0), Weights(WeightsKind.HALF, 1))


def parameters(module: nn.Module) -> dict[str, nn.Parameter]:
    """What a scale may change, by name; one that is tied to another stands under both names."""
    named = module.named_parameters(remove_duplicate=False)
    return {name: parameter for name, parameter in named if parameter.is_floating_point()}


def new_weights(module: nn.Module) -> list[Weights]:
    """What a constructor leaves, where a parameter is the same everywhere: no draw is like that."""
    known = [one.detach().reshape(-1) for one in parameters(module).values()]
    plain = any(len(one) > 1 and bool((one == one[0]).all()) for one in known)
    return [Weights(WeightsKind.NEW)] if plain else []


def scaled_weights(
    weights: Weights, module: nn.Module, drawn: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The drawn weights on the scale of that version."""
    known = parameters(module)
    vectors = {name for name, parameter in known.items() if parameter.dim() == 1}
    match weights.kind:
        case WeightsKind.LARGE:
            return {n: v * _ENLARGED if n in vectors else v for n, v in drawn.items()}
        case WeightsKind.RAISED | WeightsKind.LOWERED:
            shift = _SHIFT if weights.kind is WeightsKind.RAISED else -_SHIFT
            return {n: _shifted(v, shift) if n in vectors else v for n, v in drawn.items()}
        case WeightsKind.EVEN:
            one_value = _vector(known, weights)
            same = {n for n, parameter in known.items() if parameter is one_value}
            return {n: _even(v) if n in same else v for n, v in drawn.items()}
        case WeightsKind.ZEROED:
            return {n: _zeroed(v) if n in known else v for n, v in drawn.items()}
    one = weights.kind is WeightsKind.SMALL_BUT_ONE
    kept = list(known.values())[weights.number] if one else None
    small = {name for name, parameter in known.items() if parameter is not kept}
    return {n: v * _REDUCED if n in small else v for n, v in drawn.items()}


def _vector(known: Mapping[str, nn.Parameter], weights: Weights) -> nn.Parameter | None:
    vectors = [one for one in known.values() if one.dim() == 1 and one.numel()]
    return vectors[weights.number % len(vectors)] if vectors else None


def _even(value: torch.Tensor) -> torch.Tensor:
    return torch.full_like(value, float(value[0]))


def _zeroed(value: torch.Tensor) -> torch.Tensor:
    """About a third of its rows, or of its entries where it has no rows, as pruning leaves them.

    Which ones follows from what was drawn: parameters that are tied to each other stay equal.
    """
    first = value.reshape(len(value), -1)[:, 0] if value.dim() and value.numel() else value
    if first.numel() < 2:
        return value
    least = first.abs().float().quantile(_PRUNED)
    zero = (first.abs().float() <= least).view(-1, *(1,) * (value.dim() - 1))
    return value.masked_fill(zero, 0.0)


def _shifted(value: torch.Tensor, shift: float) -> torch.Tensor:
    """Up or down; what has one sign keeps it, for that may be its domain."""
    if value.numel() and (bool((value > 0).all()) or bool((value < 0).all())):
        return value + value.sign() * _SHIFT
    return value + shift


def partial_weights(
    weights: Weights,
    module: nn.Module,
    base: Mapping[str, torch.Tensor],
    drawn: Mapping[str, torch.Tensor],
    rng: random.Random,
) -> dict[str, torch.Tensor]:
    """The base with one row, one entry, or the order of two rows of one parameter changed."""
    known = {name: one for name, one in parameters(module).items() if one.numel() and name in base}
    state = dict(base)
    if not known:
        return state
    chosen = rng.choice(_by_size(known))
    value = _changed(weights.kind, base[chosen], drawn[chosen], rng)
    tied = [name for name, parameter in known.items() if parameter is known[chosen]]
    return state | dict.fromkeys(tied, value)


def _by_size(known: Mapping[str, nn.Parameter]) -> list[str]:
    """The names; those of matrices alone where there are any, for these are what is packed."""
    matrices = [name for name, parameter in known.items() if parameter.dim() > 1]
    return matrices or list(known)


def _changed(
    kind: WeightsKind, base: torch.Tensor, drawn: torch.Tensor, rng: random.Random
) -> torch.Tensor:
    value = base.clone()
    rows = len(value) if value.dim() else 1
    row, other = rng.randrange(rows), rng.randrange(max(1, rows - 1))
    other += other >= row
    if kind is WeightsKind.SWAPPED and rows > 1:
        value[[row, other]] = base[[other, row]]
    elif kind is WeightsKind.ENTRY:
        flat, place = value.view(-1), rng.randrange(value.numel())
        flat[place] = _farthest(flat[place], drawn.reshape(-1))
    elif value.dim():
        value[row] = drawn[row]
    else:
        value = drawn.clone()
    return value


def _farthest(old: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The value that is farthest from the old one, so that the change is not lost in rounding."""
    return values[int((values.float() - old.float()).abs().argmax())]


def half_weights(
    weights: Weights,
    drawn: Mapping[str, torch.Tensor],
    base: Mapping[str, torch.Tensor],
    rng: random.Random,
) -> dict[str, torch.Tensor]:
    """One half of the entries as drawn, the other as before; `rng` says which is which."""
    names = sorted(drawn)
    rng.shuffle(names)
    half = (len(names) + 1) // 2
    moved = set(names[:half] if weights == HALVES[0] else names[half:] or names)
    return {name: drawn[name] if name in moved else base[name] for name in drawn}
