"""Packages that nobody declared or named, as a candidate meets them on every road."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import SandboxExtras, Wall
from assay.sandbox.layers.confinement import HIDDEN_PACKAGES
from support.walls import ROADS, ROOMS, Inside, forced

NAME = "pytest"  # it is installed wherever these tests run, and no language needs it
LOOK = f"""
import importlib, importlib.util, subprocess
import torch
def attempt(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        return type(error).__name__
    return "ok"
folder = os.path.dirname(os.path.dirname(torch.__file__))
code = "import ninja, {NAME}"
answer = {{
    "import": attempt(importlib.import_module, "{NAME}"),
    "found": importlib.util.find_spec("{NAME}") is not None,
    "file": attempt(open, folder + "/{NAME}/__init__.py"),
    "write": attempt(open, folder + "/new.py", "w"),
    "needed": attempt(importlib.import_module, "sympy"),
    "process": subprocess.run([sys.executable, "-c", code], capture_output=True).returncode,
    "tool": subprocess.run([sys.executable, "-c", "import ninja"], capture_output=True).returncode,
}}
"""


def _look(road: str, all_packages: bool = False, packages: tuple[str, ...] = ()) -> dict[str, Any]:
    with forced(road), Wall(SandboxExtras(packages=packages), ROOMS) as wall:
        session = Session(wall, all_packages)
        try:
            told = Inside(session, session.process.scratch_path).tell(LOOK)
            return {**told, "layer": HIDDEN_PACKAGES in session.layers, "view": wall.packages}
        finally:
            session.close()


@pytest.mark.parametrize("road", ROADS)
def test_a_hidden_package_is_out_of_reach_and_what_torch_needs_is_not(road: str) -> None:
    found = _look(road)
    assert found["import"] == "ModuleNotFoundError" and found["found"] is False
    assert found["file"] in ("FileNotFoundError", "PermissionError")
    assert found["write"] in ("OSError", "PermissionError")
    assert found["needed"] == "ok" and found["tool"] == 0 and found["process"] != 0
    assert found["layer"] is True and NAME in found["view"].hidden


def test_a_package_that_the_user_names_is_shown() -> None:
    found = _look(ROADS[0], packages=(NAME,))
    assert found["import"] == "ok" and found["process"] == 0


def test_a_baseline_is_shown_every_package() -> None:
    assert _look(ROADS[0], all_packages=True)["import"] == "ok"


def test_without_a_layer_imports_are_refused_and_no_layer_is_claimed(tmp_path: Path) -> None:
    with forced("none"), Wall(SandboxExtras(), ROOMS) as wall:
        session = Session(wall)
        try:
            source = f"import importlib.util\nanswer = importlib.util.find_spec('{NAME}') is None"
            assert Inside(session, session.process.scratch_path).tell(source) is True
            assert HIDDEN_PACKAGES not in session.layers
        finally:
            session.close()
    assert importlib.util.find_spec(NAME) is not None
