"""StandardHeaders: what a bare C++ file includes first, precompiled, as files beside it.

The rule: a candidate gets a copy that is gone before its own code runs. The headers are those that
its source begins with, in its order, and on a closed list; the object is the same byte for byte.
Measured: 0.17 s of a compiler instead of 0.48 s.
"""

from __future__ import annotations

from pathlib import Path

from assay.data.candidate import Candidate
from assay.errors import HostError
from assay.exam.builds.precompiled_header import PrecompiledHeaders
from assay.exam.builds.unit_compiler import UnitCompiler
from assay.languages.cpp_source import COMPILE_FLAGS, HEADER_FOLDER, HEADER_NAME
from assay.languages.language_registry import language

_COMPILER = "c++"
_LIMIT_BYTES = 512 << 20  # some twenty of them


def standard_headers(
    candidate: Candidate, folder: Path, toolchain_id: str, compiler: UnitCompiler
) -> dict[str, bytes]:
    """By their path in the scratch folder; none where it is compiled the ordinary way."""
    includes = language(candidate.language).leading_headers(candidate)
    if not includes:
        return {}
    headers = PrecompiledHeaders(folder, toolchain_id, HEADER_NAME, _LIMIT_BYTES, includes)
    try:
        kept = headers.folder_for(COMPILE_FLAGS, _COMPILER, compiler)
        made = Path(kept, f"{HEADER_NAME}.gch").read_bytes() if kept is not None else b""
    except (HostError, OSError):  # no sandbox for the compiler, or removed meanwhile
        return {}
    place = f"{HEADER_FOLDER}/{HEADER_NAME}"
    return {place: includes.encode(), f"{place}.gch": made} if made else {}
