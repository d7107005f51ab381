"""What `--ablate` asks for, and what it refuses."""

from __future__ import annotations

import pytest

from assay.data.generation.search_plan import FeedbackShown
from assay.errors import UsageError
from assay.workbench.ablations.ablation_request import ablation_request
from workbench.scripted_search import plan_of


def test_values_without_a_kind_belong_to_the_one_before() -> None:
    found = ablation_request("context=profile,limits,feedback=none,prompt=short")
    assert (found.context, found.feedback) == (("profile", "limits"), ("none",))
    variants = found.variants(plan_of())
    assert [one.words for one in variants] == [
        "context profile",
        "context limits",
        "feedback",
        "prompt other than short",
    ]
    assert variants[0].plan.without_context == ("profile",)
    assert variants[2].plan.feedback is FeedbackShown.NONE
    assert variants[3].plan.generators[0].options == {"prompt": "short"}
    assert variants[3].plan.without_context == ()  # one thing at a time


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("profile", "none of"),
        ("colour=red", "none of"),
        ("context=moods", "known are"),
        ("feedback=full", "known are"),
        ("checks=ablation,context=limits", "goes with nothing else"),
    ],
)
def test_what_nobody_knows_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        ablation_request(text)
