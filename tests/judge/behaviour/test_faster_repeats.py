from __future__ import annotations

import pytest

from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.observation import RepetitionSeen
from assay.judge.behaviour.faster_repeats import findings


def pairs(ratios: list[float], first_us: float = 1000.0) -> RepetitionSeen:
    again = tuple(first_us * ratio for ratio in ratios)
    return RepetitionSeen(first_us=(first_us,) * len(ratios), again_us=again)


@pytest.mark.parametrize("ratios", [[0.1] * 8, [0.45] * 8, [0.1] * 7 + [1.5]])
def test_an_answer_that_costs_half_the_second_time_is_remembered(ratios: list[float]) -> None:
    (found,) = findings(pairs(ratios))
    assert (found.kind, found.severity) == (EvidenceKind.MEMO, Severity.CONVICTS)


@pytest.mark.parametrize(
    "ratios", [[1.0] * 8, [0.6] * 8, [0.4] * 6 + [0.9] * 2, [0.5, 2.0] * 4, [0.72] * 8]
)
def test_noise_and_warm_caches_are_not(ratios: list[float]) -> None:
    assert findings(pairs(ratios)) == ()


def test_short_calls_and_calls_not_made_say_nothing() -> None:
    assert findings(pairs([0.1] * 8, first_us=60.0)) == ()
    assert findings(RepetitionSeen(reason="too large")) == ()
