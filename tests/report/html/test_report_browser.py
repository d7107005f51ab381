"""The report in a real browser: nothing complains, charts are drawn, links lead somewhere.

Skipped with the reason where no browser is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import report_browser
from assay.data.candidate import ClaimedResult, Provenance
from assay.data.published.recheck import Claim, ClaimFinding, ClaimMark, Recheck
from assay.data.run import Entry
from assay.report.html import report_page as page_module
from assay.report.html.chart_library import script_path
from assay.report.html.gathered_report import GatheredReport, claims_alone, of_run
from assay.report.html.report_page import report_page
from assay.report.html.reproduce_commands import VerdictOrigin
from hostile_report import EVIL, hostile_report
from report_browser import opened
from sample_records import TASK, candidate
from synthetic_run import RUN, judged

pytestmark = [
    pytest.mark.skipif(bool(report_browser.missing()), reason=report_browser.missing() or "-"),
    pytest.mark.skipif(script_path() is None, reason="plotly is not installed"),
]
ROUTES = ("#/", "#/verdicts", "#/tasks", "#/leaderboard", "#/compare", "#/verdict/0")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with report_browser.launched() as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_page(of_run(RUN, judged(tasks=2, rounds=2, workloads=4), "RUN")))
    return path


LEADS = """hash => {
    const [page, ...given] = hash.replace(/^#[/]/, "").split("/").map(decoded);
    const found = Object.hasOwn(PAGES, page) && PAGES[page](...given) !== null;
    pendingCharts = [];
    return found;
}"""


def test_every_page_opens_and_every_link_leads_to_one(browser: Any, report: Path) -> None:
    with opened(browser, report) as shown:
        found = set[str]()
        for route in (*ROUTES, "#/task/task_01", "#/generator/searcher%201"):
            shown.go(route)
            title = shown.page.inner_text("h1")
            assert title and "no such page" not in title, route
            shown.page.evaluate("drawAll()")
            found |= set(shown.links())
        assert len(found) > 20
        assert [one for one in sorted(found) if not shown.page.evaluate(LEADS, one)] == []
        assert not shown.page.evaluate(LEADS, "#/task/none")
        shown.go("#/no/such")
        assert "no such page" in shown.page.inner_text("h1")
    assert shown.complaints == [] and shown.requests == []


def claimed(entry: int | None) -> Recheck:
    finding = ClaimFinding(mark=ClaimMark.IMPOSSIBLE, text=EVIL)
    claim = Claim(number=1, where="a.csv:2", candidate=EVIL, speedup=120.0, bytes_per_s=8.4e13)
    return Recheck(claim=claim, mark=finding.mark, reason=EVIL, findings=(finding,), entry=entry)


def test_claims_are_the_first_page_of_a_recheck(browser: Any, tmp_path: Path) -> None:
    judged_too = of_run(RUN, judged(tasks=1, rounds=1, workloads=2), "RUN")
    judged_too = judged_too.model_copy(update={"claims": (claimed(0), claimed(None))})
    figures_only = claims_alone(RUN, [claimed(None)], "Claims")
    for data, pages in ((judged_too, 6), (figures_only, 1)):
        path = tmp_path / f"{pages}.html"
        path.write_text(report_page(data))
        with opened(browser, path) as shown:
            assert "impossible" in shown.page.inner_text("main")
            assert len(shown.page.query_selector_all("#nav a")) == pages
            assert "84000 GB/s" in shown.page.inner_text("table")
            if pages > 1:
                assert "#/verdict/0" in shown.links()
                shown.go("#/overview")
                assert "Only accepted counts" in shown.page.inner_text("main")
        assert shown.complaints == [] and shown.requests == []


def test_the_overview_names_each_cheat_and_its_line(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "cheats.html"
    path.write_text(report_page(hostile_report().data(RUN, "cheats")))
    with opened(browser, path) as shown:
        shown.page.evaluate("VERDICTS[0].honest = 'no'")
        shown.page.evaluate("document.getElementById('main').replaceChildren(cheatSection())")
        row = shown.page.locator(".cheats tbody tr").first
        assert "1 of" in shown.page.inner_text(".cheats caption")
        assert row.locator(".chip").count() >= 1
        row.locator("a:has-text('line')").click()
        shown.page.wait_for_selector(".code .shown")
        assert "convicts" in (shown.page.locator(".code .shown").get_attribute("class") or "")
    assert shown.complaints == []


OUTSIDE = """() => [...document.querySelectorAll(".cheats td, .cheats td *")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth)
    .map((one) => one.textContent)"""


def test_a_phone_shows_who_cheated_how_and_where(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "cheats.html"
    path.write_text(report_page(hostile_report().data(RUN, "cheats"), plain_charts=True))
    with opened(browser, path, width=390) as shown:
        shown.page.evaluate("VERDICTS[0].honest = 'no'")
        shown.page.evaluate("VERDICTS[0].sources[0].text += 'y'.repeat(200)")
        shown.page.evaluate("document.getElementById('main').replaceChildren(cheatSection())")
        assert shown.page.locator(".cheats td").count() == 4
        assert shown.page.evaluate(OUTSIDE) == []


def test_imported_claims_stand_beside_the_own_status(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "chart_script", lambda: "")  # 4.8 MB that it does not need
    said = ClaimedResult(source=EVIL, correct=False, speedup=3.5)
    report = GatheredReport(VerdictOrigin("claimed"))
    for number, claim in enumerate((said, None)):
        made = candidate(f"{number}.py", f"x = {number}")
        made = made.model_copy(update={"provenance": Provenance(claimed=claim)})
        report.add(Entry(number=number, task=TASK, candidate=made), None)
    path = tmp_path / "imported.html"
    path.write_text(report_page(report.data(RUN, "imported")))
    with opened(browser, path) as shown:
        for route in ("#/", "#/generator/not%20stated"):
            shown.go(route)
            table = shown.page.locator("table", has_text="candidates come with claims")
            assert "1 of 2 candidates" in table.inner_text()
            cells = table.locator("tbody tr td").all_inner_texts()
            assert cells[2:] == [EVIL, "-", "no", "3.50x", "-", "open"]
        shown.go("#/")
        text = shown.page.inner_text("main")
        assert f"Claimed by {EVIL}, not judged: 1 candidates" in text
        assert "Not known: no candidate was judged." in text
    assert shown.complaints == [] and shown.requests == []


@pytest.mark.exhaustive
def test_charts_are_drawn_and_follow_the_theme(browser: Any, report: Path) -> None:
    with opened(browser, report, dark=True) as shown:
        for route in ("#/", "#/leaderboard", "#/task/task_00", accepted_route(shown)):
            shown.go(route)
            shown.page.evaluate("drawAll()")
            charts = shown.page.query_selector_all(".chart")
            assert charts and all(one.query_selector("svg") for one in charts), route
        read = "getComputedStyle(document.body).backgroundColor"
        dark = shown.page.evaluate(read)
        shown.page.keyboard.press("d")
        assert shown.page.evaluate(read) != dark
    assert shown.complaints == []


def test_plain_charts_are_drawn_without_the_charting_script(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "plain.html"
    data = of_run(RUN, judged(tasks=2, rounds=2, workloads=4), "RUN")
    path.write_text(report_page(data, plain_charts=True))
    with opened(browser, path) as shown:
        main = shown.page.locator("main")
        assert main.locator(".bars i").count() >= 2
        assert main.locator(".heat tbody tr").count() >= 2
        assert main.locator(".missing", has_text="asked not to hold").count() >= 1
        shown.go(accepted_route(shown))
        assert main.locator(".histogram i").count() >= 1
        bars = main.locator(".histogram i").evaluate_all("all => all.map(one => +one.title)")
        errors = shown.page.evaluate("VERDICTS.find(v => v.status === 'accepted').errors")
        assert sum(bars) == sum(one > 0 for one in errors)
    assert shown.complaints == [] and shown.requests == []


def accepted_route(shown: report_browser.OpenReport) -> str:
    found = "VERDICTS.find(v => v.status === 'accepted').number"
    return f"#/verdict/{shown.page.evaluate(found)}"


def test_keys_filter_and_sort_work(browser: Any, report: Path) -> None:
    with opened(browser, report) as shown:
        page = shown.page
        page.keyboard.press("v")
        page.wait_for_selector("h1:has-text('Verdicts')")
        page.keyboard.press("/")
        page.keyboard.type("searcher")
        assert page.locator("tbody tr").count() == 4
        page.click("th button:has-text('candidate')")
        names = page.locator("tbody tr td:first-child").all_inner_texts()
        assert names == sorted(names)
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("j")
        page.wait_for_function("location.hash === '#/verdict/0'")
        page.keyboard.press("j")
        page.wait_for_function("location.hash === '#/verdict/1'")
        page.keyboard.press("c")
        page.wait_for_selector("h1:has-text('Compare')")
        assert page.input_value("#first") == "0" and page.input_value("#second") == "1"
        page.keyboard.press("?")
        assert page.locator("dialog[open]").count() == 1


@pytest.mark.exhaustive
def test_nothing_is_wider_than_a_phone(browser: Any, report: Path) -> None:
    with opened(browser, report, width=390) as shown:
        shown.page.evaluate("VERDICTS[0].name = VERDICTS[0].reason = 'x'.repeat(200)")
        for route in ROUTES:
            shown.go(route)
            wide = "document.documentElement.scrollWidth - innerWidth"
            assert shown.page.evaluate(wide) <= 0, route


def test_a_candidate_called_script_is_only_text(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "evil.html"
    path.write_text(report_page(hostile_report().data(RUN, EVIL)))
    with opened(browser, path) as shown:
        dialogs: list[str] = []
        shown.page.on("dialog", lambda one: dialogs.append(one.message))
        for route in ("#/", "#/verdict/0", "#/verdicts", "#/compare", "#/task/softmax"):
            shown.go(route)
            assert shown.page.locator("img, main script").count() == 0
        turned = shown.page.evaluate("el('p', {}, 'a\\u202eb\\u0007').textContent")
        assert turned == "a\\u202eb\\u0007"
        shown.go("#/verdict/0")
        assert EVIL in shown.page.inner_text("h1 ~ p >> nth=1")
        assert shown.page.locator(".code .convicts").count() == 1
    assert dialogs == [] and shown.complaints == [] and shown.requests == []


@pytest.mark.exhaustive
def test_axe_finds_nothing_serious(browser: Any, report: Path) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="axe is not installed")
    with opened(browser, report) as shown:
        for route in ROUTES:
            shown.go(route)
            shown.page.evaluate("drawAll()")
            found = axe.Axe().run(shown.page)["violations"]
            grave = [
                (one["id"], one["nodes"][0]["html"][:120])
                for one in found
                if one["impact"] in ("serious", "critical")
            ]
            assert grave == [], route
