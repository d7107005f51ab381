"""The kept example page holds what `docs/report.md` says of it, and nothing of its machine."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import report_browser
from report_browser import launched, opened

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "example_report.html"
MOST_BYTES = 1.5e6
STATUS_OF_LABEL = {"wrong": "incorrect", "cheat": "dishonest", "honest": "accepted"}
# Folders of people and machines; what a kernel's source names is the kernel's own.
OF_A_MACHINE = re.compile(r"/(?:home|root|Users|tmp|work|workspace|mnt|opt|srv|var)/")


@cache
def data() -> dict[str, Any]:
    found = re.search(r'id="report-data">(.*?)</script>', PAGE.read_text(encoding="utf-8"), re.S)
    assert found is not None
    return json.loads(found[1])  # type: ignore[no-any-return]


def label(verdict: dict[str, Any]) -> str:
    """What the file's name says of it; honest where it says nothing."""
    first, mark, _ = Path(verdict["name"]).name.partition("__")
    return first if mark else "honest"


def test_each_verdict_is_that_of_its_label_and_of_a_kernel_in_the_examples() -> None:
    assert len(data()["verdicts"]) > 100
    for verdict in data()["verdicts"]:
        assert verdict["status"] == STATUS_OF_LABEL[label(verdict)], verdict["name"]
        assert (ROOT / verdict["name"]).exists(), verdict["name"]


def test_the_page_about_it_counts_the_same() -> None:
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    told = text[text.index("## The public example") :]
    verdicts = data()["verdicts"]
    counts = Counter(label(one) for one in verdicts)
    assert f"{len(verdicts)} candidates of {len(data()['tasks'])} tasks" in " ".join(told.split())
    for name, row in (
        ("honest", "none, or `honest__`"),
        ("wrong", "`wrong__`"),
        ("cheat", "`cheat__`"),
    ):
        line = f"| {row} | {counts[name]} | {counts[name]} `{STATUS_OF_LABEL[name]}` |"
        assert line in told


def test_every_cheat_is_told_with_what_convicts_it() -> None:
    cheats = [one for one in data()["verdicts"] if one["honest"] == "no"]
    assert len(cheats) == sum(label(one) == "cheat" for one in data()["verdicts"]) >= 7
    kinds = set(data()["honesty_kinds"])
    for cheat in cheats:
        found = [one for one in cheat["evidence"] if one["found"]["severity"] == "convicts"]
        assert any(one["found"]["kind"] in kinds for one in found), cheat["name"]
    assert sum(any("line" in one for one in cheat["evidence"]) for cheat in cheats) >= 5


def test_no_speed_is_stated_and_the_page_says_why() -> None:
    verdicts = data()["verdicts"]
    assert not any(one.get("timing") or one.get("samples") for one in verdicts)
    assert all(one["timing_reason"] for one in verdicts if one["status"] == "accepted")


def test_it_names_no_folder_and_no_host_of_its_machine() -> None:
    of_kernels = {"sources", "evidence", "reason"}
    own = [{k: v for k, v in one.items() if k not in of_kernels} for one in data()["verdicts"]]
    text = json.dumps([own, {k: v for k, v in data().items() if k != "verdicts"}])
    assert OF_A_MACHINE.findall(text) == []
    for verdict in data()["verdicts"]:  # a kernel may name folders itself
        said = json.dumps([verdict.get("evidence"), verdict["reason"]])
        written = json.dumps(verdict["sources"])
        assert all(one in written for one in OF_A_MACHINE.findall(said)), verdict["name"]
    for environment in data()["environments"]:
        assert len(environment["platform"].split()) == 3  # system, architecture, kernel: no host
        assert not {"host", "hostname", "node", "user"} & environment.keys()


def test_it_is_small_and_holds_no_foreign_script() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert PAGE.stat().st_size < MOST_BYTES
    assert '<script type="text/plain" id="library"></script>' in page


@pytest.mark.skipif(bool(report_browser.missing()), reason=report_browser.missing() or "-")
def test_a_browser_shows_the_cheats_first_and_opens_the_line() -> None:
    with launched() as browser, opened(browser, PAGE) as shown:
        page = shown.page
        assert "nothing was timed" in page.inner_text("main")
        assert page.locator("h2").first.inner_text() == "Cheats"
        assert page.locator(".cheats tbody tr").count() >= 7
        page.locator(".cheats a:has-text('line')").first.click()
        page.wait_for_selector(".code .shown")
        assert page.locator(".code .marked").count() >= 1
    assert shown.complaints == [] and shown.requests == []
