"""KernelBench-X: split files in folders of categories, with timings of six devices.

The rule: every file counts, also the eight that the benchmark's own list leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.tasks.readers.split_file_reader import SplitFileReader

_GOLDEN = "metrics/golden_results"


class KernelBenchXReader(SplitFileReader):
    """`kernelbench_x:FOLDER`."""

    name = "kernelbench_x"
    home = "kernelbenchx"
    scripts = "metrics/golden_metrics"
    metadata = "kernelbenchx_v1.json"
    licence = "Apache-2.0"

    def _tags(self, path: Path, known: Mapping[str, Any]) -> tuple[str, ...]:
        """The category, the difficulty, and whether the list leaves the task out."""
        listed = () if known else ("not in the benchmark's list",)
        return (path.parent.name, *super()._tags(path, known), *listed)

    def _golden_files(self, path: Path) -> dict[str, Path]:
        folder = self._near(path, _GOLDEN)
        if folder is None:
            return {}
        return {one.name: one / f"{path.stem}.json" for one in folder.iterdir() if one.is_dir()}
