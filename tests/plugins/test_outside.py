"""Another distribution adds a language, a reader, a device and a check; all judge a kernel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from plugins.installed import ENTRY_POINTS, NAME, install

KERNEL = """
#include <stdint.h>
void forward(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = %s;
}
"""
KERNELS = {"honest.c": "x[i] < 0 ? 0 : 2 * x[i]", "wrong.c": "x[i] < 0 ? -1e-3f : 2 * x[i]"}


def test_a_kernel_is_judged_through_all_of_them(tmp_path: Path) -> None:
    broken = {"outside_broken": "no_such_module:Language"}
    points = {**ENTRY_POINTS, "assay.languages": ENTRY_POINTS["assay.languages"] | broken}
    site, tasks = install(tmp_path / "site", points), tmp_path / "tasks"
    (tasks / "double_relu").mkdir(parents=True)
    task = {"expression": "2 * torch.relu(x)", "shape": "64, 48"}
    (tasks / "double_relu.json").write_text(json.dumps(task))
    for name, expression in KERNELS.items():
        (tasks / "double_relu" / name).write_text(KERNEL % expression)

    name = f"outside_json:{tasks}#double_relu"
    asked = [name, name, "--device", "second_cpu", "--level", "smoke", "--no-timing", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "assay.app.main", "eval", *asked],
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["status"] for one in found] == ["accepted", "incorrect"], done.stderr
    for one in found:
        assert (one["task"], one["device"]) == ("double_relu", "second_cpu")
    (counted,) = [e["text"] for e in found[0]["evidence"]]
    assert counted.endswith("calls were counted") and int(counted.split()[0]) > 0
    assert f"language 'outside_broken' of the distribution {NAME} cannot be loaded" in done.stderr
    assert "Traceback" not in done.stderr
