"""Graphs of native tasks as the tracing process answered, so that tests need not trace."""

from __future__ import annotations

import json
from pathlib import Path

from assay.generators.templates.candidate_module import PlannedTask
from assay.generators.templates.planned_task import plan_of
from assay.generators.templates.traced_graph import graph_of
from assay.tasks.catalog import resolve

FOLDER = Path(__file__).parent / "graphs"
NAMES = tuple(sorted(one.stem for one in FOLDER.glob("*.json")))


def stored_plan(name: str) -> PlannedTask:
    """The plan of a native task from its stored graph."""
    fields = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return plan_of(resolve(name), graph_of(fields))
