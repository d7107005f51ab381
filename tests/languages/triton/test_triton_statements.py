"""Kernels in words that Triton's compiler takes run in the interpreter, and mean the same."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBE = Path(__file__).with_name("statements_probe.py")
KERNELS = (
    "mask_joined_by_and mask_joined_by_or mask_negated assigned_constant_as_shape "
    "loop_variable_as_tensor constexpr_in_quotes constexpr_of_another_name "
    "float_argument_as_tensor neutral_library library_of_cuda"
).split()
UNBROKEN = ("constants_and_tensors_joined", "assigned_constant_as_tensor")


@functools.cache
def _probe(*flags: str) -> dict[str, str]:
    source = Path(__file__).parents[3] / "src"
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(source)}
    line = [sys.executable, str(PROBE), *flags]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("kernel", [*KERNELS, *UNBROKEN])
def test_a_kernel_writes_its_places_and_no_others(kernel: str) -> None:
    assert _probe("--repair")[kernel] == ""


@pytest.mark.parametrize("kernel", KERNELS)
def test_without_the_repair_it_does_not(kernel: str) -> None:
    assert _probe()[kernel] != ""


def test_a_kernel_may_ask_what_it_runs_on() -> None:
    assert "active drivers" in _probe()["target"]
    assert _probe("--repair")["target"] == "cpu"
