"""KernelBench-X's corpus: every record becomes a step between two claimed candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.scores.analysis.round_steps import steps
from assay.scores.graded import graded
from assay.store.imports.kernelbench_x_corpus import KernelBenchXCorpus
from foreign_records import RULE, corpus, transition, written

READER = KernelBenchXCorpus()


def test_every_record_is_one_step_and_a_shared_kernel_one_entry(tmp_path: Path) -> None:
    found = READER.read(written(tmp_path / "some.jsonl", corpus()))
    assert (found.records, len(found.entries), dict(found.left_out)) == (5, 9, {})
    assert len(steps([graded("run", one, None) for one in found.entries])) == found.records


def test_what_the_source_says_is_kept_as_its_claim(tmp_path: Path) -> None:
    found = READER.read(written(tmp_path / "some.jsonl", corpus())).entries
    broken, fixed = (one.candidate.provenance for one in found[:2])
    assert broken.claimed is not None and fixed.claimed is not None
    assert (broken.claimed.ran, broken.claimed.correct, broken.claimed.works) == (False,) * 3
    assert "ValueError" in broken.claimed.error
    assert (fixed.claimed.speedup, fixed.claimed.latency_us) == (1.0, 500.0)
    assert fixed.claimed.labels == ("exe_fail_to_pass", "perf_ok_newly")
    assert fixed.claimed.metrics == {"gbs": 100.0, "maintainability": 60.5}
    assert fixed.parents == (found[0].candidate.id,) and fixed.round == 1


def test_the_test_below_the_kernel_belongs_to_the_task(tmp_path: Path) -> None:
    first = READER.read(written(tmp_path / "some.jsonl", corpus())).entries[0]
    assert RULE not in first.candidate.main.text and "def test_scale" in first.task.source
    assert (first.task.id, first.task.entry) == ("Math/fix.py", "fix")
    assert "category:Math" in first.task.tags


def test_a_folder_is_read_by_the_file_that_holds_all(tmp_path: Path) -> None:
    written(tmp_path / "all_records.jsonl", corpus())
    written(tmp_path / "performance_events.jsonl", corpus()[2:3])
    assert READER.read(tmp_path).records == 5


def test_what_is_no_corpus_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"all_records\.jsonl"):
        READER.read(tmp_path)
    bad = [corpus()[0], {"task_id": "x"}]
    with pytest.raises(UsageError, match=r"bad\.jsonl:2: from_round"):
        READER.read(written(tmp_path / "bad.jsonl", bad))
    odd = transition("t", (0, 1), ("a", corpus()[0]["before"]), ("b", corpus()[0]["after"]))
    with pytest.raises(UsageError, match="no round"):
        READER.read(written(tmp_path / "odd.jsonl", [odd | {"from_round": "first"}]))
