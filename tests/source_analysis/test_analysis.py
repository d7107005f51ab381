"""The source analysis on both sides: what it must find, and what it must leave alone."""

from __future__ import annotations

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.evidence import Evidence, Severity
from assay.data.settings import Track
from assay.source_analysis.analysis import analyse, findings
from source_analysis.cheating_reach import REACHES
from source_analysis.cheating_sources import CHEATS
from source_analysis.cheating_wiring import WIRED_CHEATS
from source_analysis.honest_builds import BUILDS
from source_analysis.honest_flows import FLOWS
from source_analysis.honest_modules import MODULES
from source_analysis.honest_pointers import POINTERS, UNFOLLOWED
from source_analysis.honest_public import PUBLIC
from source_analysis.honest_sources import HONEST
from source_analysis.honest_surroundings import SURROUNDINGS
from source_analysis.honest_wiring import WIRING
from source_analysis.source_heads import TRITON_HEAD

UNREADABLE = {
    "generated_triton_module", "generated_numba_source", "own_library_by_setup", *UNFOLLOWED
}  # fmt: skip
ALL_CHEATS = {**CHEATS, **REACHES, **WIRED_CHEATS}
ALL_HONEST = {
    **HONEST,
    **SURROUNDINGS,
    **BUILDS,
    **MODULES,
    **WIRING,
    **FLOWS,
    **POINTERS,
    **UNFOLLOWED,
    **PUBLIC,
}


def _candidate(text: str, path: str = "kernel.py", language: str = "torch") -> Candidate:
    return Candidate(name="c", language=language, sources=(SourceFile(path=path, text=text),))


def _findings(text: str, track: Track = Track.KERNEL) -> tuple[Evidence, ...]:
    return findings(analyse(_candidate(text)), track)


def _heavy(found: tuple[Evidence, ...]) -> list[str]:
    return [
        f"{e.severity} {e.kind} {e.where} {e.text}"
        for e in found
        if e.severity is not Severity.NOTE
    ]


@pytest.mark.parametrize("name", ALL_HONEST)
def test_honest_sources_bring_nothing_heavier_than_a_note(name: str) -> None:
    report = analyse(_candidate(ALL_HONEST[name]))
    assert report.readable and report.complete
    assert report.result_depends_on_kernel or name in UNREADABLE
    assert _heavy(findings(report, Track.KERNEL)) == []


@pytest.mark.parametrize("name", ALL_CHEATS)
def test_cheats_are_found_for_the_right_reason(name: str) -> None:
    source, kind, severity = ALL_CHEATS[name]
    found = [(e.kind.value, e.severity.value) for e in _findings(source)]
    assert (kind, severity) in found, found


@pytest.mark.parametrize("name", ["torch_direct", "zeros", "kernel_never_called", "decoy"])
def test_mixed_track_still_wants_a_kernel(name: str) -> None:
    found = _findings(CHEATS[name][0], Track.MIXED)
    assert {e.kind.value for e in found if e.severity is Severity.CONVICTS} <= {
        "no_kernel",
        "decoy",
    }
    assert _heavy(found)


@pytest.mark.parametrize("name", ["identity_epilogue", "compilers_own_calls"])
def test_mixed_track_allows_library_calls_beside_a_kernel(name: str) -> None:
    found = _findings(ALL_CHEATS[name][0], Track.MIXED)
    assert _heavy(found) == []
    assert any(e.kind.value == "delegation" for e in found)


def test_open_track_says_nothing_about_delegation() -> None:
    assert _findings(CHEATS["torch_direct"][0], Track.OPEN) == ()


def test_open_track_still_sees_reaching_out() -> None:
    assert _heavy(_findings(CHEATS["referrers"][0], Track.OPEN))


def test_evidence_names_the_line() -> None:
    found = _findings(
        "import torch\nclass ModelNew(torch.nn.Module):\n"
        "    def forward(self, x):\n        return x.relu()\n"
    )
    assert all(e.where == "kernel.py:4" for e in found)


def test_lines_inside_a_cpp_string_are_lines_of_the_file() -> None:
    found = _findings(CHEATS["aten_in_cpp"][0])
    [delegation] = [e for e in found if e.kind.value == "delegation"]
    line = int(delegation.where.split(":")[1])
    assert "at::softmax" in CHEATS["aten_in_cpp"][0].splitlines()[line - 1]


@pytest.mark.parametrize("text", ["def broken(:", "x = 1", "class Model: pass"])
def test_what_cannot_be_read_brings_no_finding(text: str) -> None:
    report = analyse(_candidate(text))
    assert not report.readable
    assert findings(report, Track.KERNEL) == ()


_OPAQUE = (
    "import torch, sys\nns = {}\nexec(open('k.txt').read(), ns)\n"
    "class ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return ns['run'](x)\n"
)


def test_opaque_code_does_not_prove_that_a_kernel_is_missing() -> None:
    assert _heavy(_findings("import triton\n" + _OPAQUE)) == []


def test_hidden_code_without_any_way_to_a_kernel_is_suspicious() -> None:
    [found] = [e for e in _findings(_OPAQUE) if e.severity is not Severity.NOTE]
    assert (found.kind.value, found.severity) == ("no_kernel", Severity.SUSPICIOUS)


def test_a_folder_is_followed_across_files() -> None:
    ops = SourceFile(path="ops.py", text=TRITON_HEAD + "\ndef act(x):\n    return torch.relu(x)\n")
    main = SourceFile(
        path="main.py",
        text="import torch\nfrom ops import act\nclass ModelNew(torch.nn.Module):\n"
        "    def forward(self, x):\n        return act(x)\n",
    )
    candidate = Candidate(name="c", language="triton", sources=(main, ops))
    kinds = {e.kind.value for e in findings(analyse(candidate), Track.KERNEL)}
    assert {"no_kernel", "delegation"} <= kinds


def test_a_bare_cpp_file_is_its_own_kernel() -> None:
    text = (
        '#include "assay.h"\n'
        'extern "C" const char* forward(const assay_tensor* i, int n, assay_tensor* o, int m) {\n'
        "  for (int k = 0; k < 3; ++k) {}\n  return 0;\n}\n"
    )
    report = analyse(_candidate(text, "kernel.cpp", "cpp_source"))
    assert report.readable and findings(report, Track.KERNEL) == ()


def test_a_bare_cpp_file_that_calls_blas_delegates() -> None:
    text = (
        'extern "C" const char* forward(void* i, int n, void* o, int m) {\n'
        "  cblas_sgemm(i, o);\n  return 0;\n}\n"
    )
    found = findings(analyse(_candidate(text, "kernel.cpp", "cpp_source")), Track.KERNEL)
    assert {e.kind.value for e in found} == {"no_kernel", "delegation"}
    assert found[0].severity is Severity.CONVICTS


def test_a_source_that_never_ends_is_given_up_quietly() -> None:
    text = "import torch\n" + "".join(
        f"def f{i}(x):\n    return f{i + 1}(x) + f{i + 1}(x) + f{i + 1}(x)\n" for i in range(20)
    )
    text += "def f20(x):\n    return x\nclass ModelNew(torch.nn.Module):\n"
    text += "    def forward(self, x):\n        return f0(x)\n"
    report = analyse(_candidate(text))
    assert not report.complete
    assert [e.kind.value for e in findings(report, Track.KERNEL)] == ["unknown"]


_DRIVER = """
import ctypes
import torch
driver = ctypes.CDLL("libcuda.so.1")
module, found = ctypes.c_void_p(), ctypes.c_void_p()
driver.cuModuleLoadData(ctypes.byref(module), b".visible .entry rows() { ret; }")
driver.cuModuleGetFunction(ctypes.byref(found), module, b"rows")
class ModelNew(torch.nn.Module):
    def forward(self, x):
"""
_LAUNCH = "        driver.cuLaunchKernel(found, 1, 1, 1, 32, 1, 1, 0, None, x.data_ptr(), None)\n"


@pytest.mark.parametrize("launch", ["", _LAUNCH])
def test_a_module_that_the_driver_loads_is_no_kernel_behind_a_librarys_product(launch: str) -> None:
    found = _findings(_DRIVER + launch + "        return torch.mm(x, x)\n")
    assert any(
        "convicts delegation" in text or "convicts no_kernel" in text for text in _heavy(found)
    )
