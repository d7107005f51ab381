"""Pauses: what endpoints ask for, and what clients choose."""

from __future__ import annotations

import pytest

from assay.generators.completion.waiting import RetryPolicy, asked_pause_s


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:02:00 GMT"}, 20.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_pause_s(headers, now=100.0) == seconds


def test_pauses_grow_up_to_a_limit_and_chance_takes_away_half_at_most() -> None:
    policy = RetryPolicy()
    assert [policy.pause_s(n, None, 0.0) for n in (1, 2, 3, 7, 40)] == [1, 2, 4, 60, 60]
    assert policy.pause_s(3, None, 1.0) == 2
    assert policy.pause_s(1, 10.0, 1.0) == 11, "never less than what was asked"


def test_only_what_may_pass_is_tried_again() -> None:
    policy = RetryPolicy()
    assert all(map(policy.may_pass, (408, 409, 429, 500, 502, 529)))
    assert not any(map(policy.may_pass, (400, 401, 403, 404, 413, 422)))
