"""The kernels of `examples/`: each belongs to a native task, is listed, and is accepted if honest.

Labelled ones are the demo's. `make test` checks names, categories and the list; `make corpus`
judges every kernel without a label.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.settings import Level, Settings
from assay.data.verdict import Status
from assay.pipeline import evaluate
from assay.tasks.catalog import tasks_of

EXAMPLES = Path(__file__).parents[1] / "examples"
FOUND = [*EXAMPLES.glob("*/*.cpp"), *EXAMPLES.glob("*/*.py")]
KERNELS = sorted(path for path in FOUND if path.parent.name != "models")  # whole models, no kernels
UNLABELLED = [path for path in KERNELS if "__" not in path.name]
CATEGORIES = 15


def test_honest_kernels_stand_for_every_category() -> None:
    honest = {path.parent.name for path in KERNELS if path.name.startswith("honest__")}
    names = honest | {path.parent.name for path in UNLABELLED}
    found = [task for task in tasks_of("native") if task.id in names]
    assert len(found) == len(names) >= 100
    tags = {tag for task in found for tag in task.tags if tag.startswith("category:")}
    assert len(tags) == CATEGORIES


def test_every_kernel_is_listed_once() -> None:
    page = (EXAMPLES / "README.md").read_text()
    counts = {path: page.count(f"]({path.relative_to(EXAMPLES)})") for path in KERNELS}
    assert [path for path, count in counts.items() if count != 1] == []
    assert page.count("](") == len(KERNELS) + 1, "a link to a kernel that is not there"


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", UNLABELLED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_kernel_without_a_label_is_accepted(path: Path) -> None:
    verdict = evaluate(path.parent.name, path, Settings(level=Level.QUICK, timing=False))
    assert verdict.status is Status.ACCEPTED, verdict.reason
