"""Headers that a bare C++ file begins with: made when asked for again, gone once it is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.exam.build_cache import BuildCache
from assay.exam.builds.unit_compiler import UnitCompiler
from assay.languages.cpp_source import HEADER_FOLDER, CppSourceLanguage
from assay.languages.language import MAIN
from assay.sandbox.host import scratch
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.layers.spec import Isolation
from assay.sandbox.protocol.replies import ReplyCode
from assay.sandbox.protocol.requests import Load
from support.walls import ROADS, Inside, Room, forced

pytestmark = pytest.mark.skipif(
    Isolation.NAMESPACES.value not in ROADS, reason="builds are kept where namespaces work"
)
LANGUAGE = CppSourceLanguage()
TEXT = """// it
#include <cstdint>
#include <cstddef>
#include "assay.h"
extern "C" const char* forward(const assay_tensor* in, int, assay_tensor* out, int) {
  for (std::int64_t i = 0; i < in[0].shape[0]; ++i)
    static_cast<float*>(out[0].data)[i] = static_cast<const float*>(in[0].data)[i];
  return nullptr;
}
"""


def bare(text: str) -> Candidate:
    source = SourceFile(path="kernel.cpp", text=text)
    return Candidate(name="it", language="cpp_source", sources=(source,))


def built(inside: Inside, headers: dict[str, bytes]) -> list[bytes]:
    """The objects in the scratch folder once the shim was imported."""
    process = inside.session.process
    laid = {f"kernel/{path}": text.encode() for path, text in LANGUAGE.files(bare(TEXT)).items()}
    for path, data in (laid | headers).items():
        scratch.write_file(process.scratch, path, data)
    request = Load(f"{process.scratch_path}/kernel/{MAIN}", "ModelNew", LANGUAGE, False, False)
    assert inside.session.ask(request, Deadline.after(30.0)).code == ReplyCode.OK
    assert not scratch.exists(process.scratch, HEADER_FOLDER)
    return [data for _, _, data in scratch.files_beginning(process.scratch, b"\x7fELF", 1 << 24)]


def test_they_are_made_the_second_time_and_the_object_is_the_same(
    best_room: Room, tmp_path: Path
) -> None:
    cache = BuildCache(tmp_path, "tools")
    compiler = UnitCompiler(best_room.wall, 30.0)
    with forced(best_room.road):
        assert cache.headers(bare(TEXT), compiler) == {}
        headers = cache.headers(bare(TEXT), compiler)
        assert cache.headers(bare("int x;"), compiler) == {}
    assert sorted(map(len, headers.values()))[-1] > 1 << 16
    assert sorted(headers.values(), key=len)[0] == b"#include <cstdint>\n#include <cstddef>\n"
    with best_room.enter() as inside:
        (plain,) = built(inside, {})
    with best_room.enter() as inside:
        (with_headers,) = built(inside, headers)
    assert plain == with_headers
