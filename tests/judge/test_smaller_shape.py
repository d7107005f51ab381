"""A smaller shape than the own one is said in the field, the sentence and the evidence."""

from __future__ import annotations

import pytest

from assay.data.observations.call import CallSeen
from assay.data.observations.observation import ScaledSeen
from assay.data.verdict import OwnWorkload, Status
from assay.judge.decide import judge
from support.judge_inputs import bad, case, every_workload, good

SEEN = ScaledSeen(
    own={"rows": 4096, "cols": 32}, asked={"rows": 16, "cols": 32}, reason="memory is short"
)


@pytest.mark.parametrize(("call", "status"), [(good(9), "accepted"), (bad(9), "incorrect")])
def test_both_shapes_are_in_the_sentence(call: CallSeen, status: str) -> None:
    verdict = judge(case(*every_workload(), call, SEEN))
    assert verdict.status is Status(status) and verdict.own_workload is OwnWorkload.SCALED
    assert verdict.reason.endswith("(own workload scaled: rows=16 instead of 4096)")
    assert any("rows=16 instead of 4096: memory is short" in e.text for e in verdict.evidence)


def test_the_own_shape_is_asked_unless_it_was_scaled() -> None:
    verdict = judge(case(*every_workload()))
    assert verdict.own_workload is OwnWorkload.ASKED and "scaled" not in verdict.reason
