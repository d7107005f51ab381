"""KernelBench-X's and TritonBench's tables: one candidate a task, no time that was not measured."""

from __future__ import annotations

import json
from typing import Any

from assay.data.verdict import Limits, Status
from assay.report.result_formats.kernelbench_x_metrics import KernelBenchXMetrics
from assay.report.result_formats.tritonbench_tables import TritonBenchTables
from report.result_formats.made_up_rows import RUN, judged

LIMITS = Limits(
    bytes=10**6,
    flops=10**7,
    sol_us=1.0,
    sol_fraction=0.5,
    bound="memory",
    bytes_per_s=2e12,
    flops_per_s=4e12,
)


def metrics(*given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    files = KernelBenchXMetrics().of_run(RUN, judged(*given)).files
    return json.loads(files["metrics.json"]), json.loads(files["summary.json"])


def test_a_row_of_metrics() -> None:
    rows, summary = metrics(
        {"task": "gelu", "origin": "/k/Activation/gelu.py", "limits": LIMITS},
        {"task": "sum", "status": Status.DISHONEST},
        {"task": "mean", "timing": None},
    )
    good = rows["Activation/gelu.py"]
    assert (good["call_ok"], good["exe_ok"], good["perf_ok"]) == (True, True, True)
    assert (good["runtime_ms"], good["gbs"], good["tflops"], good["speedup"]) == (
        0.12,
        2e3,
        4.0,
        2.0,
    )
    assert good["performance"][0]["ms"] == 0.12 and good["code"] == "x = 0\n"
    cheat = rows["Math/sum.py"]
    assert (cheat["call_ok"], cheat["exe_ok"], cheat["speedup"]) == (True, False, "N/A")
    assert cheat["error"].startswith("dishonest: ") and cheat["performance"] == []
    assert rows["Math/mean.py"]["exe_ok"] and rows["Math/mean.py"]["runtime_ms"] == "N/A"
    assert (summary["total"], summary["call_pass"], summary["exe_pass"]) == (3, 3, 2)
    assert (summary["perf_pass"], summary["exe_rate"], summary["avg_speedup"]) == (1, 66.7, 2.0)


def test_a_summary_without_times_has_no_speedup() -> None:
    _, summary = metrics({"task": "gelu", "timing": None})
    assert summary["avg_speedup"] is None and summary["avg_speedup_per_task"] is None


def test_one_candidate_stands_for_a_task() -> None:
    given = ({"round": 0, "status": Status.INCORRECT}, {"round": 1}, {"sample": 1})
    made = KernelBenchXMetrics().of_run(RUN, judged(*given))
    assert made.written == 1 and list(made.left_out.values()) == [2]
    (row,) = json.loads(made.files["metrics.json"]).values()
    assert row["code"] == "x = 1\n" and row["exe_ok"]


def test_folders_hold_what_passed_and_both_tables_are_of_this_run() -> None:
    made = TritonBenchTables().of_run(
        RUN,
        judged(
            {"task": "gelu", "limits": LIMITS},
            {"task": "sum", "status": Status.INCORRECT},
            {"task": "mean", "timing": None},
            {"task": "max", "status": Status.CRASHED},
        ),
    )
    assert sorted(made.files) == [
        "call_acc/gelu.py",
        "call_acc/mean.py",
        "call_acc/sum.py",
        "exe_acc/gelu.py",
        "exe_acc/mean.py",
        "golden_results/gelu.json",
        "perf_results/gelu.json",
    ]
    (ours,) = json.loads(made.files["perf_results/gelu.json"])
    (base,) = json.loads(made.files["golden_results/gelu.json"])
    assert base["ms"] / ours["ms"] == 2.0
    assert (ours["GB/s"], base["GB/s"], ours["TFLOPS"]) == (2e3, 1e3, 4.0)
    (bare,) = json.loads(
        TritonBenchTables().of_run(RUN, judged({"task": "gelu"})).files["perf_results/gelu.json"]
    )
    assert bare["GB/s"] is None and bare["TFLOPS"] is None
