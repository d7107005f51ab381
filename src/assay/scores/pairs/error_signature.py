"""Error signatures: an error without what differs from run to run.

The rule: paths, numbers, addresses, quoted names and white space are replaced, so that the same
mistake on another shape, in another folder or under another name has the same signature. Of a
Python traceback the last exception counts; warnings are no error.
"""

from __future__ import annotations

import re

from assay.data.candidate import ClaimedResult
from assay.data.evidence import Evidence, Severity
from assay.data.record import content_id
from assay.data.scoring.pairs import ErrorSignature
from assay.data.verdict import Status, Verdict

_MOST_WORDS = 240  # characters of the normalised words
_MOST_TEXT = 4000  # characters kept of what was said
_EXCEPTION = re.compile(r"^\s*((?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*)$")
_NOISE = re.compile(r"Warning\b|^\s*[~^]+\s*$|^\s*$")
_REPLACED = (
    (re.compile(r"0x[0-9a-fA-F]+"), "<address>"),
    (re.compile(r"(?:[\w.~-]*/)+[\w.+-]+(?::\d+)*"), "<path>"),
    (re.compile(r"(['\"`])(?:(?!\1).){1,80}\1"), "<name>"),
    (re.compile(r"[-+]?(?<![A-Za-z_])\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"), "<n>"),
    (re.compile(r"\[\s*(?:<n>|<name>)(?:\s*,\s*(?:<n>|<name>))*\s*,?\s*\]"), "<list>"),
    (re.compile(r"\(\s*<n>(?:\s*,\s*<n>)*\s*,?\s*\)"), "<list>"),
    (re.compile(r"\s+"), " "),
)


def normalised(text: str) -> str:
    """The line that says what went wrong, with everything incidental replaced."""
    found = _telling_line(text)
    for pattern, word in _REPLACED:
        found = pattern.sub(word, found)
    return found.strip()[:_MOST_WORDS]


def _telling_line(text: str) -> str:
    """The last exception, else the last line that is neither a warning nor a marker."""
    lines = text.splitlines()
    raised = [match[1] for line in lines if (match := _EXCEPTION.match(line))]
    if raised:
        return str(raised[-1])
    kept = [
        line
        for before, line in zip(["", *lines], lines, strict=False)
        if not _NOISE.search(line) and "Warning" not in before  # the line below quotes the source
    ]
    return kept[-1] if kept else ""


def signature(stage: str, text: str) -> ErrorSignature:
    """The signature of one error."""
    words = normalised(text)
    return ErrorSignature(
        id=content_id(stage, words), stage=stage, words=words, text=text.strip()[-_MOST_TEXT:]
    )


def of_verdict(verdict: Verdict) -> ErrorSignature | None:
    """By the first evidence that convicts, else by the reason; None where it is accepted."""
    if verdict.status is Status.ACCEPTED:
        return None
    found = _convicting(verdict)
    if found is None:
        return signature(verdict.status.value, verdict.reason)
    return signature(f"{verdict.status.value}/{found.kind.value}", found.text)


def of_claim(claimed: ClaimedResult) -> ErrorSignature | None:
    """What a source says of a failure; None where it says that there was none."""
    if claimed.works is not False:
        return None
    stage = "did_not_run" if claimed.ran is False else "wrong_result"
    return signature(f"claimed/{stage}", claimed.error)


def _convicting(verdict: Verdict) -> Evidence | None:
    return next((one for one in verdict.evidence if one.severity is Severity.CONVICTS), None)
