"""A request: wanted until its future is cancelled, by whomever and however often."""

from __future__ import annotations

from concurrent.futures import wait

import pytest

from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.engine.judge_request import JudgeRequest
from assay.judge_process.messages import Job
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.catalog import resolve
from sample_records import judgement

CANDIDATE = candidate_of_text("class ModelNew: ...\n")


def request() -> JudgeRequest:
    return JudgeRequest(Job(task=resolve("softmax"), candidates=(CANDIDATE,), settings=Settings()))


@pytest.mark.parametrize("by_its_owner", [True, False])
def test_it_can_be_cancelled_twice(by_its_owner: bool, caplog: pytest.LogCaptureFixture) -> None:
    made = request()
    assert made.wanted
    if by_its_owner:
        made.future.cancel()
    made.cancel()
    made.cancel()
    assert not made.wanted and not wait([made.future], 5).not_done
    assert caplog.records == []  # a future that is told twice complains and raises


def test_an_answer_that_nobody_wants_is_dropped() -> None:
    made = request()
    made.cancel()
    made.answer(judgement(CANDIDATE, Settings(), Status.ACCEPTED))
    made.fail(ValueError())
    assert made.future.cancelled()
