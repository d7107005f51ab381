"""Prices: known ones are used, unknown ones stay unknown."""

from __future__ import annotations

import re

import pytest

from assay.generators.completion.chat import Usage
from assay.generators.completion.prices import Price, price_of, prices_date


def test_the_table_has_a_date_and_finds_a_model_by_its_whole_name() -> None:
    assert re.fullmatch(r"\d{4}-\d{2}", prices_date())
    found = price_of("anthropic/Claude-Sonnet-4-5-20250929")
    assert found is not None and found.written > found.read > (found.cached or 0)
    assert price_of("gpt-4o") != price_of("gpt-4o-mini")
    assert price_of("facebook/KernelLLM") is None


def test_cached_tokens_have_their_own_price() -> None:
    usage = Usage(tokens_in=1_000_000, tokens_out=500_000, tokens_cached=400_000)
    assert Price(2.0, 10.0, 0.5).dollars(usage) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 5)
    assert Price(2.0, 10.0).dollars(usage) == pytest.approx(7)


def test_what_was_not_counted_has_no_price() -> None:
    assert Price(1.0, 1.0).dollars(Usage(tokens_in=5)) is None
