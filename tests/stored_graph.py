"""Graphs of native tasks as the tracing process answered, so that tests need not trace."""

from __future__ import annotations

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from assay.generators.templates.graph.traced_graph import graph_of
from assay.generators.templates.planned_task import plan_of
from assay.generators.templates.targets.candidate_module import PlannedTask
from assay.tasks.catalog import resolve

FOLDER = Path(__file__).parent / "graphs"
NAMES = tuple(sorted(one.stem for one in FOLDER.glob("*.json")))
SMALL = {"rows": 5, "cols": 37, "m": 19, "n": 21, "k": 17, "classes": 33, "images": 3, "height": 5,
         "width": 7, "channels": 8, "batch": 2, "heads": 3, "length": 21, "head_dim": 16,
         "tokens": 6, "half": 5, "hidden": 24, "words": 11, "features": 37}  # fmt: skip


def stored_plan(name: str) -> PlannedTask:
    """The plan of a native task from its stored graph."""
    fields = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return plan_of(resolve(name), graph_of(fields))


def loaded(path: Path) -> Any:
    """The module at a path."""
    spec = spec_from_file_location(f"module_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_same_as_reference(task: Path, candidate: Path, own_sizes: bool = True) -> None:
    """Both files on small, odd inputs, and on the task's own."""
    import torch

    reference, made = loaded(task), loaded(candidate)
    for sizes in ({}, SMALL) if own_sizes else (SMALL,):
        for name, size in sizes.items():
            if hasattr(reference, name):
                setattr(reference, name, size)
        given = reference.get_init_inputs()
        model, own = reference.Model(*given).eval(), made.ModelNew(*given).eval()
        own.load_state_dict(model.state_dict())
        inputs = reference.get_inputs()
        with torch.no_grad():
            wanted, found = model(*inputs), own(*inputs)
        torch.testing.assert_close(found, wanted, rtol=2e-2, atol=1e-4, check_stride=False)
