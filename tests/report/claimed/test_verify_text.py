"""What a verified bundle shows, in words."""

from __future__ import annotations

import pytest

from assay.data.published.bundle import Agreement, Manifest, MeasuredAgain, VerifiedEntry
from assay.data.verdict import Status
from assay.report.claimed.verify_text import verified_summary

SAME, DIFFERS, UNKNOWN = Agreement.SAME, Agreement.DIFFERS, Agreement.UNKNOWN


@pytest.mark.parametrize(
    ("speeds", "words"),
    [
        ((UNKNOWN, UNKNOWN), "2 of 2 verdicts agree, no speed was compared"),
        ((SAME, UNKNOWN), "2 of 2 verdicts and 1 of 1 compared speeds agree"),
        ((SAME, DIFFERS), "2 of 2 verdicts and 1 of 2 compared speeds agree"),
    ],
)
def test_a_speed_that_was_not_compared_does_not_disagree(
    speeds: tuple[Agreement, ...], words: str
) -> None:
    found = [
        VerifiedEntry.model_construct(
            verdict=SAME,
            measured=MeasuredAgain(status=Status.ACCEPTED, verdict=SAME, speed=speed),
        )
        for speed in speeds
    ]
    manifest = Manifest.model_construct(run="run", assay="0.1.0")
    assert f"measured again: {words}" in verified_summary(found, manifest, "id").plain
