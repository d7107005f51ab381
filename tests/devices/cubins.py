"""Small ELF files in the form of a cubin: one section for each function."""

from __future__ import annotations

import struct


def cubin(functions: dict[str, bytes]) -> bytes:
    """A 64-bit ELF file whose `.text.NAME` sections hold these bytes."""
    names, places = b"\0", {}
    for name in ("shstrtab", *functions):
        places[name] = len(names)
        names += (b".shstrtab" if name == "shstrtab" else f".text.{name}".encode()) + b"\0"
    body, sections = b"", [struct.pack("<IIQQQQIIQQ", *[0] * 10)]
    for name, data in {"shstrtab": names, **functions}.items():
        entry = (places[name], 1, 0, 0, 64 + len(body), len(data), 0, 0, 1, 0)
        sections.append(struct.pack("<IIQQQQIIQQ", *entry))
        body += data
    count, ident = len(sections), b"\x7fELF\x02\x01\x01" + b"\0" * 9
    header = (ident, 2, 190, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, count, 1)
    return struct.pack("<16sHHIQQQIHHHHHH", *header) + body + b"".join(sections)
