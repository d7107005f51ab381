"""A search with real kernels and the real judge; the longer ones are exhaustive."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.data.generation.search_event import LlmCall
from assay.store.run_store import RunStore
from assay.workbench.search_log import SearchLog, stored_plan
from plugins.installed import write_metadata

EXAMPLES = Path(__file__).parents[2] / "examples"
POINTS = {"assay.generators": {"folder": "folder_generator:FolderGenerator"}}


class RealSearch:
    """`assay search` in a process of its own, with the generator of a folder."""

    def __init__(self, folder: Path, *kernels: Path) -> None:
        self.out, self._site = folder / "run", folder / "site"
        self.bill = folder / "bill"
        shutil.copytree(Path(__file__).parent / "distribution", self._site)
        write_metadata(self._site, "folder-generator", POINTS)
        self._kernels = folder / "kernels"
        self._kernels.mkdir()
        for number, one in enumerate(kernels):
            shutil.copy(one, self._kernels / f"{number}{one.suffix}")
        self._count = len(kernels)

    def start(self, *more: str, wait_s: float = 0.0) -> subprocess.Popen[str]:
        words = ["search", "row_sum", "--generator", "folder", "--out", str(self.out), "--json"]
        words += ["--option", f"folder={self._kernels}", "--option", f"paid={self.bill}"]
        words += ["--option", f"wait_s={wait_s}", "--set", f"n={self._count}", *more]
        return subprocess.Popen(
            [sys.executable, "-m", "assay.app.main", *words],
            env=os.environ | {"PYTHONPATH": str(self._site)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def result(self, *more: str, wait_s: float = 0.0) -> dict[str, Any]:
        out, said = (done := self.start(*more, wait_s=wait_s)).communicate(timeout=300)
        assert done.returncode in (0, 1), said
        (line,) = out.splitlines()
        return dict(json.loads(line))

    def log(self) -> SearchLog:
        with RunStore(self.out) as store:
            (run,) = (one for one in store.runs() if not one.settings.confirms)
            plan = stored_plan(store, run)
            assert plan is not None
            return SearchLog(store, run, plan)


@pytest.mark.exhaustive
def test_real_kernels_are_told_apart(tmp_path: Path) -> None:
    row_sum = EXAMPLES / "row_sum"
    search = RealSearch(
        tmp_path, row_sum / "wrong__ignores_strides.cpp", row_sum / "honest__strided.cpp"
    )
    found = search.result("--level", "smoke", "--no-timing", "--confirm-level", "none")
    assert (found["attempts"], found["accepted"], found["winner"]) == (2, 1, "")
    assert found["best"]["number"] == 1 and found["best"]["speedup"] is None


@pytest.mark.exhaustive
def test_a_real_search_that_is_killed_at_any_time_pays_for_nothing_twice(tmp_path: Path) -> None:
    row_sum, gelu = EXAMPLES / "row_sum", EXAMPLES / "gelu"
    search = RealSearch(
        tmp_path,
        row_sum / "wrong__ignores_strides.cpp",
        gelu / "cheat__torch_delegation.py",
        row_sum / "honest__strided.cpp",
    )
    flags = ("--level", "smoke", "--confirm-level", "quick")
    draw = random.Random(7)
    for _ in range(6):
        started = search.start(*flags, wait_s=0.5)
        time.sleep(draw.uniform(1.0, 9.0))
        started.send_signal(signal.SIGKILL)
        started.communicate(timeout=60)
    found = search.result(*flags, wait_s=0.5)  # with other options it were another search
    assert (found["attempts"], found["accepted"], found["untrusted"]) == (3, 1, 1)
    told = Counter(one.key for one in search.log().events if isinstance(one, LlmCall))
    assert sorted(told.values()) == [1, 1, 1]
    bills = Counter(search.bill.read_text().split())
    assert bills == told


@pytest.mark.exhaustive
def test_a_check_is_left_out_for_real() -> None:
    """A verdict of which a check was left out says so."""
    from assay import evaluate

    cheat = EXAMPLES / "gelu" / "cheat__memo_fingerprint.py"
    full = evaluate("gelu", cheat, level="quick", timing=False)
    names = ("repeated content",)
    less = evaluate("gelu", cheat, level="quick", timing=False, without_checks=names)
    assert full.status == "dishonest" and full.left_out != less.left_out
    assert less.left_out[0] == "the check repeated content, on request"
