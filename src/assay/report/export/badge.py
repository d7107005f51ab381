"""A badge: how many candidates were accepted, as a small SVG picture for a README.

The rule: the denominator is always there, and no text of a candidate is in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from assay.data.verdict import Status
from assay.report.html.report_data import ReportVerdict

_LETTER = 6.6  # width of a letter at 11 px
_PADDING = 12
_COLOURS = {True: "#2a7d3f", False: "#a8322d"}


def badge(verdicts: Sequence[ReportVerdict]) -> str:
    """`assay | 7 of 18 accepted`; of one candidate its status."""
    accepted = sum(verdict.status == Status.ACCEPTED.value for verdict in verdicts)
    said = f"{accepted} of {len(verdicts)} accepted"
    if len(verdicts) == 1:
        said = verdicts[0].status.replace("_", " ")
    return _picture("assay", said, _COLOURS[accepted == len(verdicts) > 0])


def _picture(name: str, said: str, colour: str) -> str:
    left, right = (round(len(text) * _LETTER + _PADDING) for text in (name, said))
    text = 'fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{escape(name)}: {escape(said)}">'
        f"<title>{escape(name)}: {escape(said)}</title>"
        f'<rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        f'<g {text} text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">{escape(name)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape(said)}</text></g></svg>\n'
    )
