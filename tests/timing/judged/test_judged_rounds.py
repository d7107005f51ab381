"""Which rounds are judged: all are as likely, and the last one always is."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, cast

from assay.sandbox.host.call_content import Content
from assay.timing.judged.judged_rounds import JudgedRounds, TakenCall


def _taken(number: int) -> TakenCall:
    return TakenCall(number, 1, Content(()), cast(Any, None))


def _drawn(rounds: int, seed: int) -> list[int]:
    judged = JudgedRounds(2, random.Random(seed))
    for number in range(rounds):
        if judged.is_drawn():
            judged.keep(_taken(number))
    judged.last = _taken(rounds - 1)
    return [one.index for one in judged.all]


def test_every_round_is_as_likely_and_the_last_is_certain() -> None:
    counts = Counter(index for seed in range(3000) for index in _drawn(20, seed)[:-1])
    assert sorted(counts) == list(range(20))
    assert max(counts.values()) < 1.5 * min(counts.values())
    assert all(_drawn(20, seed)[-1] == 19 for seed in range(20))


def test_as_many_are_judged_however_many_rounds_there_are() -> None:
    assert {len(_drawn(rounds, 1)) for rounds in (2, 20, 200)} == {3}


def test_a_call_that_did_not_return_is_judged_too() -> None:
    judged = JudgedRounds(0, random.Random(1), failed=_taken(7))
    judged.keep(_taken(1))
    assert [one.index for one in judged.all] == [7]
