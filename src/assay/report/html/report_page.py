"""The file itself: page, style, scripts and data put together.

The rule: the file loads nothing. Its content security policy lets only the scripts that stand in it
run, by their hashes, so that no text of a candidate can become one.
"""

from __future__ import annotations

import html
from importlib.resources import files

from assay.report.html.chart_library import INSTALL, chart_script
from assay.report.html.report_data import ReportData, usual_workload
from assay.report.html.safe_script import json_element, policy_hash, script_element

_SCRIPTS = (
    "dom.js",
    "tables.js",
    "charts.js",
    "plain_charts.js",
    "cheats.js",
    "overview.js",
    "groups.js",
    "verdict.js",
    "compare.js",
    "claims.js",
    "search.js",
    "router.js",
)


_NOT_INSTALLED = (
    "No chart: it needs plotly, which is not installed where the report was written. To get it: "
)
_LEFT_OUT = "No chart: it needs the charting script, which this file was asked not to hold."


def report_page(data: ReportData, plain_charts: bool = False) -> str:
    """The HTML of one report; with `plain_charts` it holds no charting script."""
    charts = "" if plain_charts else chart_script()
    library = script_element(charts)
    pages = script_element('"use strict";\n' + "\n".join(_part(name) for name in _SCRIPTS))
    allowed = " ".join(policy_hash(script) for script in (library, pages))
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    content = data.model_dump(mode="json", exclude_defaults=True)
    without = _LEFT_OUT if plain_charts else _NOT_INSTALLED + INSTALL
    content |= {"charts": "" if charts else without, "usual_workload": usual_workload()}
    parts = {
        "title": html.escape(data.title),
        "policy": html.escape(policy),
        "style": _part("style.css"),
        "data": json_element(content),
        "library": library,
        "pages": pages,
    }
    return _filled(_part("page.html"), parts)


def _filled(page: str, parts: dict[str, str]) -> str:
    """The page with its marks replaced, each once and in one pass: a part is never searched."""
    pieces = []
    for name in parts:
        before, mark, page = page.partition("{{" + name + "}}")
        if not mark:
            raise ValueError(f"page.html has no mark for {name}, or not in this order")
        pieces += [before, parts[name]]
    return "".join([*pieces, page])


def _part(name: str) -> str:
    return (files("assay.report.html") / name).read_text(encoding="utf-8")
