"""`benchmarks/device_check.py`: parts with limits of their own, and a result after each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from device_check import PARTS, Part, Said, check, read_json, read_lines, read_rate, read_tests

VERDICTS = "[1/64] 2.5 s softmax_1.py: accepted\nnoise\n[2/64] 4.0 s gelu_1.py: incorrect\n"


def _part(name: str, source: str, limit_s: float = 20.0) -> Part:
    line = [sys.executable, "-c", source]
    return Part(name, limit_s, lambda device, record: [*line, str(record)], read_lines)


def test_a_part_that_is_cut_off_loses_nothing_that_was_said(tmp_path: Path) -> None:
    slow = "import sys, time; print('{\"n\": 1}', file=open(sys.argv[1], 'w')); time.sleep(60)"
    fails = "raise SystemExit('it failed')"
    parts = [_part("slow", slow, 1.0), _part("fails", fails), _part("ends", "")]
    out = tmp_path / "made" / "check.json"
    found = check(parts, "cuda", {}, out)
    assert json.loads(out.read_text()) == found
    assert found["slow"]["ended"] is False and found["slow"]["rows"] == [{"n": 1}]
    assert found["fails"]["ended"] and "it failed" in found["fails"]["tail"]
    assert found["ends"] == {"ended": True, "exit_code": 0, "rows": []} | {
        "seconds": found["ends"]["seconds"]
    }


def test_the_result_is_there_after_every_part(tmp_path: Path) -> None:
    out = tmp_path / "check.json"
    look = f"import json; assert list(json.load(open({str(out)!r}))) == ['first']"
    found = check([_part("first", ""), _part("second", look)], "cuda", {}, out)
    assert found["second"]["exit_code"] == 0


def test_a_limit_that_is_given_is_the_parts(tmp_path: Path) -> None:
    part = _part("slow", "import time; time.sleep(60)")
    assert check([part], "cuda", {"slow": 0.3}, tmp_path / "out")["slow"]["ended"] is False


def test_a_rate_is_known_of_a_part_that_was_cut_off() -> None:
    found = read_rate(Said("", VERDICTS, Path("none")))
    assert found == {
        "verdicts": 2,
        "asked": 64,
        "last_verdict_s": 4.0,
        "verdicts_per_minute": 30.0,
    }
    assert read_rate(Said("", "", Path("none"))) == {"verdicts": 0}


@pytest.mark.parametrize(("out", "found"), [('{"a": 1}', {"a": 1}), ('{"a"', {}), ("", {})])
def test_what_was_not_printed_whole_is_nothing(out: str, found: dict[str, int]) -> None:
    assert read_json(Said(out, "", Path("none"))) == found


def test_failed_tests_are_named() -> None:
    out = "..F\nFAILED tests/gpu/test_a.py::test_b - AssertionError: c\n1 failed, 2 passed in 3 s\n"
    found = read_tests(Said(out, "", Path("none")))
    assert found["summary"] == "1 failed, 2 passed in 3 s"
    assert found["failed"] == ["tests/gpu/test_a.py::test_b - AssertionError: c"]


def test_every_part_is_a_command_of_this_tree() -> None:
    for part in PARTS:
        paths = [
            one for one in part.command("cuda", Path("record")) if one.endswith((".py", "gpu"))
        ]
        assert paths and all(Path(path).exists() for path in paths)
