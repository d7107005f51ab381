"""Attempts, speeds and spend of a search in words."""

from __future__ import annotations

from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Budget, Spend

_FORMS = {
    "tokens": "{:,} tokens",
    "dollars": "${:.4g}",
    "seconds": "{:.0f} s",
    "trials": "{} trials",
}


def spend_text(spent: Spend, budget: Budget) -> str:
    """What was spent, beside what may be where that is limited; what is nothing is left out."""
    parts = []
    for name, form in _FORMS.items():
        value, most = getattr(spent, name), getattr(budget, name)
        if most is not None:
            parts.append(f"{form.format(value)} of {most:g}")
        elif value:
            parts.append(form.format(value))
    return ", ".join(parts) or "nothing spent"


def speed_text(attempt: Attempt) -> str:
    """Its speedup with the interval; the status where it does not count."""
    if attempt.below_limit:
        return "below the limit"
    if not attempt.accepted:
        return attempt.status or ("no candidate" if not attempt.candidate else "open")
    if attempt.speedup is None:
        return "accepted, not timed"
    low, high = attempt.speedup_low, attempt.speedup_high
    return f"{attempt.speedup:.2f}x [{low:.2f} {high:.2f}]"


def limit_text(attempt: Attempt) -> str:
    """The share of the least time that it reaches; empty where that is unknown."""
    room = attempt.headroom
    return f"{1 / room:.0%} of the limit" if room else ""


def lineage_text(attempt: Attempt, numbers: dict[str, int]) -> str:
    """`#7 optimise of #3, template-search`; `numbers` are of attempts by candidate."""
    parents = [f"#{numbers[one]}" for one in attempt.parents if one in numbers]
    of = f" of {', '.join(parents)}" if parents else ""
    return f"#{attempt.number} {attempt.move.value}{of}, {attempt.generator}"
