"""Batches like those of the stopwatch, sampled: whose code ran, the runner's own work left out."""

from __future__ import annotations

import random

import torch

from assay.checks.sampled_batches import SampledBatches
from assay.data.observations.observation import Observation, ProvenanceSeen
from assay.sandbox.host.call_content import Content
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import timed_calls
from assay.timing.host_side import HostSide, SideEntry
from support.walls import Inside, Room

LIBRARY = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.erf(x) + torch.tanh(x)
"""
MOVES = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.clone()
"""
SPINS = """
import threading, torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        if threading.active_count() == 1:
            threading.Thread(target=spin, daemon=True).start()
        return x.clone()
def spin():
    while True:
        pass
"""


def _seen(inside: Inside, source: str) -> list[Observation]:
    inside.construct(source)
    content = Content((torch.randn(512, 1024),))
    calls = timed_calls([content], 8, (content.tensors[0].nbytes,))
    entry = SideEntry(random.Random(1), False, 20.0)
    side = HostSide.enter("candidate", inside.session, calls, entry)
    batches, spent_ns, ran_ns = SampledBatches(inside.session), 0, 0
    for _ in range(12):
        with batches.sampling():
            times = side.run(8, Deadline.after(20.0))
        spent_ns, ran_ns = spent_ns + times.outside_ns, ran_ns + times.ran_ns
    batches.look_for_leftovers(1)
    return batches.observations(spent_ns / 1e3 / 96, ran_ns / 1e3 / 96)


def test_a_library_shows_in_timed_batches(best_room: Room) -> None:
    with best_room.enter() as inside:
        (seen,) = _seen(inside, LIBRARY)
    assert isinstance(seen, ProvenanceSeen) and seen.timed and not seen.reason
    assert seen.library >= 10 and seen.own == 0 and seen.library_us > 20.0


def test_copies_and_waking_are_no_computation(best_room: Room) -> None:
    with best_room.enter() as inside:
        (seen,) = _seen(inside, MOVES)
    assert isinstance(seen, ProvenanceSeen)
    assert seen.library <= 0.2 * (seen.bystanders + seen.neutral), seen


def test_what_computes_between_timed_batches_is_a_leftover(best_room: Room) -> None:
    with best_room.enter() as inside:
        found = _seen(inside, SPINS)
    assert len(found) == 2 and "of silence" in found[1].text, found  # type: ignore[union-attr]
