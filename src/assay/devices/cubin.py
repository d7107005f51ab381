"""Cubin: the machine code of a device's functions, told apart by content.

The rule: a function is the bytes of its own section, so that another name, another module or
another order of functions makes no other code. A module that is no cubin holds no functions; a
short function is nobody's: many are alike.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator

LEAST_BYTES = 1024  # 64 instructions of 16 bytes
_MAGIC = b"\x7fELF\x02"  # 64-bit
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_TEXT = b".text."
_MOST_SECTIONS = 1 << 16
_DIGITS = 16


def function_codes(cubin: bytes) -> dict[str, str]:
    """Digest by symbol of every function that is long enough to be somebody's."""
    try:
        found = {name: code for name, code in _functions(cubin) if len(code) >= LEAST_BYTES}
    except (struct.error, ValueError):
        return {}
    return {name: digest(code) for name, code in found.items()}


def digest(code: bytes) -> str:
    """Of the machine code of one function."""
    return hashlib.sha256(code).hexdigest()[:_DIGITS]


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
