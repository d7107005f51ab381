"""What every format keeps: a refused kernel is never right, and every entry is accounted for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.data.verdict import Status
from assay.report.result_formats.format_registry import RESULT_FORMATS
from assay.report.result_formats.result_format import NO_VERDICT, file_name, folders
from report.result_formats.made_up_rows import EVERY_STATUS, RUN, judged

TRACES = ("flashinfer_trace", "sol_execbench")
ENTRIES = ({"status": None}, *EVERY_STATUS, *(one | {"timing": None} for one in EVERY_STATUS))
TASKS = tuple(one | {"task": f"{place}_Task"} for place, one in enumerate(ENTRIES))


def successes(name: str, files: dict[str, str]) -> int:
    """Entries that a reader of the format would count as correct."""
    found = 0
    for path, text in files.items():
        if name == "kernelbench":
            found += sum(s["correctness"] for some in json.loads(text).values() for s in some)
        elif path.endswith("traces.jsonl"):
            lines = [json.loads(line) for line in text.splitlines()]
            found += sum(line["evaluation"]["status"] == "PASSED" for line in lines)
        elif path.endswith("metrics.json"):
            found += sum(row["exe_ok"] for row in json.loads(text).values())
        found += path.startswith("exe_acc/")
    return found


@pytest.mark.parametrize("name", RESULT_FORMATS.names())
def test_only_what_is_accepted_is_written_as_correct(name: str) -> None:
    made = RESULT_FORMATS.get(name).of_run(RUN, judged(*TASKS))
    passes = 1 if name in TRACES else 2  # a trace has no pass without a time
    assert successes(name, dict(made.files)) == passes
    assert made.written + sum(made.left_out.values()) == len(TASKS)
    assert made.left_out[NO_VERDICT] == 1


@pytest.mark.parametrize("name", RESULT_FORMATS.names())
def test_no_time_is_ever_zero(name: str) -> None:
    made = RESULT_FORMATS.get(name).of_run(RUN, judged(*TASKS))

    def numbers(value: Any, key: str = "") -> list[tuple[str, float]]:
        if isinstance(value, dict):
            return [one for inner, item in value.items() for one in numbers(item, inner)]
        if isinstance(value, list):
            return [one for item in value for one in numbers(item, key)]
        return [(key, value)] if isinstance(value, float | int) else []

    timed = ("ms", "runtime", "latency", "speedup", "avg_", "GB/s", "TFLOPS", "gbs", "tflops")
    for path, text in made.files.items():
        values = (
            [] if path.endswith(".py") else [json.loads(text)] if path.endswith(".json") else []
        )
        values += [json.loads(line) for line in text.splitlines()] if ".jsonl" in path else []
        zeros = [key for key, value in numbers(values) if value == 0 and key.startswith(timed)]
        assert zeros == []


def test_names_stay_inside_the_target() -> None:
    assert folders(["only one"]) == {"only one": ""}
    found = folders(["../../etc", "a b", "a/b", ""])
    assert list(found.values()) == ["_etc/", "a_b/", "a_b_2/", "not_stated/"]
    assert file_name("..") == "_" and file_name("softmax") == "softmax"


def test_every_status_has_a_place_or_a_reason() -> None:
    for name in RESULT_FORMATS.names():
        for status in Status:
            given = {"status": status}
            made = RESULT_FORMATS.get(name).of_run(RUN, judged(given))
            assert made.written + sum(made.left_out.values()) == 1, (name, status)
