"""Repeated draws: does a random operation draw anew, in every call and at every place?

The rule: a call is held against the latest ones of the same shape, whatever their content was; who
draws the same numbers again is wrong, although each answer alone looks random. The sums of all
calls together must scatter as those of independent draws do, and nothing that is known before a
draw may tell it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallSeen
from assay.numerics.contracts.draw_dispersion import DrawDispersion
from assay.numerics.contracts.draw_prediction import DrawPrediction
from assay.numerics.contracts.random_draws import (
    BinaryDraws,
    dispersed,
    predicted,
    repeated,
    repeated_view,
)
from assay.numerics.expectation import OutputExpectation

_REMEMBERED = 4  # calls of one shape


@dataclass(frozen=True)
class _DrawnCall:
    draws: BinaryDraws
    views: tuple[torch.Tensor, ...]


@dataclass
class RepeatedDraws:
    """The draws of the latest calls, by shape, and the sums of all calls, by view."""

    _known: dict[tuple[int, ...], list[_DrawnCall]] = field(default_factory=dict)
    _sums: dict[int, DrawDispersion] = field(default_factory=dict)
    _predictions: dict[int, DrawPrediction] = field(default_factory=dict)

    def look(
        self, seen: CallSeen, expected: OutputExpectation, tensor: torch.Tensor | None
    ) -> CallSeen:
        """The same call, marked where its draws are those of an earlier one."""
        if expected.draws is None or tensor is None or any(o.problem for o in seen.outputs):
            return seen
        now = _DrawnCall(expected.draws.binary_draws(tensor)[0], expected.draws.views(tensor))
        earlier = self._known.setdefault(expected.shape, [])
        findings = [repeated(now.draws, then.draws) for then in earlier]
        for then in earlier:
            findings += map(repeated_view, now.views, then.views)
        self._known[expected.shape] = [*earlier[1 - _REMEMBERED :], now]
        for view, one in enumerate(expected.draws.sums(tensor)):
            sums = self._sums.setdefault(view, DrawDispersion())
            sums.add(one)
            findings += dispersed(sums)
        for view, draws in enumerate(expected.draws.centred(tensor)):
            prediction = self._predictions.setdefault(view, DrawPrediction())
            prediction.add(expected.draws.operand, draws)
            findings += predicted(prediction)
        worst = max(findings, key=lambda finding: finding.share, default=None)
        if worst is None or worst.share <= 1.0:
            return seen
        update = {"problem": EvidenceKind.WRONG_VALUE, "detail": worst.text, "error": None}
        return seen.model_copy(update={"outputs": (seen.outputs[0].model_copy(update=update),)})
