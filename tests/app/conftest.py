"""The command line is tested around a scripted pipeline, without judging anything."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from scripted_pipeline import ScriptedPipeline


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> ScriptedPipeline:
    scripted = ScriptedPipeline()
    module = ModuleType("assay.pipeline")
    module.evaluate_many = scripted.evaluate_many  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "assay.pipeline", module)
    return scripted


@pytest.fixture
def kernel(tmp_path: Path) -> Callable[[str], str]:
    """Write a candidate file that the scripted pipeline will judge as told."""

    def write(status: str, name: str = "") -> str:
        path = tmp_path / (name or f"{status}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {status}\nclass ModelNew: ...\n")
        return str(path)

    return write
