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
    """What was not asked, by the level alone; the speed too where it was not measured."""
    untimed = () if settings.timing else ("speed",)
    return (*_LEFT_OUT[settings.level], *untimed)


def acceptance(level: Level, text: str) -> str:
    """The sentence of an accepted candidate; of the shortest level it begins with the level."""
    return f"accepted at level {level.value}: {text}" if level is Level.SMOKE else text
