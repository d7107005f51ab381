"""Runner layout: the addresses of the runner's functions, as the warm parent finds them.

The rule: it runs in the warm parent, where no candidate ever is. An entry counts only where it is
found in memory as the host will look for it, so another layout yields less, never an error.
"""

from __future__ import annotations

import ctypes
import gc
import struct
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from assay.sandbox.protocol.runner_memory import (
    KEYS_OFFSET,
    RunnerMemory,
    WatchedName,
    WatchedNamespace,
    WatchedWord,
    followers,
)

_OURS = ("assay.sandbox.child.", "assay.sandbox.protocol.")
_CLOCKS = "time"


def runner_memory() -> RunnerMemory:
    """Of every module of ours that a candidate's process executes, and of the clocks."""
    modules = [m for name, m in sorted(sys.modules.items()) if name.startswith(_OURS)]
    found = [_namespace(_label(m.__name__), vars(m)) for m in (*modules, sys.modules[_CLOCKS])]
    words: list[WatchedWord] = []
    for module in modules:
        for cls in _classes(module):
            (names,) = gc.get_referents(cls.__dict__)  # the dictionary behind the proxy
            found.append(_namespace(f"{_label(module.__name__)}.{cls.__name__}", names))
        words += [word for label, one in _functions(module) for word in _words(label, one)]
    return RunnerMemory(tuple(one for one in found if one.names), tuple(words))


def _label(name: str) -> str:
    """As the survey of the process itself names it."""
    return name.replace("assay.sandbox.", "runner.")


def _classes(module: ModuleType) -> list[type]:
    members = vars(module).values()
    return [c for c in members if isinstance(c, type) and c.__module__ == module.__name__]


def _functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    label = _label(module.__name__)
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield f"{label}.{name}", value
    for cls in _classes(module):
        for name, value in vars(cls).items():
            if isinstance(value, FunctionType):
                yield f"{label}.{cls.__name__}.{name}", value


def _namespace(label: str, names: dict[str, Any]) -> WatchedNamespace:
    address, size = id(names), sys.getsizeof(names)
    table = ctypes.c_void_p.from_address(address + KEYS_OFFSET).value or 0
    words = struct.unpack(f"{size // 8}Q", ctypes.string_at(table, size // 8 * 8)) if table else ()
    found = followers(words)
    watched = [WatchedName(f"{label}.{k}", id(k), id(v)) for k, v in names.items() if callable(v)]
    kept = tuple(one for one in watched if found.get(one.key) == one.value)
    return WatchedNamespace(address, size, kept)


def _words(label: str, function: FunctionType) -> Iterator[WatchedWord]:
    """What it executes, and how it is called."""
    size = type(function).__basicsize__
    call = ctypes.cast(ctypes.pythonapi._PyFunction_Vectorcall, ctypes.c_void_p).value
    words = struct.unpack(f"{size // 8}Q", ctypes.string_at(id(function), size // 8 * 8))
    for number, word in enumerate(words):
        if word in (id(function.__code__), call):
            yield WatchedWord(f"{label}.__code__", id(function) + 8 * number, word)
