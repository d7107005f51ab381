"""In how many processes a side is timed, and who is left out: races of scripted runners."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.data.observations.kernels import KernelsSeen
from assay.data.observations.observation import EndCause, LeftoverSeen, Observation, TimesSeen
from assay.data.settings import Level, Settings
from assay.exam.device_code import recorded_batch
from assay.exam.weight_scales import FIRST_WEIGHTS, Weights
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.protocol.replies import MARKED
from assay.timing import device_stopwatch
from assay.timing.device_round_times import GatedRun
from assay.timing.device_rounds import DeviceSide
from assay.timing.device_stopwatch import DeviceStopwatch


class _Gate:
    """Takes so many microseconds a call, on the device and on the host."""

    def __init__(self, call_us: float, launch_us: float, after_us: float = 0.0) -> None:
        self._call_us = call_us
        self._launch_us = launch_us
        self._after_us = after_us
        self.batches = 0

    def run(self, laid: Sequence[int], refresh: Callable[[], None], *_: Any) -> GatedRun:
        self.batches += 1
        spent = int(1e3 * self._call_us * len(laid))
        launching = int(1e3 * self._launch_us * len(laid))
        return GatedRun(spent + 1000, spent + 1000, launching + 100, True, self._after_us)


class _Unheld(_Gate):
    """Waits for the device inside a call, from some batch on; what surrounds it scatters."""

    def __init__(self, call_us: float, first: int = 0) -> None:
        super().__init__(call_us, 0.0)
        self._first, self._runs, self._rng = first, 0, random.Random(2)

    def run(self, laid: Sequence[int], refresh: Callable[[], None], *_: Any) -> GatedRun:
        self._runs += 1
        found = super().run(laid, refresh)
        return replace(found, gated=self._runs <= self._first)

    def run_open(self, laid: Sequence[int], refresh: Callable[[], None], *_: Any) -> GatedRun:
        scatter = self._rng.randrange(int(2e3 * self._call_us * len(laid)) + 1)
        found = super().run(laid, refresh)
        return replace(found, outside_ns=found.outside_ns + scatter, gated=False)


class _Session:
    """One that can be closed."""

    def __init__(self, idle_probe: object = None) -> None:
        self.closed = self.frozen = False
        self.idle_probe = idle_probe
        self.process = SimpleNamespace(freeze=self._freeze)
        self.wall = None

    def statement(self) -> str:
        return "\t".join(("mine", "1", "3000", "32", "0", "1x1x1", "32x1x1", "")) + f"\n{MARKED}"

    def _freeze(self) -> None:
        self.frozen = True

    def close(self) -> None:
        self.closed = True


class _Stand:
    """Calls of one length for everybody but the null candidate."""

    most_calls, call_bytes = 8, 1

    def __init__(self, call_us: float, launch_us: float = 0.0, after_us: float = 0.0) -> None:
        self.calls_are_short: bool | None = False
        self.opened = 0
        self.gates: list[_Gate] = []
        self._call_us = call_us
        self._launch_us = launch_us
        self._after_us = after_us  # of the candidate alone
        self.dismissed = False
        self._unheld_from: int | None = None

    def waiting_inside(self, first: int) -> _Stand:
        """The candidate waits for the device, from some batch on."""
        self._unheld_from = first
        return self

    def _unheld(self, name: str) -> _Gate:
        assert self._unheld_from is not None
        first = self._unheld_from if name == "candidate" else 1 << 30
        return _Unheld(0.0 if name == "null" else self._call_us, first)

    def enter(self, name: str, session: object) -> DeviceSide:
        ring = SimpleNamespace(laid=list(range(8)), refresh=lambda *_: None)
        after_us = self._after_us if name == "candidate" else 0.0
        times = (0.0, 0.0) if name == "null" else (self._call_us, self._launch_us)
        gate = _Gate(*times, after_us) if self._unheld_from is None else self._unheld(name)
        self.gates.append(gate)
        return DeviceSide(name, cast(Any, session), cast(Any, ring), cast(Any, gate), 1.7)

    def baselines(
        self, version: Weights, without: Collection[str] = (), processes: int = 1
    ) -> list[DeviceSide]:
        names = ["eager"] * processes if "eager" not in without else []
        return [self.enter(name, None) for name in (*names, "null")]

    def build(self) -> None: ...

    def open(self, processes: int = 1) -> None:
        self.opened = processes

    @property
    def batches(self) -> int:
        """Of everybody so far."""
        return sum(gate.batches for gate in self.gates)

    def dismiss(self) -> None:
        self.dismissed = True


class _Twins:
    """Makes another process, or none, or one that ends."""

    def __init__(self, builds: bool = True, ends: bool = False) -> None:
        self._builds = builds
        self._ends = ends
        self.made: list[_Session] = []

    def another(self, version: Weights) -> _Session | None:
        if self._ends:
            raise ProcessLost(EndCause.EXITED, 3, "it left")
        if not self._builds:
            return None
        self.made.append(_Session())
        return self.made[-1]


@pytest.fixture(autouse=True)
def _no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = SimpleNamespace(sm_clock_mhz=None, temperature_c=None, throttle_reasons=())
    adapter = SimpleNamespace(reading=lambda: nothing)
    monkeypatch.setattr(device_stopwatch, "backend", lambda _: adapter)
    monkeypatch.setattr(recorded_batch, "library_code", lambda *_: {})
    monkeypatch.setattr(DeviceStopwatch, "_take", lambda *_: None)
    monkeypatch.setattr(DeviceStopwatch, "_judged", lambda *_: TimesSeen(reason="judged"))


def _timed(
    baseline_pool: _Stand,
    replicas: _Twins,
    level: Level = Level.STANDARD,
    idle_probe: object = None,
    prepared: bool = False,
) -> list[Observation]:
    secret = SimpleNamespace(random=lambda _: random.Random(1))
    exam = SimpleNamespace(secret=secret, reference=SimpleNamespace(updates=()))
    device = SimpleNamespace(caches=SimpleNamespace(llc_bytes=None), uuid="", kind="scripted")
    settings = Settings(device="cuda", level=level, baselines=("eager",))
    parts = cast("list[Any]", [baseline_pool, replicas, exam, settings, device])
    instances = SimpleNamespace(version=lambda _: FIRST_WEIGHTS)
    script_runner = cast(Any, SimpleNamespace(instances=instances))
    watch, session = DeviceStopwatch(*parts), cast(Any, _Session(idle_probe))
    if prepared:
        watch.build(script_runner, lambda *_: None)
        assert not baseline_pool.gates  # nothing was laid out beside those who are timed
        assert all(one.frozen for one in replicas.made)
        watch.prepare(session, lambda *_: None)
    return watch.time(session, script_runner, lambda *_: None)


def _method(found: list[Observation]) -> str:
    (times,) = [o for o in found if isinstance(o, TimesSeen) and o.measurements]
    assert [one.subject for one in times.measurements] == ["candidate", "eager"]
    return times.measurements[0].method


def test_short_calls_run_in_two_processes_a_side() -> None:
    replicas = _Twins()
    assert "2 processes each" in _method(_timed(_Stand(20.0), replicas))
    assert [session.closed for session in replicas.made] == [False]  # its state is looked at yet


@pytest.mark.parametrize(
    ("call_us", "level", "builds"),
    [(100.0, Level.STANDARD, True), (5.0, Level.QUICK, True), (20.0, Level.STANDARD, False)],
)
def test_otherwise_in_one(call_us: float, level: Level, builds: bool) -> None:
    replicas = _Twins(builds)
    assert "processes" not in _method(_timed(_Stand(call_us), replicas, level))
    assert not replicas.made


@pytest.mark.parametrize(("call_us", "launch_us"), [(20.0, 30.0), (5.0, 0.0)])
def test_whatever_the_host_takes_short_calls_run_in_two(call_us: float, launch_us: float) -> None:
    assert "2 processes each" in _method(_timed(_Stand(call_us, launch_us), _Twins()))


def test_at_the_short_levels_nobody_is_asked_whether_calls_are_short() -> None:
    stand, standard = _Stand(5.0), _Stand(100.0)
    stand.calls_are_short = standard.calls_are_short = None
    _timed(stand, _Twins(), Level.QUICK)
    _timed(standard, _Twins())
    assert stand.calls_are_short is None
    assert standard.calls_are_short is False


def test_whose_processes_were_built_ahead_is_timed_in_them_without_being_asked_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The device is held meanwhile: each batch of it is time in which nobody else calls."""
    monkeypatch.setattr(device_stopwatch, "_WARM_UP_S", 0.0)
    first, second = _Stand(20.0), _Stand(20.0)
    assert "2 processes each" in _method(_timed(first, _Twins(), prepared=True))
    assert first.calls_are_short
    second.calls_are_short = True
    found = _timed(second, _Twins(), prepared=True)
    assert "2 processes each" in _method(found) and second.calls_are_short
    asked_first = 2 * (2 + device_stopwatch._TRIED)  # settled and tried: the candidate and nothing
    assert second.batches == first.batches - asked_first


@pytest.mark.parametrize(("call_bytes", "processes"), [(1 << 20, 2), (1 << 28, 1)])
def test_before_there_was_a_candidate_the_bytes_say_what_is_built_ahead(
    call_bytes: int, processes: int
) -> None:
    stand, twins = _Stand(100.0), _Twins()
    stand.calls_are_short, stand.call_bytes = None, call_bytes
    method = _method(_timed(stand, twins, prepared=True))
    assert stand.opened == processes == 1 + len(twins.made)
    assert ("2 processes each" in method) is (processes == 2)
    assert stand.calls_are_short is False


def test_a_long_call_after_short_ones_ends_that() -> None:
    stand = _Stand(100.0)
    stand.calls_are_short = True
    assert "2 processes each" in _method(_timed(stand, _Twins(), prepared=True))
    assert not stand.calls_are_short


def test_work_that_is_left_running_is_told() -> None:
    found = _timed(_Stand(100.0, after_us=900.0), _Twins())
    assert any(isinstance(one, LeftoverSeen) and one.on_device for one in found)
    assert not any(isinstance(one, LeftoverSeen) for one in _timed(_Stand(100.0), _Twins()))


def test_times_on_a_device_that_others_use_say_so() -> None:
    for busy in (True, False):
        idle_probe = SimpleNamespace(busy_before=busy)
        found = _timed(_Stand(100.0), _Twins(), idle_probe=idle_probe)
        said = [
            r for o in found if isinstance(o, TimesSeen) for m in o.measurements for r in m.remarks
        ]
        assert any("other processes use the device" in one for one in said) is busy


def test_a_second_process_that_ends_is_the_candidates_end() -> None:
    baseline_pool = _Stand(20.0)
    with pytest.raises(ProcessLost):
        _timed(baseline_pool, _Twins(ends=True))
    assert baseline_pool.dismissed


@pytest.mark.parametrize("first", [0, 100])  # while it is being settled, or among the rounds
def test_who_waits_inside_is_timed_in_rounds_enough_to_be_told_from_nothing(first: int) -> None:
    found = _timed(_Stand(100.0).waiting_inside(first), _Twins(), Level.QUICK)
    assert "not gated, with its launches; 40 rounds" in _method(found)


def test_a_batch_of_each_process_is_recorded_among_those_that_are_timed() -> None:
    found = _timed(_Stand(20.0), _Twins())
    recorded = [one for one in found if isinstance(one, KernelsSeen)]
    assert [one.kernels[0].name for one in recorded] == ["mine", "mine"]
