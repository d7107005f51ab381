"""What is imported before a command says anything: nothing slow that is not needed yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

KERNEL = Path(__file__).parents[2] / "examples" / "softmax" / "wrong__tail_dropped.py"
COMPUTING = {"torch", "numpy", "scipy", "pandas", "triton", "numba", "pyarrow", "sqlalchemy"}
DRAWING = {"rich.progress", "rich.markdown", "rich.syntax", "pygments"}
JUDGING = {"assay.context", "assay.exam", "assay.checks", "assay.timing", "assay.sandbox.host.wall"}

# A judge process is started right after the first line of progress.
AT_FIRST_OUTPUT = """
import os, sys

def look(event, arguments):
    if event == "subprocess.Popen":
        sys.stdout.write(" ".join(sys.modules))
        sys.stdout.flush()
        os._exit(0)

sys.addaudithook(look)
from assay.app.main import main
code = main(sys.argv[1:])
print()
print(*sys.modules)
"""


def imported(*arguments: str) -> set[str]:
    """The modules at the first process that a command starts, else at its end."""
    command = [sys.executable, "-c", AT_FIRST_OUTPUT, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)
    return set(done.stdout.splitlines()[-1].split())


def test_help_needs_no_records() -> None:
    found = imported("--help")
    assert "assay.app.flags" in found
    assert (
        found & (COMPUTING | DRAWING | JUDGING | {"pydantic", "rich", "assay.data.task"}) == set()
    )


def test_listing_tasks_needs_no_judge() -> None:
    found = imported("tasks")
    assert "assay.tasks.catalog" in found
    assert found & (COMPUTING | DRAWING | JUDGING | {"assay.pipeline"}) == set()


def test_a_list_for_programs_draws_nothing() -> None:
    found = imported("tasks", "--json")
    assert "assay.tasks.catalog" in found
    assert found & (COMPUTING | DRAWING | JUDGING | {"rich.console", "assay.pipeline"}) == set()


def test_showing_a_task_needs_no_judge() -> None:
    found = imported("tasks", "softmax", "--no-limits")
    assert "rich.syntax" in found
    assert found & (COMPUTING | JUDGING | {"assay.pipeline"}) == set()


def test_judging_says_something_before_the_judge_is_imported() -> None:
    found = imported("eval", "softmax", str(KERNEL), "--no-timing")
    assert "assay.judge_process.handle" in found
    assert found & (COMPUTING | DRAWING | JUDGING | {"assay.store"}) == set()


def test_what_watches_the_judge_process_needs_no_records() -> None:
    code = "import sys, assay.judge_process.supervisor; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)
    found = set(done.stdout.split())
    assert "assay.judge_process.starting" in found
    assert found & (COMPUTING | {"pydantic", "assay.data.settings"}) == set()
