"""The gate: calls are queued behind it, and answer what was written before it opened."""

from __future__ import annotations

import pytest
import torch

from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import BatchOptions, Laid, Spot
from assay.sandbox.protocol.replies import MARKED
from assay.timing.device_round_times import GatedRun
from assay.timing.gate import Gate
from support.walls import Inside, planned

_DOUBLES = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * 2
"""
_WAITS = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        torch.cuda.synchronize()
        return y
"""
_PATIENCE_S = 0.5
_CALLS = 4


def through(
    inside: Inside, source: str, held: bool = True, recorded: bool = False
) -> tuple[GatedRun, list[Laid]]:
    """Calls on zeros, which become ones while everything is queued, or before it is."""
    inside.construct(source)
    session = inside.session
    inside.one(torch.ones(64, 64), Spot("warm-up"))  # the first call pays for what is loaded late
    calls = [planned(torch.zeros(64, 64), Spot(f"gated {i}")) for i in range(_CALLS)]
    laid = [session.lay(call, i) for i, call in enumerate(calls)]
    session.memory.guard()
    session.process.freeze()
    for one in laid:
        session.write(one)

    def refresh() -> None:
        for one in laid:
            session.memory.put(one.inputs[0], torch.ones(64, 64))

    gate, deadline = Gate(session), Deadline.after(30.0)
    if held:
        run = gate.run(laid, refresh, _PATIENCE_S, deadline, recorded)
    else:
        run = gate.run_open(laid, refresh, deadline, recorded)
    session.process.freeze()
    return run, laid


def answers(inside: Inside, laid: list[Laid]) -> list[float]:
    """The first element of each answer."""
    found = [inside.session.take(one, BatchOptions(check_inputs=False)) for one in laid]
    tensors = [call.outputs[0].tensor for call in found]
    return [float(tensor[0, 0]) for tensor in tensors if tensor is not None]


def test_queued_calls_answer_what_was_written_before_the_gate_opened(inside: Inside) -> None:
    run, laid = through(inside, _DOUBLES)
    assert run.gated
    assert answers(inside, laid) == [2.0] * _CALLS
    assert 0 < run.inside_ns < 2 * run.outside_ns < 1_000_000_000


def test_who_waits_for_the_device_inside_is_let_through_and_marked(inside: Inside) -> None:
    run, laid = through(inside, _WAITS)
    assert not run.gated
    assert answers(inside, laid) == [2.0] * _CALLS


def test_with_nothing_held_back_both_are_timed_alike(inside: Inside) -> None:
    for source in (_WAITS, _DOUBLES):
        run, laid = through(inside, source, held=False)
        assert not run.gated
        assert answers(inside, laid) == [2.0] * _CALLS
        assert 0 < run.inside_ns <= 2 * run.outside_ns


def test_every_process_knows_its_gap_before_a_candidate_is_there(inside: Inside) -> None:
    gap_us = inside.session.gap_us
    assert gap_us is not None and 0.3 < gap_us < 10.0  # of a fill of 64 KiB, on any device


@pytest.mark.parametrize("held", [True, False])
def test_the_kernels_of_a_recorded_batch_are_told_and_its_answers_are_the_same(
    inside: Inside, held: bool
) -> None:
    run, laid = through(inside, _DOUBLES, held, recorded=True)
    assert run.gated is held
    marked, line = inside.session.statement().splitlines()
    assert marked == MARKED and line.split("\t")[1] == str(_CALLS) and "mul" in line.lower()
    assert answers(inside, laid) == [2.0] * _CALLS
