from __future__ import annotations

import pytest

from assay.data.candidate import SourceFile
from assay.devices.cpu_device import CpuBackend
from assay.devices.cuda_device import CudaBackend
from assay.errors import UsageError
from assay.languages.language_registry import (
    LANGUAGES,
    language,
    needed_packages,
    tool_packages,
)


def test_every_language_of_the_data_has_an_adapter() -> None:
    assert set(LANGUAGES.built_in) == {"torch", "triton", "numba", "cpp", "cpp_source", "cuda"}


@pytest.mark.parametrize("name", LANGUAGES.built_in)
def test_an_adapter_keeps_the_contract(name: str) -> None:
    adapter = language(name)
    assert adapter.name == name
    assert adapter.preload and all(isinstance(module, str) for module in adapter.preload)
    missing = adapter.available()
    assert missing is None or "install" in missing
    assert adapter.interpreted(CudaBackend()) is False


def test_triton_is_interpreted_on_a_cpu_only() -> None:
    triton = language("triton")
    assert triton.interpreted(CpuBackend())
    caches = {"TRITON_CACHE_DIR": "/home/triton"}
    assert triton.environment(CpuBackend(), "/home") == caches | {"TRITON_INTERPRET": "1"}
    assert triton.environment(CudaBackend(1), "/home") == caches


def test_an_unknown_language_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="known: torch, triton"):
        language("fortran")


def test_a_missing_package_gives_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.languages.language.find_spec", lambda name: None)
    assert "pip install triton==3.7.1" in str(language("triton").available())


@pytest.mark.parametrize(
    ("text", "carried", "package", "needed"),
    [
        ("import cupy", "cuda", "cupy", True),
        ("import torch", "torch", "cupy", False),
        ("import triton, cupy", "triton", "cupy", True),
        ("import cuda.core", "torch", "cuda", True),
        ("import torch, scipy", "torch", "scipy", False),
    ],
)
def test_packages_are_needed_where_a_language_that_declares_them_is_used(
    text: str, carried: str, package: str, needed: bool
) -> None:
    sources = (SourceFile(path="kernel.py", text=text),)
    assert (package in needed_packages(sources, carried)) is needed


def test_every_languages_tools_are_shown_to_all() -> None:
    assert {"triton", "numba", "llvmlite"} <= set(tool_packages())
