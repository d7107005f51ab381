"""Strategies that learn over tasks: bandit, memory, steering by limits."""

from __future__ import annotations

import pytest

from assay.data.generation.action import Ask, StopTask
from assay.data.generation.search_event import Move
from assay.data.generation.search_state import SearchState
from assay.errors import UsageError
from assay.generators.strategies.bandit import Bandit
from assay.generators.strategies.limit_steering import LimitSteering
from assay.generators.strategies.rules.attempt_reward import returns, reward
from assay.generators.strategies.rules.item_values import (
    RunningNormal,
    Stage,
    item_values,
    stage_of,
    weight,
)
from assay.generators.strategies.strategy import Strategy
from assay.generators.strategies.value_memory import ValueMemory
from searched_state import changed, searched, several, tried


def asks(strategy: Strategy, state: SearchState) -> list[Ask]:
    return [one for one in strategy.propose(state) if isinstance(one, Ask)]


def test_rewards_count_gains_beyond_noise_only() -> None:
    base = tried(0, speedup=1.0)
    assert reward(tried(1, speedup=2.0), base) == pytest.approx(1.0)
    assert reward(tried(1, speedup=1.005), base) == 0.2
    assert reward(tried(1, "dishonest", speedup=9.0), base) == 0.0
    assert reward(tried(1, speedup=9.0, below_limit=True), base) == 0.0


def test_a_return_counts_what_an_attempt_led_to() -> None:
    state = searched(tried(0, speedup=0.9), changed(1, "c0", speedup=1.8))
    found = returns(state.tasks[0], discount=0.5)
    assert found[1] == pytest.approx(1.0)
    assert found[0] == pytest.approx(0.2 + 0.5 * 1.0)


def test_the_bandit_tries_every_arm_and_then_the_one_that_pays() -> None:
    strategy = Bandit(explore=0.1, inner="greedy")
    names = {"generators": ("first", "second")}
    fresh = asks(strategy, searched(**names))[0]
    assert fresh.labels["arm"] == "first/greedy"
    one = searched(tried(0, labels={"arm": "first/greedy"}), **names)
    assert asks(strategy, one)[0].generator == "second"
    both = searched(
        tried(0, speedup=1.0, labels={"arm": "first/greedy"}),
        changed(1, "c0", speedup=2.0, labels={"arm": "second/greedy"}, generator="second"),
        **names,
    )
    assert asks(strategy, both)[0].generator == "second"


def test_a_generator_that_cheats_pays_nothing() -> None:
    strategy = Bandit(explore=0.01, inner="greedy")
    state = searched(
        tried(0, speedup=1.3, labels={"arm": "first/greedy"}),
        tried(1, "dishonest", labels={"arm": "second/greedy"}, generator="second"),
        tried(2, speedup=20, below_limit=True, labels={"arm": "second/greedy"}, generator="second"),
        generators=("first", "second"),
    )
    assert asks(strategy, state)[0].generator == "first"


def test_tasks_of_one_answer_try_different_arms() -> None:
    state = several(a_one=(), b_two=()).model_copy(update={"generators": ("first", "second")})
    assert [one.generator for one in asks(Bandit(inner="greedy"), state)] == ["first", "second"]


def test_an_unknown_inner_strategy_is_named() -> None:
    with pytest.raises(UsageError, match="no strategy 'magic'"):
        Bandit().configured({"inner": "greedy+magic"})
    with pytest.raises(UsageError, match="one of best-of-n, greedy"):
        ValueMemory().configured({"inner": "magic"})


def test_memory_shows_attempts_of_tasks_that_are_alike() -> None:
    state = several(
        softmax_a=(tried(0, source="torch.softmax(x)"),),
        conv_b=(tried(1, source="torch.conv2d(x)"),),
        softmax_c=(),
    )
    waiting = asks(ValueMemory(), state)
    assert {one.task for one in waiting} == {"softmax_a"}, "one task at a time, in order"
    done = [one.model_copy(update={"stopped": "done"}) for one in state.tasks[:2]]
    last = state.model_copy(update={"tasks": (*done, state.tasks[2])})
    (ask,) = asks(ValueMemory(items=1, explore=0.0), last)
    assert (ask.shown, ask.labels["memory"]) == (("c0",), "c0")
    assert asks(ValueMemory(items=0), last)[0].shown == ()


def test_what_did_not_help_is_shown_less() -> None:
    old = (
        tried(0, source="torch.softmax(x) a"),
        tried(1, speedup=1.5, source="torch.softmax(x) b"),
    )
    bad = [tried(place, "incorrect", labels={"memory": "c1"}) for place in range(10, 14)]
    good = [tried(place, speedup=3.0, labels={"memory": "c0"}) for place in range(14, 16)]
    before = several(softmax_old=old, softmax_seen=(), softmax_new=())
    after = several(softmax_old=old, softmax_seen=(*bad, *good), softmax_new=())

    def first_shown(state: SearchState) -> str:
        done = [one.model_copy(update={"stopped": "done"}) for one in state.tasks[:2]]
        pool = state.model_copy(update={"tasks": (*done, state.tasks[2])})
        items = asks(ValueMemory(items=9, explore=0.0), pool)[0].labels["memory"].split()
        return next(one for one in items if one in ("c0", "c1"))

    values = item_values(after, rate=0.3, discount=0.4)
    assert values["c1", Stage.DRAFT] < 0 < values["c0", Stage.DRAFT]
    assert weight(values["c1", Stage.DRAFT]) < 1 < weight(values["c0", Stage.DRAFT])
    assert first_shown(after) == "c0"
    assert first_shown(before) in ("c0", "c1")


def test_values_of_stages_are_apart() -> None:
    assert [stage_of(one) for one in (Move.DRAFT, Move.REPAIR, Move.CONFIG)] == [
        Stage.DRAFT,
        Stage.REPAIR,
        Stage.OPTIMISE,
    ]
    state = searched(
        tried(0),
        tried(1),
        tried(2, "incorrect", labels={"memory": "x"}),
        changed(3, "c0", speedup=3.0, labels={"memory": "x"}),
    )
    values = item_values(state, rate=0.5, discount=0.4)
    assert values["x", Stage.DRAFT] < 0
    assert values["x", Stage.OPTIMISE] == 0.0, "one value has no deviation to be measured by"


def test_the_running_normal_is_that_of_the_values() -> None:
    seen = RunningNormal()
    assert seen.standardised(5.0) == 0.0
    for value in (1.0, 2.0, 3.0):
        seen.add(value)
    assert seen.standardised(4.0) == pytest.approx(2.0)


def test_steering_asks_where_the_most_is_to_be_gained() -> None:
    state = several(near=(tried(0, speedup=8.0),), far=(tried(1, speedup=1.2),))
    found = asks(LimitSteering(together=1), state)
    assert [one.task for one in found] == ["far"]
    assert float(found[0].labels["expected_gain"]) > 0


def test_steering_gives_every_task_a_first_kernel_before_it_improves_one() -> None:
    begun = (tried(0, speedup=1.0), *(changed(n, "c0", speedup=1.0 + 0.2 * n) for n in (1, 2, 3)))
    failing = tuple(tried(number, "incorrect") for number in range(10, 20))
    state = several(begun=begun, failing=failing, untried=())
    assert [one.task for one in asks(LimitSteering(together=1), state)] == ["untried"]
    assert [one.task for one in asks(LimitSteering(together=1, drafts=0), state)] == ["begun"]
    first_failed = several(begun=(tried(0, speedup=1.1),), failed=(tried(1, status="incorrect"),))
    assert [one.task for one in asks(LimitSteering(together=1), first_failed)] == ["begun"]


def test_steering_prefers_what_still_gains() -> None:
    stuck = (tried(0, speedup=2.0), *(changed(n, "c0", speedup=1.0) for n in range(1, 12)))
    rising = [tried(20, speedup=1.0)]
    rising += [changed(20 + n, f"c{19 + n}", speedup=1.0 + 0.2 * n) for n in range(1, 6)]
    state = several(stuck=stuck, rising=tuple(rising))
    assert [one.task for one in asks(LimitSteering(together=1), state)] == ["rising"]


@pytest.mark.parametrize(
    ("attempts", "reason"),
    [
        ((tried(0, speedup=9.7),), "97 % of the limit is reached"),
        (
            (tried(0, speedup=2.0), *(changed(n, "c0", speedup=1.0) for n in range(1, 21))),
            "no gain beyond noise in 20 asks",
        ),
        (
            (tried(0, speedup=9.4), *(changed(n, "c0", speedup=1.0) for n in range(1, 4))),
            "the next ask is expected to gain",
        ),
    ],
    ids=["limit", "plateau", "little"],
)
def test_steering_stops_what_has_nothing_to_gain(attempts: tuple, reason: str) -> None:
    actions = LimitSteering(least_gain=0.05).propose(searched(*attempts))
    (stop,) = [one for one in actions if isinstance(one, StopTask)]
    assert reason in stop.reason


def test_a_task_without_a_known_limit_is_not_starved() -> None:
    state = searched(tried(0, latency_us=None, sol_us=None))
    unknown = state.tasks[0].model_copy(update={"sol_us": None, "baseline_us": None})
    assert asks(LimitSteering(), state.model_copy(update={"tasks": (unknown,)}))
