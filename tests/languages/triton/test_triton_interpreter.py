"""The repairs, measured in a process of its own: triton reads TRITON_INTERPRET at import."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

PROBE = Path(__file__).with_name("interpreter_probe.py")


@functools.cache
def _probe(*flags: str) -> dict[str, object]:
    source = Path(__file__).parents[3] / "src"
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(source)}
    line = [sys.executable, str(PROBE), *flags]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_every_repair_applies() -> None:
    expected = (
        "bf16_arithmetic bf16_cast bf16_dot bf16_constant bf16_atomic autotune "
        "constexpr_spelling float_argument pointers statements libdevice aliases dtype_value "
        "function_type driver"
    ).split()
    repaired = _probe("--repair")["repaired"]
    assert [name for name in repaired if name != "scalar_index"] == expected  # broken up to 3.6


def test_the_cast_rounds_to_nearest_even() -> None:
    assert float(str(_probe()["cast_bias_ulps"])) < -0.4  # what is broken: truncation
    repaired = _probe("--repair")
    assert abs(float(str(repaired["cast_bias_ulps"]))) < 0.02
    assert repaired["cast_mismatches"] == 0
    assert repaired["special_mismatches"] == 0 and repaired["nan_kept"] == 1


def test_arithmetic_comparisons_and_constants_equal_torch() -> None:
    repaired = _probe("--repair")
    assert repaired["arithmetic_mismatches"] == 0
    assert repaired["flag_mismatches"] == 0
    assert repaired["atomic_total"] == 8


def test_dot_accumulates_in_float32() -> None:
    assert float(str(_probe("--repair")["dot_error"])) < 1e-5


def test_autotune_takes_the_first_config_that_runs() -> None:
    repaired = _probe("--repair")
    assert repaired["tuned_error"] == 0
    assert repaired["block"] == 64  # 48 fails its own assertion


def test_names_of_the_language_and_dtypes_mean_what_they_mean_to_the_compiler() -> None:
    repaired = _probe("--repair")
    assert repaired["aliased_cast"] == [1.0, 2.0]  # `cast = tl.cast` at module level
    assert repaired["dtype_handed_on"] == float("-inf")
    assert repaired["pointer_like"] == [2.0, 3.0]  # an argument with an address and a dtype
    assert repaired["is_jit_function"] is True
