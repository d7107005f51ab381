"""A reader of another distribution: a folder of `ID.json`, with candidates in `ID/`."""

from __future__ import annotations

import json
from pathlib import Path

from assay.data.task import Task
from assay.errors import UsageError
from assay.tasks.reader import Reader

_SOURCE = """\
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return {expression}


def get_inputs():
    return [torch.randn({shape})]


def get_init_inputs():
    return []
"""


class OutsideReader(Reader):
    name = "outside_json"

    def list(self, place: Path) -> tuple[Task, ...]:
        return tuple(self.load(place, file.stem) for file in sorted(place.glob("*.json")))

    def load(self, place: Path, task_id: str | None) -> Task:
        file = place / f"{task_id}.json"
        if not file.is_file():
            raise UsageError(f"no such task: {file}")
        source = _SOURCE.format(**json.loads(file.read_text()))
        return Task(id=file.stem, format=self.name, source=source, origin=str(file))

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        return tuple(sorted((place / str(task_id)).iterdir()))
