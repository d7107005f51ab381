"""What Triton candidates find imported: the warm parent must never ask a driver for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from assay.languages.triton.triton_language import TritonLanguage

_IMPORT_WITHOUT_A_DRIVER = """
import importlib, sys
from triton.runtime import driver
kind = type(driver)
def refused(self):
    raise SystemExit("a driver was asked for")
kind.active = kind.default = property(refused)
for name in sys.argv[1:]:
    importlib.import_module(name)
before = set(sys.modules)
import triton.compiler.code_generator
assert driver.__dict__.get("_active") is None, "a driver is active"
print("triton.experimental.gluon.language" in sys.modules, len(set(sys.modules) - before))
"""


def test_what_a_compiler_needs_is_imported_without_a_driver() -> None:
    """A process that has asked for one cannot fork others that use the device."""
    pytest.importorskip("triton")
    line = [sys.executable, "-c", _IMPORT_WITHOUT_A_DRIVER, *TritonLanguage.preload]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.split() == ["True", "0"]
