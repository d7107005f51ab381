"""Every strategy, driven by a model behind a real HTTP server that says good and bad things."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.generation.budget import Budget
from assay.data.generation.search_event import AskEnded, LlmCall
from assay.data.generation.search_plan import GeneratorChoice
from assay.generators.completion.completion_generator import CompletionGenerator
from assay.generators.completion.waiting import ClientClock
from assay.generators.strategies.strategy_registry import STRATEGIES, strategy
from assay.store.run_store import RunStore
from assay.workbench.search import SearchParts, carry_on
from assay.workbench.search_log import SearchLog
from assay.workbench.search_results import search_results
from generators.scripted_endpoint import (
    Asked,
    Malformed,
    Refused,
    Said,
    ScriptedEndpoint,
    Step,
    fenced,
)
from workbench.scripted_search import RUN, ScriptedJudge, plan_of

NAMES = sorted(STRATEGIES.built_in)
MOST = {"model": "scripted", "api_key_env": "", "max_tokens": "200", "timeout_s": "1"}


def kernel(found: str, number: int = 0) -> str:
    """A kernel of which the scripted judge finds what its first line says."""
    return f"# {found}\nimport torch\n\n\nclass ModelNew(torch.nn.Module):\n    number = {number}\n"


def said(found: str, number: int = 0, cut_after: int | None = None) -> Said:
    return Said(fenced(kernel(found, number)), cut_after=cut_after)


class Moods:
    """Good, wrong, cheating, malformed, slow, refused, cut off, without code; in turns."""

    def __init__(self) -> None:
        self.count, self.slow = 0, 0

    def __call__(self, asked: Asked) -> Step:
        self.count += 1
        if self.count == 5 and not self.slow:  # once: it takes all of `timeout_s`
            self.slow, self.count = 1, 4
            return Said(fenced(kernel("accepted 8")), held=True)
        steps: tuple[Step, ...] = (
            said("incorrect", self.count),
            Refused(429, {"Retry-After": "3"}),
            said("accepted 1.5", self.count),
            said("dishonest 9", self.count),
            Malformed(),
            said("accepted 2.5", self.count, cut_after=60),
            Said("I would rather not write a kernel."),
            said("accepted 2", self.count),
        )
        return steps[(self.count - 1) % len(steps)]


def search(folder: Path, name: str, budget: Budget, options: dict[str, str]) -> SearchLog:
    clock = ClientClock(sleep=lambda seconds: None, random=lambda: 0.0)
    generator = CompletionGenerator(clock=clock).configured(MOST | options)
    plan = plan_of(
        budget=budget,
        strategy=name,
        generators=(GeneratorChoice(name="completion"),),
        patience=20,
    )
    with RunStore(folder, create=True) as store:
        run = store.begin(RUN)
        parts = SearchParts({"completion": generator}, strategy(name), ScriptedJudge())  # type: ignore[arg-type]
        log = carry_on(store, run, plan, parts)
        log.found()
        return log


def answers(log: SearchLog) -> list[tuple[str, str]]:
    return [(one.candidate, one.reason) for one in log.events if isinstance(one, AskEnded)]


@pytest.mark.parametrize("name", NAMES)
def test_a_search_over_http_finds_the_honest_gain_and_is_replayed(
    tmp_path: Path, name: str
) -> None:
    budget, cassette = Budget(trials=6), {"cassette": str(tmp_path / "calls.jsonl")}
    with ScriptedEndpoint(moods := Moods()) as endpoint:
        url = {"base_url": endpoint.openai_url}
        live = search(tmp_path / "live", name, budget, cassette | url | {"mode": "record"})
    away = {"base_url": "http://127.0.0.1:9/v1", "mode": "replay"}
    again = search(tmp_path / "again", name, budget, cassette | away)
    (result,) = search_results(live)
    winner = live.judged("softmax", result.winner)
    assert winner is not None and winner.candidate.main.text.startswith("# accepted 2\n")
    assert moods.slow and search_results(live)[0].untrusted > 0
    assert answers(again) == answers(live)
    assert search_results(again)[0].winner == result.winner
    calls = [one for one in again.events if isinstance(one, LlmCall)]
    assert calls and all(one.replayed for one in calls)


@pytest.mark.parametrize("name", NAMES)
def test_no_strategy_spends_more_than_one_call_beyond_its_budget(tmp_path: Path, name: str) -> None:
    with ScriptedEndpoint(Moods()) as endpoint:
        url = {"base_url": endpoint.openai_url}
        log = search(tmp_path, name, Budget(tokens=6000), url)
    most = max(call_tokens(one) for one in log.events if isinstance(one, LlmCall))
    assert 0 < log.state().spent.tokens <= 6000 + most


def call_tokens(call: LlmCall) -> int:
    return (call.tokens_in or 0) + (call.tokens_out or 0)
