"""Calls of records that an earlier Assay wrote can still be read."""

from __future__ import annotations

import json

from assay.data.observations.call import CallOutcome, CallSeen, CallStage, Mix

CALL = CallSeen(index=3, workload=0, mix=Mix.PLAIN, outcome=CallOutcome.RETURNED, weights="half 1")


def test_a_numbered_version_of_the_weights_is_read_as_a_name() -> None:
    old = json.loads(CALL.model_dump_json()) | {"weights": 1002}
    del old["stage"]
    found = CallSeen.model_validate(old)
    assert (found.weights, found.stage) == ("1002", CallStage.SCRIPT)


def test_a_call_comes_back_as_it_was() -> None:
    timed = CALL.model_copy(update={"stage": CallStage.TIMED})
    assert CallSeen.model_validate_json(timed.model_dump_json()) == timed
