"""LoadedModules: the code of every module that the driver loads into this process, from now on.

The rule: CUPTI hands over each module as the driver got it, whoever loaded it and from wherever. It
is collected in the candidate's process, so it may convict and never acquits. Where CUPTI cannot be
asked nothing is collected, and `reason` says why.

A function is the bytes of its own section of a cubin, so that another name, another module or
another order of functions makes no other code. It has two digests: of all its bytes, and of what
its instructions do, in their order, without registers, constants, timing bits and the padding
behind them. A module that is no cubin holds no functions; a short function is nobody's: many are
alike.
"""

from __future__ import annotations

import ctypes
import hashlib
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from assay.devices.recorder.cupti_subscriber import CuptiSubscriber
from assay.errors import DeviceError

_INSTRUCTION_BYTES = 16
LEAST_BYTES = 64 * _INSTRUCTION_BYTES
# With the first byte of an instruction these bits of the second say what it does.
_KINDS = bytes(byte & 0x0F for byte in range(256))
_PADDING = ((0x18, 0x9), (0x47, 0x9))  # what does nothing, and the jump to itself at the end
_MAGIC = b"\x7fELF\x02"  # 64-bit
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_TEXT = b".text."
_MOST_SECTIONS = 1 << 16
_DIGITS = 16
_RESOURCE_DOMAIN = 3  # CUPTI_CB_DOMAIN_RESOURCE
_MODULE_LOADED = 6  # CUPTI_CBID_RESOURCE_MODULE_LOADED
_MOST_BYTES = 256 << 20  # of one module
_MOST_FUNCTIONS = 1 << 18


class _Resource(ctypes.Structure):
    _fields_ = (
        ("context", ctypes.c_void_p),
        ("handle", ctypes.c_void_p),
        ("descriptor", ctypes.c_void_p),
    )


class _Module(ctypes.Structure):
    _fields_ = (
        ("module", ctypes.c_uint32),
        ("size", ctypes.c_size_t),
        ("cubin", ctypes.c_void_p),
    )


class FunctionCode(NamedTuple):
    """Digests of one function; the second is empty where little but padding is there."""

    whole: str
    kinds: str

    @property
    def digests(self) -> tuple[str, ...]:
        """Those that there are."""
        return tuple(one for one in self if one)


class LoadedModules:
    """Digests by symbol. One a process, as its subscriber is."""

    def __init__(self) -> None:
        self.reason = ""
        self.passed_over = 0  # modules of which something is not known
        self.subscriber: CuptiSubscriber | None = None
        self._codes: dict[str, set[FunctionCode]] = {}

    @classmethod
    def watched(cls, library: Any) -> LoadedModules:
        """Begin at once; `library` is CUPTI, or None where it is not installed."""
        found = cls()
        try:
            if library is None:
                raise DeviceError("CUPTI is not installed")
            found.subscriber = CuptiSubscriber(library)
            found.subscriber.listen(_RESOURCE_DOMAIN, _MODULE_LOADED, found._loaded)
        except (DeviceError, AttributeError) as error:
            found.reason = str(error)
        return found

    def check(self) -> None:
        """Raises DeviceError where modules were passed over, or are told of no more."""
        if self.passed_over:
            raise DeviceError(f"{self.passed_over} modules were too large to be looked at")
        if self.subscriber is not None:
            self.subscriber.check(_RESOURCE_DOMAIN, _MODULE_LOADED)

    def codes(self, symbol: str) -> tuple[str, ...]:
        """Digests of all the functions of that name; none where it is short or unknown."""
        found = self._codes.get(symbol, ())
        return tuple(sorted({digest for code in found for digest in code.digests}))

    def all_codes(self) -> list[tuple[FunctionCode, str]]:
        """Code and symbol of everything that was loaded."""
        held = list(self._codes.items())
        return [(code, symbol) for symbol, codes in held for code in sorted(codes)]

    def add(self, cubin: bytes) -> None:
        """One module."""
        if len(self._codes) >= _MOST_FUNCTIONS:
            self.passed_over += 1
            return
        for symbol, code in function_codes(cubin).items():
            self._codes.setdefault(symbol, set()).add(code)

    def _loaded(self, _domain: int, given: int) -> None:
        """In the thread that loads a module, inside the driver: nothing may be raised here."""
        descriptor = _Resource.from_address(given).descriptor
        module = _Module.from_address(descriptor) if descriptor else None
        if module is None or not module.cubin:
            return
        if module.size > _MOST_BYTES:
            self.passed_over += 1
        else:
            self.add(ctypes.string_at(module.cubin, module.size))


def function_codes(cubin: bytes) -> dict[str, FunctionCode]:
    """By symbol, of every function that is long enough to be somebody's."""
    try:
        found = {name: code for name, code in _functions(cubin) if len(code) >= LEAST_BYTES}
    except (struct.error, ValueError):
        return {}
    return {name: FunctionCode(digest(code), _of_kinds(code)) for name, code in found.items()}


def digest(code: bytes) -> str:
    """Of the machine code of one function."""
    return hashlib.sha256(code).hexdigest()[:_DIGITS]


def _of_kinds(code: bytes) -> str:
    """Of what its instructions do."""
    first = code[::_INSTRUCTION_BYTES]
    second = code[1::_INSTRUCTION_BYTES].translate(_KINDS)
    count = min(len(first), len(second))
    while count and (first[count - 1], second[count - 1]) in _PADDING:
        count -= 1
    long = count >= LEAST_BYTES // _INSTRUCTION_BYTES
    return digest(first[:count] + second[:count]) if long else ""


def _functions(cubin: bytes) -> Iterator[tuple[str, bytes]]:
    if not cubin.startswith(_MAGIC):
        return
    header = _HEADER.unpack_from(cubin)
    table, size, count, names_at = header[6], header[11], header[12], header[13]
    if size != _SECTION.size or count > _MOST_SECTIONS:
        raise ValueError("no section table of a cubin")
    sections = [_SECTION.unpack_from(cubin, table + index * size) for index in range(count)]
    names = _bytes(cubin, sections[names_at]) if names_at < count else b""
    for section in sections:
        name = names[section[0] :].partition(b"\0")[0]
        if name.startswith(_TEXT):
            yield name.removeprefix(_TEXT).decode("utf-8", "replace"), _bytes(cubin, section)


def _bytes(cubin: bytes, section: tuple[int, ...]) -> bytes:
    return cubin[section[4] : section[4] + section[5]]
