"""What one source claims of its rounds, in words: how many of its gains are within noise."""

from __future__ import annotations

from assay.data.scoring.score_analysis import ClaimedGains


def claimed_gains_text(found: ClaimedGains) -> str:
    """Two sentences, without a full stop at the end."""
    words = (
        f"Claimed by {found.source}, not judged: {found.candidates} candidates, {found.steps} "
        f"steps, {found.corrections} said to correct an error. {found.within_noise} of "
        f"{found.gains} claimed gains are within noise: less than {100 * found.noise:.3g} %, "
        "stated without an interval"
    )
    if found.same_source_spread is None:
        return words
    spread = f"{100 * found.same_source_spread:.3g} %"
    words += f"; {found.same_source} of the {found.gains} are between identical sources"
    return words + f", for which claims differ by up to {spread}"
