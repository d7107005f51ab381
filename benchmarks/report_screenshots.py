"""Pictures of an HTML report, for the pages of `docs`.

    python benchmarks/report_screenshots.py REPORT.html PREFIX [overview dark phone ...]

writes PREFIX_overview.png and so on. Needs Chromium and `pip install 'kernel-assay[browser]'`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import report_browser

SCROLL = """title => {
    const heads = [...document.querySelectorAll("h2")];
    heads.find((one) => one.textContent === title).scrollIntoView();
}"""


@dataclass(frozen=True)
class Picture:
    """One page of the report, as it is shown."""

    route: str = "#/"
    width: int = 1280
    height: int = 900
    dark: bool = False
    from_heading: str = ""  # scroll to this section first


PICTURES = {
    "overview": Picture(height=1500),
    "dark": Picture(dark=True, height=900),
    "phone": Picture(route="#/leaderboard", width=390, height=780),
    "phone_overview": Picture(width=390, height=780),
    "leaderboard": Picture(route="#/leaderboard"),
    "verdict": Picture(route="#/verdict/0", height=1300),
    "compare": Picture(route="#/compare", height=1300),
    "cheats": Picture(height=900, from_heading="Cheats"),
    "phone_cheats": Picture(width=390, height=780, from_heading="Cheats"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("prefix")
    parser.add_argument("names", nargs="*", default=["overview", "dark", "phone"])
    flags = parser.parse_args()
    if reason := report_browser.missing():
        print(f"no pictures: {reason}", file=sys.stderr)
        return 2
    with report_browser.launched() as browser:
        for name in flags.names:
            take(browser, flags.report.resolve(), PICTURES[name], f"{flags.prefix}_{name}.png")
    return 0


def take(browser: object, report: Path, picture: Picture, target: str) -> None:
    with report_browser.opened(browser, report, picture.width, picture.dark) as shown:
        shown.page.set_viewport_size({"width": picture.width, "height": picture.height})
        shown.go(picture.route)
        shown.page.wait_for_timeout(3000)  # the charting script is loaded after the page
        shown.page.evaluate("drawAll()")
        shown.page.wait_for_timeout(1000)
        if picture.from_heading:
            shown.page.evaluate(SCROLL, picture.from_heading)
            shown.page.wait_for_timeout(200)
        shown.page.screenshot(path=target)
        print(f"{target}: {'; '.join(shown.complaints) or 'nothing complains'}")


if __name__ == "__main__":
    sys.exit(main())
