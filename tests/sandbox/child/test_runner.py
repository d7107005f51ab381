"""What the runner has done when it answers, on a device whose copies arrive late."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.sandbox.child import runner as runner_module
from assay.sandbox.child.runner import Runner
from assay.sandbox.child.untouched.random_state import RandomState
from assay.sandbox.protocol.replies import StateMatch
from assay.sandbox.protocol.requests import HandOverAgain, HandOverHeld, LoadState, RunBatch

STREAM = 7


class _Device:
    """Queues copies, and makes them when somebody waits for their stream."""

    stream_handle = STREAM

    def __init__(self) -> None:
        self.queued: list[str] = []
        self.arrived: list[str] = []

    def take_back(self) -> None:
        """Its stream is the only one."""

    def finish(self, stream: int | None = None) -> None:
        assert stream in (None, STREAM)
        self.arrived += self.queued
        self.queued.clear()


def _runner(device: _Device | None) -> Runner:
    made = Runner((), cast(Any, SimpleNamespace(accelerator=device)))
    queue = device.queued if device is not None else []
    batch = SimpleNamespace(hand_over=lambda: queue.append("result"))
    made.batch, made.held = cast(Any, batch), [cast(Any, batch)]
    made.instances = {0: cast(Any, None)}
    return made


@pytest.mark.parametrize("request_", [HandOverAgain(), HandOverHeld(0)])
def test_results_have_arrived_when_they_are_said_to_be_handed_over(request_: Any) -> None:
    """The host reads them at once, and its reads are not ordered behind the child's stream."""
    device = _Device()
    assert _runner(device).handle(request_, []) == (0, "")
    assert device.arrived == ["result"] and not device.queued
    assert _runner(None).handle(request_, []) == (0, "")


def test_weights_have_arrived_when_they_are_said_to_be_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The host may write the next ones to the same place."""
    device = _Device()

    def load_state(*_: Any) -> StateMatch:
        device.queued.append("weights")
        return StateMatch.NAMES

    monkeypatch.setattr(runner_module, "load_state", load_state)
    assert _runner(device).handle(LoadState(0, ()), []) == (StateMatch.NAMES, "")
    assert device.arrived == ["weights"]


def test_the_runner_computes_nothing_beside_calls_that_are_made_as_timed_ones_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where such calls are sampled, its random numbers were charged to the candidate."""
    looks: list[bool] = []
    monkeypatch.setattr(RandomState, "look", lambda _: looks.append(True))
    made = _runner(None)
    made.batch, made.held = None, []
    for copy_each, poison in ((False, False), (True, False), (False, True)):
        made.handle(RunBatch((), copy_each=copy_each, poison=poison), [])
    assert len(looks) == 2
