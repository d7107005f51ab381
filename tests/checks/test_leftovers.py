"""What is found alive between two batches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

from assay.checks.check_contract import CheckContext
from assay.checks.leftovers import device_left_at_work, look_for_leftovers
from assay.data.check import CheckStage
from assay.data.observations.observation import CheckMissing, LeftoverSeen, Observation
from assay.devices.device_company import DeviceProcess
from assay.exam.leftover_work import DEVICE_CHECK
from checks.contexts import context_of


@dataclass
class _Process:
    busy_s: float = 0.0
    alive: int = 4

    def busy_while_idle_s(self) -> float:
        return self.busy_s

    def threads(self) -> int:
        return self.alive


class _Pulse:
    usual_us = 3.0

    def busy_us(self) -> float:
        return 80.0

    surely_busy_us = busy_us

    def others(self) -> tuple[DeviceProcess, ...]:
        return ()


def _context(process: _Process, idle_probe: Any = None, *seen: Observation) -> CheckContext:
    script_runner = SimpleNamespace(
        wrong=0,
        observations=list(seen),
        session=SimpleNamespace(process=process, idle_probe=idle_probe),
    )
    context = context_of(cast(Any, script_runner), stage=CheckStage.AMONG_CALLS)
    return replace(context, batch=7)


def test_a_process_at_rest_leaves_nothing() -> None:
    assert look_for_leftovers(_context(_Process())) == []


def test_threads_that_compute_and_threads_without_end_are_found() -> None:
    (busy,) = look_for_leftovers(_context(_Process(busy_s=1.0)))
    assert busy.running_threads == 1 and busy.when == "after batch 7"
    (many,) = look_for_leftovers(_context(_Process(alive=100_000)))
    assert "100000 threads" in many.text


def test_a_look_in_passing_leaves_the_threads_alone() -> None:
    context = replace(_context(_Process(busy_s=1.0)), thorough=False)
    assert look_for_leftovers(context) == []


def test_a_device_at_work_is_found_once() -> None:
    context = replace(_context(_Process(), _Pulse()), thorough=False)
    (found,) = look_for_leftovers(context)
    assert isinstance(found, LeftoverSeen) and found.on_device
    assert look_for_leftovers(_context(_Process(), _Pulse(), found)) == []


def test_what_others_hide_is_asked_once() -> None:
    unknown = CheckMissing(check=DEVICE_CHECK, reason="other processes use it", essential=False)
    assert look_for_leftovers(_context(_Process(), _Pulse(), unknown)) == []


def test_beside_other_candidates_the_device_is_not_looked_at_and_threads_are() -> None:
    context = replace(_context(_Process(busy_s=1.0), _Pulse()), has_company=True)
    (busy,) = look_for_leftovers(context)
    assert busy.running_threads == 1 and not busy.on_device


@dataclass
class _SharedDevice:
    """A device that neighbours use unless one is alone; a spinning kernel never leaves it."""

    spins: bool = False
    neighbours: bool = True
    usual_us: float = 3.0
    log: list[str] = field(default_factory=list)

    def surely_busy_us(self) -> float | None:
        self.log.append("look")
        return 900.0 if self.spins or self.neighbours else None

    def others(self) -> tuple[DeviceProcess, ...]:
        return ()

    def thaw(self) -> None:
        self.log.append("thaw")

    @contextmanager
    def alone(self) -> Iterator[None]:
        self.log.append("alone")
        self.neighbours = False
        yield
        self.neighbours = True

    def session(self) -> Any:
        return SimpleNamespace(idle_probe=self, process=self)


def test_what_neighbours_do_is_nobodys_leftover() -> None:
    device = _SharedDevice()
    assert device_left_at_work(device.session(), device.alone()) == []
    assert device.log == ["thaw", "look", "alone", "thaw", "look"]


def test_a_kernel_that_spins_on_is_found_beside_neighbours() -> None:
    device = _SharedDevice(spins=True)
    (found,) = device_left_at_work(device.session(), device.alone())
    assert found.on_device and found.when == "with nobody else there" and "900" in found.text


def test_a_device_at_rest_needs_nobody_to_wait() -> None:
    device = _SharedDevice(neighbours=False)
    assert device_left_at_work(device.session(), device.alone()) == []
    assert "alone" not in device.log


def test_without_a_device_there_is_nothing_to_look_at() -> None:
    session = SimpleNamespace(idle_probe=None)
    assert device_left_at_work(cast(Any, session), _SharedDevice().alone()) == []
