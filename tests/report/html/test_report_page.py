"""The HTML file: whole, closed to the network, and deaf to what a candidate calls itself."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from assay.report.html import report_page as page_module
from assay.report.html.chart_library import chart_script
from assay.report.html.gathered_report import GatheredReport, of_run
from assay.report.html.report_page import report_page
from assay.report.html.reproduce_commands import VerdictOrigin
from hostile_report import EVIL, hostile_report
from synthetic_run import RUN, judged


class Elements(HTMLParser):
    """Every tag and attribute of a page, and the text of its data."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "chart_script", lambda: "")


def test_no_text_of_a_candidate_becomes_markup(no_library: None) -> None:
    page = report_page(hostile_report().data(RUN, EVIL))
    plain = report_page(GatheredReport(VerdictOrigin("native")).data(RUN, "plain"))
    assert Elements(page).tags == Elements(plain).tags
    data = json.loads(re.search(r'id="report-data">(.*?)</script>', page, re.S)[1])  # type: ignore[index]
    assert data["verdicts"][0]["name"] == EVIL == data["verdicts"][0]["sources"][0]["path"]
    assert data["verdicts"][0]["evidence"][0]["line"] == 1


def test_the_file_loads_nothing_and_runs_only_its_own_scripts(no_library: None) -> None:
    elements = Elements(report_page(hostile_report().data(RUN, "a")))
    assert not {"src", "data", "poster", "action"} & {name for name, _ in elements.attributes}
    assert "link" not in elements.tags and "iframe" not in elements.tags
    (policy,) = [str(value) for _, value in elements.attributes if "default-src" in str(value)]
    assert "default-src 'none'" in policy and "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.partition("style-src")[0]
    assert policy.count("'sha256-") == 2


def test_a_mark_inside_a_part_is_no_mark(no_library: None) -> None:
    page = report_page(GatheredReport(VerdictOrigin("native")).data(RUN, "{{pages}} {{data}}"))
    assert page.count("{{pages}} {{data}}") == 2  # the title, in the head and in the data
    assert "function route()" in page


def test_without_the_charting_package_the_page_says_how_to_get_it(no_library: None) -> None:
    page = report_page(GatheredReport(VerdictOrigin("native")).data(RUN, "a"))
    assert "kernel-assay[report]" in page


def test_a_page_of_plain_charts_holds_no_charting_script() -> None:
    page = report_page(GatheredReport(VerdictOrigin("native")).data(RUN, "a"), plain_charts=True)
    assert 'id="library"></script>' in page
    assert "was asked not to hold" in page and "kernel-assay[report]" not in page


def test_what_most_workloads_say_is_written_once(no_library: None) -> None:
    data = of_run(RUN, judged(tasks=1, rounds=1, workloads=4), "RUN")
    page = report_page(data)
    found = json.loads(re.search(r'id="report-data">(.*?)</script>', page, re.S)[1])  # type: ignore[index]
    rows = [row for one in found["verdicts"] for row in one.get("workloads", ())]
    whole = [row.model_dump() for one in data.verdicts for row in one.workloads]
    assert rows and len(rows) == len(whole)
    assert [{"budget_used": None, **found["usual_workload"], **row} for row in rows] == whole
    assert all(row["sizes"] in found["shapes"] for row in rows)


def test_the_charting_script_is_embedded_once_with_its_licence() -> None:
    script = chart_script()
    if not script:
        pytest.skip("plotly is not installed: pip install 'kernel-assay[report]'")
    page = report_page(GatheredReport(VerdictOrigin("native")).data(RUN, "a"))
    assert page.count(script[:200]) == 1 and "MIT" in script[:200]
