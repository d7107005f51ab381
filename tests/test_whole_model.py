"""The benchmark of whole models: complete rows stay, a failure is a row, and so is SIGTERM."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from whole_model import line

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
# `tried` profiles and judges for minutes: here the GPT block has no comparison, the other waits.
SCRIPT = """
import sys, time
sys.path.insert(0, sys.argv.pop(1))
import whole_model

def tried(trial, flags, keep):
    keep({"hot": {"model": trial.file}})
    print("begun", flush=True)
    if trial.file == "gpt_block.py":
        raise whole_model.AssayError("no such device")
    time.sleep(60)

whole_model.tried = tried
whole_model.main()
"""


def test_what_is_complete_stays_and_the_rest_is_recorded(tmp_path: Path) -> None:
    out = tmp_path / "whole.json"
    command = [sys.executable, "-c", SCRIPT, str(BENCHMARKS), "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert [run.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
        run.send_signal(signal.SIGTERM)
        said = run.stdout.read()
        assert run.wait(30) == 1
    assert "gpt: not judged" in said and "resnet: not judged" in said
    found = json.loads(out.read_text())
    assert "no such device" in found["gpt"]["problem"]
    assert "asked to end" in found["resnet"]["problem"]
    assert found["resnet"]["hot"] == {"model": "resnet_block.py"}
    kernels = [{"task": "gelu", "remark": "the machine was too busy"}, {"task": "x", "remark": ""}]
    problem = {"status": "accepted", "reason": "right", "kernels": kernels}
    done = {"complete": True, "apply": {"kept": True}}
    out.write_text(json.dumps({"gpt": found["gpt"] | {"apply": problem}, "resnet": done}))
    said = line("gpt", json.loads(out.read_text())["gpt"])
    assert said == "gpt: no comparison: accepted, right; gelu: the machine was too busy"
    again = subprocess.run([*command, "--only", "gpt"], capture_output=True, text=True, check=False)
    assert (again.returncode, again.stdout.count("begun")) == (1, 1)
    assert json.loads(out.read_text())["resnet"] == done
