"""Maintainability, complexity and tokens of the candidate's own source."""

from __future__ import annotations

import math

from assay.data.candidate import Candidate, SourceFile
from assay.scores.code.code_measures import code_measures
from assay.scores.code.native_code import native_code, tokens_of

CPP = """// if (this) were code
__global__ void f(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;  /* for */
  if (i < n && x[i] > 0.5f) x[i] = "if"[0] ? 1e-3f : x[i];
}
"""


def candidate(**files: str) -> Candidate:
    sources = tuple(
        SourceFile(path=name.replace("_", "."), text=text) for name, text in files.items()
    )
    return Candidate(name="k", language="torch", sources=sources)


def test_comments_and_strings_hold_no_branches() -> None:
    found = native_code([CPP])
    assert found is not None
    assert found.branches == 3  # if, &&, ?
    tokens = tokens_of("a += b->c<<<1, 2>>>(0x1F, 1.5e-3f);")
    assert tokens == [*"a += b -> c <<< 1 , 2 >>> ( 0x1F , 1.5e-3f ) ;".split()]


def test_the_volume_is_halsteads() -> None:
    found = native_code(["a = a + b;"])
    assert found is not None and found.tokens == 6
    assert found.volume == 6 * math.log2(5)
    assert native_code(["// nothing"]) is None


def test_python_is_measured_alone_and_native_code_in_its_strings_is_found() -> None:
    text = f"SOURCE = '''#include <x>\n{CPP}'''\ndef f(a):\n    return 1 if a else 2\n"
    found = code_measures(candidate(k_py=text), accepted=True)
    assert found.complexity_max == 2 and found.complexity_mean == 2
    assert found.maintainability is not None and 0 < found.maintainability <= 100
    assert found.native_branches == 3 and not found.reason


def test_files_of_native_code_need_no_python() -> None:
    found = code_measures(candidate(k_cu=CPP), accepted=False)
    assert found.maintainability is None and found.native_branches == 3 and found.reason == ""


def test_what_does_not_parse_has_no_index_and_a_reason() -> None:
    found = code_measures(candidate(k_py="def f(:"), accepted=False)
    assert found.maintainability is None and "does not parse" in found.reason
