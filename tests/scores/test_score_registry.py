"""Every family is there under its name, and another distribution's is found beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.verdict import Status
from assay.plugins import Registry
from assay.scores.score_family import ScoreFamily
from assay.scores.score_registry import FAMILIES
from graded_samples import entry, group
from plugins.installed import write_metadata

OUTSIDE = """
from assay.scores.estimates import Estimate
from assay.scores.score_family import Figure, ScoreFamily

class Outside(ScoreFamily):
    name = "outside"

    def scores(self, group):
        found = Estimate(float(len(group.entries)))
        yield self.made(group, "count", Figure(found, f"{len(group.tasks)} tasks"))
"""


def test_every_family_carries_its_name_and_scores_anything() -> None:
    some = group(entry("a", 2.0), entry("b", status=Status.CRASHED), tasks=4)
    for name in FAMILIES.names():
        scores = list(FAMILIES.get(name).scores(some))
        assert scores and all(score.name.startswith(f"{name}.") for score in scores)
        assert len({(score.name, score.weighting) for score in scores}) == len(scores)
        for score in scores:
            assert (score.value is None) == bool(score.reason)
            assert score.denominator and score.n == 2 and score.tasks == 4


def test_nothing_accepted_is_no_error() -> None:
    none = group(entry("a", status=Status.INCORRECT), entry("b", status=None))
    for name in FAMILIES.names():
        for score in FAMILIES.get(name).scores(none):
            assert score.value is None or score.value >= 0.0


def test_another_distribution_adds_a_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside_scores.py").write_text(OUTSIDE)
    write_metadata(tmp_path, "outside", {"assay.scores": {"outside": "outside_scores:Outside"}})
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry(ScoreFamily, "assay.scores", {"assay": FAMILIES.built_in["assay"].target})
    (score,) = registry.get("outside").scores(group(entry("a", 2.0), tasks=3))
    assert (score.name, score.value, score.denominator) == ("outside.count", 1.0, "3 tasks")
