"""A forked judge computes whatever the judge itself can."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
import torch

from assay.exam.prefetch.forked_helper import ForkedHelper

pytestmark = pytest.mark.usefixtures("two_threads")

SQUARE = torch.ones(512, 512)
JUDGE = """
import torch
from assay.exam.prefetch.forked_helper import FORK, ForkedHelper

image, filters, square = torch.ones(1, 8, 128, 256), torch.ones(8, 8, 3, 3), torch.ones(512, 512)
work = lambda: {work}
work()
inbox, outbox = FORK.Pipe(duplex=False)
follower = ForkedHelper(lambda: outbox.send(float(work().sum())))
print(inbox.poll(20.0) and inbox.recv() == float(work().sum()))
follower.stop()
"""


@pytest.mark.parametrize(
    "work",
    [
        "torch.conv2d(image, filters)",  # on ARM with as many threads as oneDNN found at first
        pytest.param(
            "torch.nn.functional.linear(square, square, square[0])", marks=pytest.mark.exhaustive
        ),
        pytest.param("square.double() @ square.double()", marks=pytest.mark.exhaustive),
        pytest.param("torch.softmax(square.repeat(8, 1), -1)", marks=pytest.mark.exhaustive),
    ],
)
def test_what_the_judge_did_with_all_its_threads_it_can_do(work: str) -> None:
    command = [sys.executable, "-c", JUDGE.format(work=work)]
    environment = os.environ | {"OMP_NUM_THREADS": "2"}
    assert subprocess.check_output(command, env=environment, text=True) == "True\n"


def test_who_sleeps_does_not_work() -> None:
    helper = ForkedHelper(lambda: time.sleep(60.0))
    try:
        time.sleep(0.3)
        helper.has_worked()
        time.sleep(0.2)
        assert not helper.has_worked() and helper.is_alive()
    finally:
        helper.stop()


def test_who_computes_does() -> None:
    helper = ForkedHelper(_compute)
    try:
        assert any(_worked_within(helper, 0.1) for _ in range(50))
    finally:
        helper.stop()


def _compute() -> None:
    while True:
        SQUARE.sum()


def _worked_within(helper: ForkedHelper, seconds: float) -> bool:
    time.sleep(seconds)
    return helper.has_worked()
