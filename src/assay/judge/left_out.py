"""What a level leaves out, in words.

The rule: nothing that a level does not ask is taken as answered. A verdict of a short level lists
what was not asked, so that `accepted` is never read as more than it is.
"""

from __future__ import annotations

from assay.data.settings import Level, Settings

_FROM_STANDARD = (
    "repeated calls: the same question hundreds of times, where a race shows",
    "metamorphic relations between calls",
    "calls from many threads at once",
)
_FROM_QUICK = (
    "most shapes, layouts, values and dtypes: three workloads were drawn beside the own one",
    "sizes, values and counts that the candidate's compiled objects name",
    "repeated content: whether a question that was asked before is answered faster",
    "weights of other scales, weights that change in one entry, a second instance",
)
_LEFT_OUT = {
    Level.SMOKE: (*_FROM_QUICK, *_FROM_STANDARD),
    Level.QUICK: _FROM_STANDARD,
    Level.STANDARD: (),
    Level.FULL: (),
}


def left_out(settings: Settings) -> tuple[str, ...]:
    """What was not asked, by the level; checks and the speed where they were switched off."""
    untimed = () if settings.timing else ("speed",)
    checks = tuple(f"the check {name}, on request" for name in settings.without_checks)
    return (*checks, *_LEFT_OUT[settings.level], *untimed)


def acceptance(settings: Settings, text: str) -> str:
    """The sentence of an accepted candidate; it begins with what makes it less than it seems."""
    if settings.without_checks:
        return f"accepted without the checks {', '.join(settings.without_checks)}: {text}"
    if settings.level is Level.SMOKE:
        return f"accepted at level {settings.level.value}: {text}"
    return text
