"""Modules as a fake CUPTI hands them over."""

from __future__ import annotations

import pytest

from assay.devices.recorder import loaded_modules
from assay.devices.recorder.loaded_modules import LoadedModules, digest
from assay.errors import DeviceError
from devices.cubins import cubin
from devices.recorder.fake_cupti import FakeCupti

CODE = b"\x01\x02" * 1024


def test_every_module_is_kept_by_the_symbols_of_its_functions() -> None:
    library = FakeCupti()
    modules = LoadedModules.watched(library)
    assert library.enabled == {(3, 6)} and not modules.reason
    library.load(cubin({"one": CODE, "two": CODE[::-1]}))
    library.load(cubin({"one": CODE[1:] + b"\0"}))
    assert len(modules.codes("one")) == 4 and digest(CODE) in modules.codes("one")
    assert digest(CODE[::-1]) in modules.codes("two") and modules.codes("three") == ()
    assert [symbol for _, symbol in modules.all_codes()] == ["one", "one", "two"]


def test_modules_of_which_something_is_not_known_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = FakeCupti()
    modules = LoadedModules.watched(library)
    monkeypatch.setattr(loaded_modules, "_MOST_BYTES", 4096)
    library.load(cubin({"one": CODE * 3}))
    assert modules.passed_over == 1 and modules.all_codes() == []
    monkeypatch.setattr(loaded_modules, "_MOST_FUNCTIONS", 1)
    library.load(cubin({"one": CODE}))
    library.load(cubin({"two": CODE}))
    assert modules.passed_over == 2 and modules.codes("two") == ()


def test_other_events_and_broken_modules_are_passed_over() -> None:
    library = FakeCupti()
    modules = LoadedModules.watched(library)
    library.load(cubin({"one": CODE}), what=7)
    library.load(cubin({"one": CODE}), domain=1)
    library.load(b"no module at all")
    assert modules.all_codes() == []


def test_without_cupti_the_reason_is_kept() -> None:
    assert LoadedModules.watched(None).reason == "CUPTI is not installed"
    assert "cuptiSubscribe" in LoadedModules.watched(FakeCupti("subscribe")).reason


def test_whoever_ends_the_subscription_is_found_out() -> None:
    library = FakeCupti()
    modules = LoadedModules.watched(library)
    modules.check()
    library.enabled.clear()
    with pytest.raises(DeviceError, match="CUPTI tells nothing of event 6 of domain 3 any more"):
        modules.check()
    modules.passed_over = 2
    with pytest.raises(DeviceError, match="2 modules were too large"):
        modules.check()
