"""Modules as a fake CUPTI hands them over."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from assay.devices import loaded_modules
from assay.devices.loaded_modules import LoadedModules, _Module, _Resource, digest
from devices.cubins import cubin

CODE = b"\x01\x02" * 1024


class FakeCupti:
    """Keeps the callback; `load` is what the driver does when a module comes."""

    def __init__(self, refuses: str = "") -> None:
        self._refuses = refuses
        self._callback: Any = None
        self.enabled: tuple[int, ...] = ()

    def cuptiSubscribe(self, handle: Any, callback: Any, data: Any) -> int:
        self._callback = callback
        return 39 if self._refuses == "subscribe" else 0

    def cuptiEnableCallback(self, on: int, handle: Any, domain: int, what: int) -> int:
        self.enabled = (on, domain, what)
        return 0

    def load(self, data: bytes, domain: int = 3, what: int = 6) -> None:
        held = ctypes.create_string_buffer(data, len(data))
        module = _Module(7, len(data), ctypes.addressof(held))
        given = _Resource(None, None, ctypes.addressof(module))
        self._callback(None, domain, what, ctypes.addressof(given))


def test_every_module_is_kept_by_the_symbols_of_its_functions() -> None:
    library = FakeCupti()
    modules = LoadedModules.watched(library)
    assert library.enabled == (1, 3, 6) and not modules.reason
    library.load(cubin({"one": CODE, "two": CODE[::-1]}))
    library.load(cubin({"one": CODE[1:] + b"\0"}))
    assert len(modules.codes("one")) == 2 and digest(CODE) in modules.codes("one")
    assert modules.codes("two") == (digest(CODE[::-1]),) and modules.codes("three") == ()
    assert len(modules.all_codes()) == 3


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
