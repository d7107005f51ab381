"""The one line of what was printed that says what went wrong, in a build or before a crash.

The rule: a compiler's first error, else the exception that ended the build and its cause, else the
last line. The last line alone would be a caret under quoted source after most compile errors. Of a
process that ended it is what the runtime says as it gives up, else the last two lines. What Python
warns of in passing is no part of an error, though it is printed behind it.
"""

from __future__ import annotations

import re

_COMPILER = re.compile(r"\S.*?(?:\b(?:fatal )?error: |\): error|undefined reference to )")
_FRAME = '  File "'
_WARNING = re.compile(r"\S*:\d+: \w*Warning: ")
_EXCEPTION = re.compile(r"[\w.]+(?:Error|Exception): ")
_FATAL = re.compile(r"terminate called|\s*what\(\): |.*\bAssertion\b.* failed|Fatal Python error")
_TOLD = 2  # lines of a process that ended
_STAGE = "Failed in "  # which part of a compiler gave up, not why


def failure_line(text: str) -> str:
    """One line of `text`; where an exception goes on below its first line, two of them."""
    lines = _without_warnings([line for line in text.splitlines() if line.strip()])
    if not lines:
        return "no message"
    refused = next((line for line in lines if _COMPILER.match(line)), None)
    if refused is not None:
        return refused
    if _EXCEPTION.match(lines[0]):
        return _with_cause(lines)
    frames = [number for number, line in enumerate(lines) if line.startswith(_FRAME)]
    below = lines[frames[-1] + 1 :] if frames else []
    raised = next((n for n, line in enumerate(below) if not line[0].isspace()), None)
    if raised is None:
        named = [line for line in lines if _EXCEPTION.match(line)]
        return (named or lines)[-1].strip()
    return " ".join(line.strip() for line in below[raised : raised + 2])


def last_words(text: str) -> str:
    """What a process printed of its end; empty where it printed nothing."""
    lines = _without_warnings([line for line in text.splitlines() if line.strip()])
    fatal = next((number for number, line in enumerate(lines) if _FATAL.match(line)), None)
    told = lines[-_TOLD:] if fatal is None else lines[fatal : fatal + _TOLD]
    return " ".join(line.strip() for line in told)


def _without_warnings(lines: list[str]) -> list[str]:
    """Neither them nor the source line that is quoted below each; all of them where all are."""
    kept = [
        line
        for before, line in zip(("", *lines), lines, strict=False)
        if not (_WARNING.match(line) or (_WARNING.match(before) and line[0].isspace()))
    ]
    return kept or lines


def _with_cause(lines: list[str]) -> str:
    """A message that begins with its exception, and the first line below that gives a cause."""
    below = next((line for line in lines[1:] if not line.startswith(_STAGE)), "")
    return f"{lines[0].strip()} {below.strip()}".rstrip()
