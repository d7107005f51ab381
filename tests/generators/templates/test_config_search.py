"""The search over a template's parameters: pure, seeded, without repeats."""

from __future__ import annotations

from assay.generators.templates.config_search import Trial, next_point
from assay.generators.templates.config_space import ConfigSpace, Parameter

SPACE = ConfigSpace(
    (
        Parameter("block", ("64", "128", "256", "512"), "128"),
        Parameter("warps", ("1", "2", "4", "8"), "4"),
    )
)


def _speed(point: dict[str, str]) -> float:
    return 10.0 - abs(int(point["block"]) - 512) / 64 - abs(int(point["warps"]) - 1)


def _searched(seed: int) -> list[Trial]:
    trials: list[Trial] = []
    while (point := next_point(SPACE, trials, seed)) is not None:
        trials.append(Trial(point, _speed(point)))
    return trials


def test_the_first_point_is_the_default() -> None:
    assert next_point(SPACE, [], 3) == {"block": "128", "warps": "4"}


def test_every_point_comes_once_and_then_none() -> None:
    trials = _searched(0)
    assert len(trials) == SPACE.size == 16
    assert len({tuple(sorted(one.point.items())) for one in trials}) == 16


def test_the_best_is_found_before_the_space_is_exhausted() -> None:
    for seed in range(10):
        found = [one.speedup for one in _searched(seed)]
        assert found.index(10.0) < 12


def test_the_same_history_and_seed_give_the_same_point() -> None:
    trials = _searched(1)[:5]
    assert next_point(SPACE, trials, 1) == next_point(SPACE, trials, 1)


def test_a_refused_point_is_not_a_place_to_go_on_from() -> None:
    trials = [Trial(SPACE.default, 1.0), Trial({"block": "256", "warps": "4"}, None)]
    point = next_point(SPACE, trials, 0)
    assert point in SPACE.neighbours(SPACE.default)
