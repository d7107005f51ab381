"""Quirks: what a model refuses is not sent."""

from __future__ import annotations

import pytest

from assay.generators.completion.quirks import sent_params

GIVEN = {"max_tokens": 9, "temperature": 0.5, "top_p": 0.9, "seed": 1}


@pytest.mark.parametrize(
    ("api", "model", "sent"),
    [
        ("openai", "Qwen/Qwen3-8B", {"max_tokens", "temperature", "top_p", "seed"}),
        ("openai", "o3", {"max_completion_tokens", "seed"}),
        ("openai", "openai/gpt-5-mini", {"max_completion_tokens", "seed"}),
        ("openai", "gemini-2.5-pro", {"max_tokens", "temperature", "top_p"}),
        ("anthropic", "claude-sonnet-4-5", {"max_tokens", "temperature"}),
        ("anthropic", "claude-opus-4-7", {"max_tokens"}),
        ("openai", "anthropic/claude-opus-5", {"max_tokens", "seed"}),
    ],
)
def test_parameters_fit_the_model(api: str, model: str, sent: set[str]) -> None:
    assert set(sent_params(api, model, GIVEN)) == sent


def test_the_user_drops_what_the_table_does_not_know() -> None:
    assert set(sent_params("openai", "new", GIVEN, ["temperature", "seed"])) == {
        "max_tokens",
        "top_p",
    }
