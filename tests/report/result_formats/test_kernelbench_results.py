"""`eval_results.json`: keyed by problem and sample, one file a generator and level."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.data.verdict import Status
from assay.report.result_formats.kernelbench_results import (
    KernelBenchResults,
    level_of,
    problem_of,
)
from report.result_formats.made_up_rows import RUN, judged


def results(*given: dict[str, Any]) -> dict[str, Any]:
    files = KernelBenchResults().of_run(RUN, judged(*given)).files
    return {path: json.loads(text) for path, text in files.items()}


def test_a_sample_has_the_fields_and_the_whole_verdict() -> None:
    (sample,) = results({"sample": 4})["eval_results.json"]["23"]
    assert list(sample) == [
        "sample_id",
        "compiled",
        "correctness",
        "metadata",
        "runtime",
        "runtime_stats",
    ]
    assert (sample["sample_id"], sample["correctness"], sample["runtime"]) == (4, True, 0.12)
    stats = sample["runtime_stats"]
    assert (stats["mean"], stats["min"], stats["max"]) == pytest.approx((0.12, 0.1, 0.14))
    assert stats["std"] == pytest.approx(0.02) and stats["num_trials"] == 3
    said = sample["metadata"]["assay"]
    assert said["status"] == "accepted" and said["coverage"]["answered"] == 18
    assert said["timing"]["speedup_low"] == 1.9 and said["timing"]["baseline"] == "eager"


def test_what_is_refused_has_no_runtime_and_says_why() -> None:
    given = [
        {"status": Status.BUILD_FAILED, "sample": 0},
        {"status": Status.DISHONEST, "sample": 1},
        {"timing": None, "sample": 2},
    ]
    built, cheat, untimed = results(*given)["eval_results.json"]["23"]
    assert not built["compiled"] and built["metadata"]["compilation_error"] == "It is build_failed."
    assert cheat["compiled"] and not cheat["correctness"] and cheat["runtime"] == -1
    assert cheat["runtime_stats"] == {} and cheat["metadata"]["assay"]["honest"] == "no"
    assert untimed["correctness"] and untimed["runtime"] is None


def test_generators_and_levels_get_files_of_their_own() -> None:
    paths = results(
        {"origin": "/k/level1/23_Softmax.py"},
        {"origin": "/k/level2/23_Other.py"},
        {"origin": "/k/level1/23_Softmax.py", "generator": "second one"},
    )
    assert sorted(paths) == [
        "second_one/level_1/eval_results.json",
        "writer/level_1/eval_results.json",
        "writer/level_2/eval_results.json",
    ]


def test_samples_without_a_number_of_their_own_are_counted() -> None:
    found = results({"round": 1}, {"round": 0})["eval_results.json"]["23"]
    assert [one["sample_id"] for one in found] == [0, 1]
    assert [one["metadata"]["assay"]["round"] for one in found] == [0, 1]


def test_tasks_without_a_number_are_left_out_and_counted() -> None:
    made = KernelBenchResults().of_run(RUN, judged({"task": "softmax"}, {}))
    assert made.written == 1 and list(made.left_out.values()) == [1]
    assert (problem_of("level1/7_Matmul"), problem_of("7x"), level_of("/a/level_3/b")) == (
        7,
        None,
        3,
    )
