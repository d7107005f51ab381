"""A candidate's file becomes a module; one of several files finds its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from assay.languages.torch_language import TorchLanguage
from assay.sandbox.child.loading import load_entry
from assay.sandbox.protocol.requests import Load

MAIN = """
import beside_it
import json
from within.below import deep


class ModelNew:
    answer = (beside_it.near, deep, hasattr(json, "dumps"))
"""


@pytest.fixture
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("kernel", "beside_it", "within", "within.below"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("restored")
def test_a_candidate_of_several_files_imports_its_own(tmp_path: Path) -> None:
    (tmp_path / "within").mkdir()
    (tmp_path / "kernel.py").write_text(MAIN)
    (tmp_path / "beside_it.py").write_text("near = 1\n")
    (tmp_path / "within" / "below.py").write_text("deep = 2\n")
    (tmp_path / "json.py").write_text("raise ImportError('it hides a module of the interpreter')\n")
    entry = load_entry(
        Load(str(tmp_path / "kernel.py"), "ModelNew", TorchLanguage(), interpreted=False)
    )
    assert entry.answer == (1, 2, True)
    assert sys.path[-1] == str(tmp_path)
