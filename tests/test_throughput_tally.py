"""`benchmarks/throughput_tally.py`: a verdict is told at once, and kept where a run ends early."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from throughput_tally import Answer, ResultFile, Tally

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
STAGES = {"waiting to time": 2.0, "waiting to go on": 0.5, "calling": 1.5}
CUT_OFF = """
import sys, time
from pathlib import Path
from throughput_tally import Answer, ResultFile, Tally
file = ResultFile(Path(sys.argv[1]), {"seed": 7})
file.keep_on_termination()
tally = Tally(4)
try:
    with file.tallied("triton", tally):
        for at_s in (10.0, 12.0):
            tally.add(Answer("gelu", "k.py", "accepted", "", at_s, {"calling": 1.0}))
        print("ready", file=sys.stderr, flush=True)
        time.sleep(60)
finally:
    time.sleep(60)  # closing a judge may take longer than is granted
"""


def _answer(at_s: float, status: str = "accepted") -> Answer:
    return Answer("gelu", f"gelu_{at_s:g}.py", status, "it delegates", at_s, STAGES)


def test_a_verdict_that_is_not_accepted_is_told_with_its_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tally = Tally(2)
    tally.add(_answer(2.0))
    assert capsys.readouterr().err == "[1/2] 2.0 s gelu_2.py: accepted\n"
    tally.add(_answer(4.0, "suspicious"))
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "[2/2] 4.0 s gelu_4.py: suspicious",
        "    suspicious because: it delegates",
    ]


def test_the_end_of_a_lot_says_how_long_a_candidate_waited(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tally = Tally(2, [_answer(2.0), _answer(5.0)])
    tally.tell()
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "waited for the device and for others: 2.50 s of 4.00 s a candidate"
    assert told[1].endswith("waiting to time 2.00, calling 1.50, waiting to go on 0.50")


def test_the_rate_leaves_out_what_came_first() -> None:
    said = Tally(9, [_answer(10.0 + n) for n in range(3)]).summary()
    assert (said["asked"], said["candidates"], said["first"]) == (9, 3, 1)
    assert said["verdicts_per_minute"] == 15.0
    assert said["steady_verdicts_per_minute"] == 60.0


def test_a_lot_that_is_through_is_no_longer_called_cut_off(tmp_path: Path) -> None:
    file, tally = ResultFile(tmp_path / "made" / "r.json", {"seed": 7}), Tally(1)
    with file.tallied("triton", tally):
        tally.add(_answer(3.0))
        assert json.loads(file.text())["triton"]["cut_off"] is True
    file.result["triton"] = tally.summary()
    file.write()
    assert "cut_off" not in json.loads((tmp_path / "made" / "r.json").read_text())["triton"]


def test_a_run_that_is_asked_to_end_writes_its_rate_before_it_closes(tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    process = subprocess.Popen(
        [sys.executable, "-c", CUT_OFF, str(out)],
        cwd=BENCHMARKS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None and process.stdout is not None
        while process.stderr.readline() != "ready\n":
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        while (line := process.stdout.readline()) != "}\n":
            assert line, "it ended without a result"
    finally:
        process.kill()
        process.wait()
    said = json.loads(out.read_text())
    assert said["seed"] == 7
    assert said["triton"]["candidates"] == 2 and said["triton"]["cut_off"] is True
    assert said["triton"]["verdicts_per_minute"] == 10.0
