"""A bundle verified, on a terminal: one line a candidate, and what all of it shows."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from assay.data.published.bundle import Agreement, Manifest, MeasuredAgain, VerifiedEntry

_COLOURS = {Agreement.SAME: "green", Agreement.DIFFERS: "red", Agreement.UNKNOWN: "yellow"}


def verified_line(one: VerifiedEntry) -> Text:
    """`same  softmax  kernel.py: accepted`, and what differs."""
    line = Text(f"{one.verdict.value:<8}", style=_COLOURS[one.verdict])
    was = one.stored.value if one.stored else "not judged"
    now = f" -> {one.judged.value}" if one.judged and one.judged != one.stored else ""
    text = f" {one.task}  {one.candidate}: {was}{now}"
    if one.differs:
        text += f"; these differ: {', '.join(one.differs)}"
    text += f"; {one.why}" if one.why else ""
    line.append(text, style="default")
    if one.measured is not None:
        line.append(f"\n         measured again: {_again(one.measured)}", style="default")
    return line


def _again(again: MeasuredAgain) -> str:
    said = [f"{again.status.value} (verdict {again.verdict.value}, speed {again.speed.value})"]
    if again.after is not None:
        speed = again.after
        said.append(f"{speed.speedup:.2f}x [{speed.speedup_low:.2f} {speed.speedup_high:.2f}]")
    return ", ".join([*said, again.why] if again.why else said)


def verified_summary(found: Sequence[VerifiedEntry], manifest: Manifest, bundle_id: str) -> Text:
    """Counts with denominators."""
    total = len(found)
    same = sum(one.verdict is Agreement.SAME for one in found)
    differs = sum(one.verdict is Agreement.DIFFERS for one in found)
    text = f"{same} of {total} verdicts follow from what was seen, {differs} differ"
    if unknown := total - same - differs:
        text += f", {unknown} not judged"
    again = [one.measured for one in found if one.measured]
    if again:
        verdicts = sum(one.verdict is Agreement.SAME for one in again)
        text += f"; measured again: {verdicts} of {len(again)} verdicts{_speeds(again)}"
    return Text(f"{text}\nrun {manifest.run}, Assay {manifest.assay}, id {bundle_id}", style="bold")


def _speeds(again: Sequence[MeasuredAgain]) -> str:
    """A speed that was not measured on both sides neither agrees nor differs."""
    known = [one for one in again if one.speed is not Agreement.UNKNOWN]
    if not known:
        return " agree, no speed was compared"
    same = sum(one.speed is Agreement.SAME for one in known)
    return f" and {same} of {len(known)} compared speeds agree"
