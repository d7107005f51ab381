"""Claimed gains: how many are more than noise, by the criterion that is stated."""

from __future__ import annotations

from pathlib import Path

from assay.scores.analysis.claimed_gains import claimed_gains
from assay.scores.graded import graded
from assay.store.imports.kernelbench_x_corpus import KernelBenchXCorpus
from foreign_records import corpus, written
from graded_samples import entry


def test_gains_of_a_corpus_are_counted_with_those_within_noise(tmp_path: Path) -> None:
    read = KernelBenchXCorpus().read(written(tmp_path / "some.jsonl", corpus()))
    (found,) = claimed_gains([graded("run", one, None) for one in read.entries])
    assert (found.source, found.candidates, found.steps) == ("kernelbench_x", 9, 5)
    assert (found.corrections, found.gains, found.within_noise) == (1, 3, 2)
    assert found.same_source == 1 and found.noise == 0.05
    assert found.same_source_spread is not None and 0.009 < found.same_source_spread < 0.011


def test_a_judged_entry_is_no_claim() -> None:
    assert claimed_gains([entry("a", 2.0, round=0), entry("a", 3.0, round=1)]) == ()
