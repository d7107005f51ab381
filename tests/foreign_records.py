"""Records as other systems write them, made up here: none of their content is copied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RULE = "#" * 146
KERNEL = "import triton\n\n\ndef scale(x):\n    return {}\n"
TEST = "def test_scale():\n    return scale({})\n"


def side(speedup: float | None = None, *, ran: bool = True, error: str = "") -> dict[str, Any]:
    """One kernel in KernelBench-X's corpus; right where it has a speedup."""
    right = speedup is not None
    return {
        "call_ok": ran,
        "exe_ok": right,
        "perf_ok": right,
        "dtype": "float32" if right else "",
        "runtime_ms": 0.5 if right else None,
        "gbs": 100.0 if right else None,
        "tflops": None,
        "speedup": speedup,
        "maintainability": 60.5 if ran else "N/A",
        "error": error,
    }


def transition(
    task: str, rounds: tuple[int, int], before: tuple[str, Any], after: tuple[str, Any]
) -> dict[str, Any]:
    """One record of the corpus: what is returned by, and known of, the kernel before and after."""
    codes = [f"{KERNEL.format(text)}{RULE}\n\n{TEST.format(task)}" for text, _ in (before, after)]
    return {
        "task_id": task,
        "transition": f"round_{rounds[0]}_to_round_{rounds[1]}",
        "from_round": f"round_{rounds[0]}",
        "to_round": f"round_{rounds[1]}",
        "kind": "speedup_increase" if before[1]["exe_ok"] else "exe_fail_to_pass,perf_ok_newly",
        "before": before[1],
        "after": after[1],
        "before_code": codes[0],
        "after_code": codes[1],
        "notes": "",
    }


def corpus() -> list[dict[str, Any]]:
    """A correction, a gain, one within noise, an identical kernel measured twice, a failure."""
    fixed = side(1.0)
    trace = "Traceback:\n  File \"/a/b.py\", line 7, in scale\nValueError: got 3 of 'x'\n"
    return [
        transition("Math/fix.py", (0, 1), ("a", side(ran=False, error=trace)), ("x", fixed)),
        transition("Math/fix.py", (1, 2), ("x", fixed), ("x * 1", side(1.01))),
        transition("Math/gain.py", (0, 1), ("y + y", side(1.0)), ("2 * y", side(1.5))),
        transition("Math/same.py", (0, 1), ("z", side(2.0)), ("z", side(2.02))),
        transition("Math/fail.py", (0, 1), ("v", side(ran=False)), ("w", side())),
    ]


def trace(number: int, parent: str, child: str, **fields: Any) -> dict[str, Any]:
    """One record of OpenEvolve's trace, with sources."""
    return {
        "iteration": number,
        "timestamp": 1.0,
        "parent_id": parent,
        "child_id": child,
        "generation": number,
        "parent_metrics": {"combined_score": 0.5},
        "child_metrics": {"combined_score": 0.8},
        "parent_code": f"value = '{parent}'\n",
        "child_code": f"value = '{child}'\n",
        "improvement_delta": {"combined_score": 0.3},
        "island_id": 0,
        **fields,
    }


def written(path: Path, records: list[dict[str, Any]]) -> Path:
    """One record a line."""
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path
