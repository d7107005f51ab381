"""A report in Markdown, short enough for a pull request.

The rule: counts first, each with its denominator; then one row a candidate. Text of a candidate
stands in the page as text: whatever Markdown or HTML would read as markup is escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from assay.data.candidate import ClaimedResult
from assay.data.verdict import Status
from assay.report.html.report_data import ReportData, ReportVerdict

_ROWS = 200  # more do not fit a comment
_REASON = 160
_MARKUP = re.compile(r"[\\`*_{}\[\]()#+!|~<>&@$]|(?<=\w):(?=//)|(?<=\bwww)\.")


def markdown_report(data: ReportData) -> str:
    """The summary, the counts by task, and the candidates."""
    lines = [f"### {plain_text(data.title)}", "", _summary(data), ""]
    lines += _table(["task", "candidates", "accepted", "dishonest", "incorrect"], _tasks(data))
    shown = sorted(data.verdicts, key=_accepted_last)[:_ROWS]
    lines += ["", "<details><summary>Candidates</summary>", ""]
    lines += _table(["candidate", "task", "status", "speedup", "reason"], map(_row, shown))
    if len(data.verdicts) > _ROWS:
        lines.append(f"\n{len(data.verdicts) - _ROWS} more candidates are not shown.")
    return "\n".join([*lines, "", "</details>", *_claimed(data), ""])


def _summary(data: ReportData) -> str:
    counts = Counter(verdict.status for verdict in data.verdicts)
    total = counts.total()
    said = [f"{counts[status]} of {total} {status}" for status in data.statuses if counts[status]]
    if counts["open"]:
        said.append(f"{counts['open']} of {total} not judged yet")
    how = f"level {data.level}, track {data.track}, device {data.device}, Assay {data.assay}"
    return f"**{', '.join(said)}** ({plain_text(how)})"


def _tasks(data: ReportData) -> Iterable[list[str]]:
    for task in data.tasks:
        rows = [verdict for verdict in data.verdicts if verdict.task == task.id]
        counts = Counter(verdict.status for verdict in rows)
        known = (Status.ACCEPTED, Status.DISHONEST, Status.INCORRECT)
        cells = [f"{counts[status.value]} of {len(rows)}" for status in known]
        yield [plain_text(task.id), str(len(rows)), *cells]


def _claimed(data: ReportData) -> list[str]:
    """What the sources of imported candidates say of them; nothing where none is imported."""
    found = [(one, one.provenance.claimed) for one in data.verdicts]
    claims = [(one, said) for one, said in found if said is not None]
    if not claims:
        return []
    rows = (_claim(one, said) for one, said in claims[:_ROWS])
    counted = f"{len(claims)} of {len(data.verdicts)} candidates come with claims of their source"
    lines = ["", *(f"{plain_text(words)}.\n" for words in data.claimed_gains)]
    lines += [f"<details><summary>Claimed by others</summary>\n\n{counted}.", ""]
    titles = ["candidate", "task", "source", "claimed correct", "claimed speedup", "status here"]
    lines += _table(titles, rows)
    if len(claims) > _ROWS:
        lines.append(f"\n{len(claims) - _ROWS} more claims are not shown.")
    return [*lines, "", "</details>"]


def _claim(verdict: ReportVerdict, said: ClaimedResult) -> list[str]:
    correct = "not said" if said.correct is None else "yes" if said.correct else "no"
    speed = "not said" if said.speedup is None else f"{said.speedup:.2f}x"
    cells = [verdict.name, verdict.task, said.source, correct, speed, verdict.status]
    return [plain_text(cell) for cell in cells]


def _row(verdict: ReportVerdict) -> list[str]:
    reason = verdict.reason
    short = reason if len(reason) <= _REASON else reason[: _REASON - 3] + "..."
    cells = [verdict.name, verdict.task, verdict.status, _speed(verdict), short]
    return [plain_text(cell) for cell in cells]


def _speed(verdict: ReportVerdict) -> str:
    if not verdict.timing:
        return "-"
    first = verdict.timing[0]
    return f"{first.speedup:.2f}x [{first.speedup_low:.2f} {first.speedup_high:.2f}]"


def _accepted_last(verdict: ReportVerdict) -> bool:
    return verdict.status == Status.ACCEPTED.value


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [titles, ["---"] * len(titles), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def plain_text(text: str) -> str:
    """One line in which no character has a meaning, and none is unseen."""
    seen = (one if one.isprintable() else f"U+{ord(one):04X}" for one in " ".join(text.split()))
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", "".join(seen))
