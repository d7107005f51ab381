"""How large is a report of many candidates, and how soon does it open?

    python benchmarks/report_size.py [--tasks 25] [--rounds 4] [--workloads 20] [--keep FILE.html]

A made-up run (three generators) is written as one HTML file: 300 candidates of 20 workloads by
default. Prints the size of the file and of its parts, the time to write it and, where a browser is
installed, the time from opening it until the overview is there, and until the overview's first
chart is drawn, which a reader who scrolls down at once sees. Exits with 1 where the file is larger
than 15 MB, or the overview takes more than two seconds; the charting script runs after it, and its
time is printed alone.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import report_browser
from assay.report.html.chart_library import chart_script
from assay.report.html.gathered_report import of_run
from assay.report.html.report_page import report_page
from synthetic_run import RUN, judged

MOST_BYTES = 15e6
MOST_MS = 2000.0
TO_CHART = """() => document.querySelector(".chart").scrollIntoView()"""
SEEN = """() => document.querySelector(".chart").querySelector("svg") !== null"""
MARKS = "name => performance.getEntriesByName(name).at(-1).startTime"


def main() -> int:
    flags = parsed_flags()
    with tempfile.TemporaryDirectory() as folder:
        path = flags.keep or Path(folder) / "report.html"
        began = time.perf_counter()
        data = of_run(RUN, judged(flags.tasks, flags.rounds, flags.workloads), "RUN")
        page = report_page(data)
        path.write_text(page, encoding="utf-8")
        took = time.perf_counter() - began
        size = path.stat().st_size
        library = len(chart_script().encode())
        what = f"{len(data.verdicts)} candidates x {flags.workloads} workloads"
        print(f"{what}, written in {took:.1f} s")
        print(f"{size / 1e6:.2f} MB, of which plotly {library / 1e6:.2f} MB")
        opening = opening_ms(path.resolve())
    if not opening:
        print(f"not opened: {report_browser.missing()}")
    else:
        there, drawn = (statistics.median(column) for column in zip(*opening, strict=True))
        print(f"opens in {there:.0f} ms, its first chart in {drawn:.0f} ms (medians of five)")
    return 1 if size > MOST_BYTES or (opening and there > MOST_MS) else 0


def opening_ms(path: Path) -> list[tuple[float, float]]:
    """From the start of the navigation to the overview, and to its first chart."""
    times: list[tuple[float, float]] = []
    for _ in range(0 if report_browser.missing() else 5):
        with report_browser.launched() as browser, report_browser.opened(browser, path) as report:
            report.page.evaluate(TO_CHART)
            report.page.wait_for_function(SEEN, timeout=20000)
            there, drawn = (report.page.evaluate(MARKS, name) for name in ("page", "chart"))
            times.append((float(there), float(drawn)))
    return times


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--workloads", type=int, default=20)
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
