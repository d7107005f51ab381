"""The shim of bare C++ candidates, compiled and called for real (a plain object takes 0.3 s)."""

from __future__ import annotations

import types
from pathlib import Path

import pytest
import torch

from assay.data.candidate import Candidate, SourceFile
from assay.languages.cpp_source import (
    HEADER_FOLDER,
    HEADER_NAME,
    leading_includes,
    python_module,
)

SCALE = """
#include "assay.h"
extern "C" const char* forward(const assay_tensor* in, int n, assay_tensor* out, int m) {
  if (in[0].dtype != ASSAY_F32) return "float32 only";
  const float* x = (const float*)in[0].data; float* y = (float*)out[0].data;
  for (int64_t i = 0; i < in[0].shape[0]; ++i)
    for (int64_t j = 0; j < in[0].shape[1]; ++j)
      y[i * in[0].shape[1] + j] = 2 * x[i * in[0].stride[0] + j * in[0].stride[1]];
  return 0;
}
"""
ROWS = """
#include "assay.h"
extern "C" const char* output_shape(const assay_tensor* in, int n, int64_t* shape, int32_t* ndim,
                                    int32_t* dtype) {
  *ndim = 1;
  return 0;
}
extern "C" const char* forward(const assay_tensor* in, int n, assay_tensor* out, int m) {
  const float* x = (const float*)in[0].data; float* y = (float*)out[0].data;
  for (int64_t i = 0; i < in[0].shape[0]; ++i) {
    y[i] = 0;
    for (int64_t j = 0; j < in[0].shape[1]; ++j) y[i] += x[i * in[0].stride[0] + j];
  }
  return 0;
}
"""


def _module(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    source = SourceFile(path="kernel.cpp", text=text)
    candidate = Candidate(name="c", language="cpp_source", sources=(source,))
    module = types.ModuleType("shim")
    exec(compile(python_module(candidate), "shim.py", "exec"), module.__dict__)
    return module


def test_forward_sees_strides_and_reports_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _module(SCALE, tmp_path, monkeypatch).ModelNew()
    x = torch.randn(5, 7)
    assert torch.equal(model(x), 2 * x)
    assert torch.equal(model(x.t()), 2 * x.t())
    with pytest.raises(RuntimeError, match="float32 only"):
        model(x.double())


def test_output_shape_decides_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = _module(ROWS, tmp_path, monkeypatch).ModelNew()
    x = torch.randn(4, 6)
    torch.testing.assert_close(model(x), x.sum(1))


def test_a_compile_failure_carries_the_compilers_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RuntimeError, match=r"kernel\.cpp:1.*expected"):
        _module("int x = ;", tmp_path, monkeypatch)


def test_a_missing_entry_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="no extern"):
        _module("int x;", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("// a\n#include <cmath>\n\n# include <vector> // b\nint x;", ["cmath", "vector"]),
        ('#include <cmath>\n#include "assay.h"\n#include <vector>', ["cmath"]),
        ("#define NDEBUG\n#include <cmath>", []),
        ("// a \\\n#include <cmath>", []),
        ("/* a */\n#include <cmath>", []),
        ("#include <cmath> /* a", []),
        ("#include <torch/extension.h>\n#include <cmath>", []),
    ],
)
def test_the_standard_headers_that_come_before_anything_else(text: str, found: list[str]) -> None:
    assert leading_includes(text) == "".join(f"#include <{name}>\n" for name in found)


def test_headers_that_lie_ready_are_taken_first_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / HEADER_FOLDER
    folder.mkdir()
    (folder / HEADER_NAME).write_text("#define TIMES 2\n")
    text = SCALE.replace("2 *", "TIMES *")
    assert text != SCALE
    model = _module(text, tmp_path, monkeypatch).ModelNew()
    x = torch.randn(5, 7)
    assert torch.equal(model(x), 2 * x) and not folder.exists()


def test_what_is_refused_with_ready_headers_is_compiled_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / HEADER_FOLDER
    folder.mkdir()
    (folder / HEADER_NAME).write_text("no header\n")
    model = _module(SCALE, tmp_path, monkeypatch).ModelNew()
    x = torch.randn(5, 7)
    assert torch.equal(model(x), 2 * x) and not folder.exists()
