"""A real browser that opens a report from disk, and what it saw.

The rule: the browser reaches no network. What the page complains of is kept, not printed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")


def missing() -> str:
    """Why there is no browser; empty where there is one."""
    if find_spec("playwright") is None:
        return "playwright is not installed: pip install 'kernel-assay[browser]'"
    return "" if _executable() else f"none of these is installed: {', '.join(NAMES)}"


def _executable() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@dataclass
class OpenReport:
    """A page with everything that went wrong in it."""

    page: Any
    path: Path
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)  # of anything but the file itself

    def go(self, route: str) -> None:
        """Open a page of the report, and wait for its charts."""
        self.page.evaluate("route => { location.hash = route; }", route)
        self.page.wait_for_timeout(60)

    def links(self) -> list[str]:
        """Every internal link of the page that is open."""
        found = self.page.eval_on_selector_all("a", "all => all.map(a => a.getAttribute('href'))")
        return [str(one) for one in found if str(one).startswith("#/")]


@contextmanager
def launched() -> Iterator[Any]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=_executable(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Any, path: Path, width: int = 1280, dark: bool = False) -> Iterator[OpenReport]:
    """The report at `path`, open in a window of this width."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    report = OpenReport(page, path)
    page.on("console", lambda said: report.complaints.append(f"{said.type}: {said.text}"))
    page.on("pageerror", lambda error: report.complaints.append(f"error: {error}"))
    page.on("request", lambda asked: _note(report, asked.url))
    page.goto(path.as_uri())
    try:
        yield report
    finally:
        context.close()


def _note(report: OpenReport, url: str) -> None:
    if not url.startswith((report.path.as_uri(), "blob:", "data:")):
        report.requests.append(url)
