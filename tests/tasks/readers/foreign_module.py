"""A task's source executed, for tests of what readers write."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from assay.data.candidate import Candidate
from assay.data.task import Task


def module_of(source: str, name: str = "foreign_task") -> Any:
    """The source as a module."""
    module = ModuleType(name)
    exec(compile(source, name, "exec"), vars(module))
    return module


def instance(task: Task, module: Any, entry: str = "Model") -> Any:
    """The task's module class, or a candidate's, with the task's own arguments."""
    given = module_of(task.source).get_init_inputs()
    made = getattr(module, entry)
    return made(**given) if isinstance(given, dict) else made(*given)


def entry_of(candidate: Candidate) -> Any:
    """The entry file of an adapted candidate, beside its submission."""
    sys.modules["submission"] = module_of(candidate.sources[1].text, "submission")
    try:
        return module_of(candidate.main.text, "entry")
    finally:
        del sys.modules["submission"]
