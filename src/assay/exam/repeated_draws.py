"""Repeated draws: does a random operation draw anew, in every call and at every place?

The rule: a call is held against the latest ones of the same shape, whatever their content was; who
draws the same numbers again is wrong, although each answer alone looks random. The sums of all
calls together must scatter as those of independent draws do, and nothing that is known before a
draw may tell it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import sqrt

import torch

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallSeen
from assay.numerics.contracts.draw_dispersion import DrawDispersion
from assay.numerics.contracts.draw_prediction import DrawPrediction
from assay.numerics.contracts.draws_of_calls import dispersed, predicted, repeated, repeated_view
from assay.numerics.contracts.random_draws import DrawnCall, Draws
from assay.numerics.expectation import OutputExpectation

_REMEMBERED = 4  # calls of one shape
_COMPARED = 4096  # draws of a call that are held against those of all others
_LEAST_COMPARED = 1024
_FARTHEST = 9.0  # standard deviations: of 2^15 pairs none comes so far in 10^13 verdicts


@dataclass
class RepeatedDraws:
    """The draws of the latest calls, by shape, and the sums of all calls, by view."""

    _known: dict[tuple[int, ...], list[DrawnCall]] = field(default_factory=dict)
    _sums: dict[int, DrawDispersion] = field(default_factory=dict)
    _predictions: dict[int, DrawPrediction] = field(default_factory=dict)

    def look(
        self, seen: CallSeen, expected: OutputExpectation, tensor: torch.Tensor | None
    ) -> CallSeen:
        """The same call, marked where its draws are those of an earlier one."""
        if expected.draws is None or tensor is None or any(o.problem for o in seen.outputs):
            return seen
        now = expected.draws.drawn(tensor)
        earlier = self._known.setdefault(expected.shape, [])
        findings = [repeated(now.binary, then.binary) for then in earlier]
        for then in earlier:
            findings += map(repeated_view, now.views, then.views)
        self._known[expected.shape] = [*earlier[1 - _REMEMBERED :], now]
        for view, one in enumerate(expected.draws.sums(now)):
            sums = self._sums.setdefault(view, DrawDispersion())
            sums.add(one)
            findings += dispersed(sums)
        for view, draws in enumerate(expected.draws.centred(now)):
            prediction = self._predictions.setdefault(view, DrawPrediction())
            prediction.add(expected.draws.operand, draws)
            findings += predicted(prediction)
        worst = max(findings, key=lambda finding: finding.share, default=None)
        if worst is None or worst.share <= 1.0:
            return seen
        update = {"problem": EvidenceKind.WRONG_VALUE, "detail": worst.text, "error": None}
        return seen.model_copy(update={"outputs": (seen.outputs[0].model_copy(update=update),)})


class DrawnCalls:
    """Many calls with one content: does any of them draw what another did, whenever that was?"""

    def __init__(self, draws: Draws) -> None:
        self._draws = replace(draws, operand=draws.operand.reshape(-1)[:_COMPARED])
        self._rows: list[torch.Tensor] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, tensor: torch.Tensor) -> None:
        """One more call."""
        view = self._draws.drawn(tensor.reshape(-1)[:_COMPARED]).views[0].values
        self._rows.append((view / view.norm().clamp_min(1e-300)).float())

    def repetition(self) -> str:
        """Which two calls are alike, in words; empty where none are, or little is known of them."""
        if len(self) < 2 or int((self._rows[0] != 0).sum()) < _LEAST_COMPARED:
            return ""
        rows = torch.stack(self._rows)
        alike = (rows @ rows.T).triu(1).abs()
        place = int(alike.argmax())
        far = float(alike.reshape(-1)[place]) * sqrt(int((self._rows[0] != 0).sum()))
        if far <= _FARTHEST:
            return ""
        first, second = divmod(place, len(self))
        return f"call {second + 1} of {len(self)} draws what call {first + 1} drew"
