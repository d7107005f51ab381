"""Feedback: what a generator may be told of a candidate, in few words.

The rule: nothing is said that a verdict does not print to its user. The plan with its secret, the
list of workloads and the paths of the judge are never read here.
"""

from __future__ import annotations

from assay.data.evidence import Evidence, Severity
from assay.data.generation.search_plan import FeedbackShown
from assay.data.verdict import Verdict

_MOST_TEXT = 300  # characters of one sentence
_MOST_EVIDENCE = 2


def feedback_of(verdict: Verdict, shown: FeedbackShown = FeedbackShown.FULL) -> str:
    """Status and reason, the heaviest evidence, how it is wrong, and how far it is from limits."""
    if shown is FeedbackShown.NONE:
        return ""
    if shown is FeedbackShown.STATUS:
        return verdict.status.value
    lines = [f"{verdict.status.value}: {short(verdict.reason)}"]
    lines += [
        f"{one.kind.value}: {short(_placed(one))}"
        for one in _heaviest(verdict)
        if one.text not in verdict.reason
    ]
    lines += [part for part in (explanation_text(verdict), speed_text(verdict)) if part]
    return "\n".join(lines)


def explanation_text(verdict: Verdict) -> str:
    """How a wrong candidate is wrong; empty where nobody asked for it."""
    found = verdict.explanation
    if found is None:
        return ""
    worst = [f"{list(one.index)}: expected {one.expected}, got {one.got}" for one in found.worst]
    conditions = [f"fails {text}" for text in found.failure_conditions]
    parts = [f"how it is wrong: {found.pattern.value}, {found.text}", *conditions, *worst[:2]]
    return "; ".join(short(part) for part in parts)


def speed_text(verdict: Verdict) -> str:
    """Its speed against the first baseline; empty where it was not measured."""
    if not verdict.timing:
        return ""
    one = verdict.timing[0]
    text = (
        f"speed: {one.speedup:.3g}x {one.baseline} [{one.speedup_low:.3g}, {one.speedup_high:.3g}]"
        f", {one.candidate_us:.4g} us against {one.baseline_us:.4g} us"
    )
    return text + (", launch-bound" if one.launch_bound else "")


def short(text: str) -> str:
    """One line, cut where it is long: some of it may be the candidate's own text."""
    whole = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return whole if len(whole) <= _MOST_TEXT else whole[: _MOST_TEXT - 3] + "..."


def _heaviest(verdict: Verdict) -> list[Evidence]:
    """What speaks against it; verdicts have it first."""
    against = [one for one in verdict.evidence if one.severity is not Severity.NOTE]
    return against[:_MOST_EVIDENCE]


def _placed(one: Evidence) -> str:
    return f"{one.text} ({one.where})" if one.where else one.text
