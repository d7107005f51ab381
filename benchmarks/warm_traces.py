"""WarmTraces: references traced in forks of one process that has torch imported.

A trace in a process of its own spends most of its time in importing torch and what a tracer needs;
a fork of a process that has traced something does not.

The rule: what is traced, and what is said of what cannot be, is what `template-search` does itself.
Each trace has a process of its own here too.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from multiprocessing import forkserver, get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

from assay.data.task import Task
from assay.data.workload import Direction
from assay.generators.templates.graph.traced_graph import TIMEOUT_S, WITHOUT_DEVICE, graph_of
from assay.generators.templates.planned_task import plan_of
from assay.generators.templates.targets.candidate_module import PlannedTask

HERE = Path(__file__).parent
# Imported by the process that forks. Forks run the top of the main script again: what that imports
# is there already.
PRELOADED = ["warmed_tracer", "template_search"]


class WarmTraces(AbstractContextManager["WarmTraces"]):
    """`plan` is what a `TemplateGenerator` is given; any number of threads may call it."""

    def __init__(self, jobs: int) -> None:
        context = get_context("forkserver")
        context.set_forkserver_preload(PRELOADED)
        path = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
        with patch.dict(os.environ, WITHOUT_DEVICE | {"PYTHONPATH": path}):
            forkserver.ensure_running()
        self._pool = ProcessPoolExecutor(jobs, context, max_tasks_per_child=1)

    def plan(self, task: Task) -> PlannedTask:
        """The plan of a task; what is not covered is a ValueError."""
        if task.direction is not Direction.FORWARD:
            raise ValueError("templates are written for the forward direction")
        future = self._pool.submit(trace, task.source, task.entry, TIMEOUT_S)
        return plan_of(task, graph_of(future.result()))

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def trace(source: str, entry: str, timeout_s: float) -> dict[str, Any]:
    """In a fork: the fields of the graph, or the reason why there is none."""
    from assay.generators.templates.graph.trace_process import main as trace_folder

    signal.signal(signal.SIGALRM, _too_late)
    signal.alarm(int(timeout_s))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "task.py").write_text(source, encoding="utf-8")
        (place / "entry").write_text(entry, encoding="utf-8")
        trace_folder(place)
        signal.alarm(0)
        found: dict[str, Any] = json.loads((place / "answer.json").read_text(encoding="utf-8"))
        return found


def _too_late(*_: object) -> None:
    raise TimeoutError(f"tracing did not end within {TIMEOUT_S:.0f} s")
