"""The list of checks: ours in order, those of others after them, and what cannot be loaded."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, cast

import pytest

from assay.checks import check_registry
from assay.checks.check_contract import observed
from assay.data.check import CheckStage, Cost
from assay.data.observations.observation import CheckMissing
from checks.contexts import context_of

OURS = [check.declared for check in check_registry.all_checks()]


def _bring(monkeypatch: pytest.MonkeyPatch, **points: str) -> list[Any]:
    group = check_registry.ENTRY_POINT_GROUP
    found = [EntryPoint(name, value, group) for name, value in points.items()]
    monkeypatch.setattr(check_registry, "entry_points", lambda group: found)
    return list(check_registry.all_checks())[len(OURS) :]


def test_every_file_of_the_room_is_in_the_list_once() -> None:
    files = {path.stem for path in Path(check_registry.__file__).parent.glob("*.py")}
    assert files - {"__init__", "check_contract", "check_registry"} == set(check_registry._BUILT_IN)
    assert len({declared.name for declared in OURS}) == len(OURS) == len(check_registry._BUILT_IN)


def test_every_check_says_in_one_line_what_it_asks_and_costs() -> None:
    for declared in OURS:
        assert declared.text and "\n" not in declared.text and declared.most
        assert declared.stages and declared.levels and declared.tracks and declared.executions
        assert declared.kinds or declared.cost is Cost.PROCESS


def test_later_calls_are_asked_only_of_who_is_right_so_far() -> None:
    later = [declared for declared in OURS if CheckStage.CALLED in declared.stages]
    asking = [declared for declared in later if declared.cost is Cost.CALLS]
    assert asking and not any(declared.of_wrong for declared in asking)


def test_others_come_after_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    (check,) = _bring(monkeypatch, mine="checks.outside:CONVICTING")
    assert check.declared.name == "of others" and check.declared.origin != "assay"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("checks.nowhere:CHECK", "ModuleNotFoundError"),
        ("checks.outside:NONE", "AttributeError"),
        ("checks.outside:FINDING", "no Check but Evidence"),
        ("assay.checks.ablation:CHECK", "'ablation' is taken"),
    ],
)
def test_what_cannot_be_used_stays_in_the_list_and_is_unknown(
    monkeypatch: pytest.MonkeyPatch, value: str, why: str
) -> None:
    (check,) = _bring(monkeypatch, mine=value)
    assert why in check.declared.missing and value in check.declared.name
    (seen,) = observed(check, context_of(cast(Any, None)))
    assert isinstance(seen, CheckMissing) and seen.essential
    assert why in seen.reason and re.search("mine", seen.check)


BROUGHT = """
from checks.outside import CONVICTING as CHECK
"""


def test_a_distribution_brings_a_check_by_its_entry_point(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    papers = tmp_path / "brought-1.0.dist-info"
    papers.mkdir()
    (papers / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
    (papers / "entry_points.txt").write_text("[assay.checks]\nmine = brought_check:CHECK\n")
    (tmp_path / "brought_check.py").write_text(BROUGHT)
    monkeypatch.syspath_prepend(str(tmp_path))
    check = check_registry.all_checks()[-1]
    assert (check.declared.name, check.declared.origin) == ("of others", "brought")
