"""Immediates of built objects."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

from assay.source_analysis.literals import object_literals as module
from assay.source_analysis.literals.source_literal import LiteralUse

SOURCE = """
__attribute__((visibility("hidden"))) int held;
extern "C" long f(long n, const float* x) {
  static long calls;
  if (n == 970) return 1;
  if (++calls == 5000) return 2;
#ifdef HELD
  if (held == 7000) return 4;
#endif
  return x[0] > 3.7f ? 3 : n % 613;
}
"""


def built(folder: Path, *flags: str) -> bytes:
    (folder / "k.cpp").write_text(SOURCE)
    line = ["g++", "-O2", "-shared", "-fPIC", *flags, "-o", "k.so", "k.cpp"]
    subprocess.run(line, cwd=folder, check=True)
    return (folder / "k.so").read_bytes()


@pytest.mark.parametrize("flags", [(), ("-s",), ("-O0",)])
def test_immediates_are_found(tmp_path: Path, flags: tuple[str, ...]) -> None:
    found = {one.value for one in module.object_literals(built(tmp_path, *flags), "k.so")}
    assert {970, 5000, 613} <= found
    assert any(abs(value - 3.7) < 1e-6 for value in found)


def test_a_variable_that_is_compared_is_a_counter(tmp_path: Path) -> None:
    found = {one.value: one.use for one in module.object_literals(built(tmp_path, "-DHELD"), "k")}
    assert found[7000] is LiteralUse.COUNTER
    assert found[970] is not LiteralUse.COUNTER


def test_aarch64_words() -> None:
    compare = 0x71000000 | 970 << 10 | 31  # cmp w0, 970
    low, high = 0x52800000 | (70001 & 0xFFFF) << 5, 0x72A00000 | (70001 >> 16) << 5
    code = struct.pack("<3I", compare, low, high)
    found = {one.value: one.use for one in module._aarch64(module._Code(code, "k"))}
    assert found[970] is LiteralUse.COMPARED
    assert 70001 in found


@pytest.mark.parametrize("cut", [0, 4, 64, 200, 3000])
def test_broken_objects_are_read_without_failure(tmp_path: Path, cut: int) -> None:
    data = built(tmp_path)
    list(module.object_literals(data[:cut], "k.so"))
    spoiled = data[:cut] + b"\xff" * 64 + data[cut + 64 :]
    list(module.object_literals(spoiled, "k.so"))
