"""Draws of several calls: what calls tell together, of which each looks right by itself.

The rule: the bounds are those of one call's tests (random_draws.py).
"""

from __future__ import annotations

from assay.numerics.contracts.draw_correlation import DrawView, correlated
from assay.numerics.contracts.draw_dispersion import DrawDispersion
from assay.numerics.contracts.draw_prediction import DrawPrediction
from assay.numerics.contracts.random_draws import (
    LIMIT,
    BinaryDraws,
    Finding,
    differing,
    surprise,
)

_TOLD_BY = {
    "size": "the size of its operand",
    "value": "the value of its operand",
    "place": "what came at its place in earlier calls",
}


def repeated_view(one: DrawView, other: DrawView) -> Finding:
    """Two calls: whether one holds draws of the other, at whatever distance."""
    share, distance = correlated(one, other, LIMIT)
    text = f"draws of an earlier call come again, {abs(distance)} places farther"
    return Finding("repetition of calls", share, text)


def repeated(one: BinaryDraws, other: BinaryDraws) -> Finding:
    """Two calls: how many draws differ, against independent ones."""
    count, total, mean = differing(one, other)
    text = f"{count} of {total} draws differ from an earlier call's, expected {mean * total:.1f}"
    return Finding("independence of calls", surprise(count, total, mean), text)


def dispersed(sums: DrawDispersion) -> list[Finding]:
    """All calls so far: whether their sums scatter as those of independent draws do."""
    count, chance = sums.near()
    far = f"the sums of {sums.calls} calls scatter {sums.squares / max(1, sums.calls):.1f} times as"
    near = f"the sums of {count} of {sums.calls} calls are what is expected, all but exactly"
    rare = count > chance * sums.calls
    return [
        Finding("dispersion", sums.too_far() / LIMIT, f"{far} far as independent draws may"),
        Finding("dispersion", surprise(count, sums.calls, chance) if rare else 0.0, near),
    ]


def predicted(seen: DrawPrediction) -> list[Finding]:
    """All calls so far: whether a draw follows from what was known before it."""
    return [
        Finding("prediction", share / LIMIT, f"a draw is told by {_TOLD_BY[name]}")
        for name, share in seen.surprises().items()
    ]
