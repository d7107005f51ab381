"""One ask: what is told, what it costs, and generators that misbehave."""

from __future__ import annotations

from pathlib import Path

from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import AskEnded, LlmCall, ToolUse
from assay.generators.candidate_generator import GenerationRequest, Proposal, Tell
from assay.generators.candidate_source import NoCandidate
from assay.workbench.search_log import SearchLog
from sample_records import candidate
from workbench.scripted_search import ScriptedGenerator, ScriptedSearch, plan_of


class ChattyGenerator(ScriptedGenerator):
    """Calls as long as it is let, and says that it spent more beside."""

    def __init__(self, calls: int) -> None:
        super().__init__(("accepted 2",))
        self._calls = calls

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        self.requests.append(request)
        tell(ToolUse(ask=99, tool="shell", text="ls"))
        for number in range(self._calls):
            tell(LlmCall(key=str(number), model="m", tokens_in=50, tokens_out=50))
        text = "# accepted 2\nclass ModelNew: ..."
        return Proposal(candidate(text=text), spent=Spend(tokens=7, seconds=1e6, trials=9))


def asked(folder: Path, calls: int, budget: Budget) -> SearchLog:
    plan = plan_of(budget=budget, confirm_level=None, patience=1)
    search = ScriptedSearch(folder, (), plan)
    search.generator = ChattyGenerator(calls)
    return search.go()


def answers(log: SearchLog) -> list[AskEnded]:
    return [one for one in log.events if isinstance(one, AskEnded)]


def test_calls_and_what_was_spent_beside_are_counted_and_the_time_is_ours(tmp_path: Path) -> None:
    log = asked(tmp_path, 2, Budget(trials=1))
    (ended,) = answers(log)
    assert (ended.spent.tokens, ended.spent.trials) == (207, 1) and ended.spent.seconds < 100
    assert [one.ask for one in log.events if isinstance(one, LlmCall | ToolUse)] == [0, 0, 0]


def test_a_generator_that_goes_on_beyond_its_budget_is_stopped(tmp_path: Path) -> None:
    log = asked(tmp_path, 50, Budget(tokens=250))
    calls = [one for one in log.events if isinstance(one, LlmCall)]
    assert len(calls) == 5  # the third crosses the budget, one more may be an agent's last word
    assert "the budget of tokens is spent" in answers(log)[0].reason


def test_an_answer_without_a_candidate_may_be_scored_as_an_empty_one(tmp_path: Path) -> None:
    plan = plan_of(budget=Budget(tokens=200), count_missing=True, confirm_level=None)
    search = ScriptedSearch(tmp_path, ("none", "build_failed"), plan)
    log = search.go()
    first, second = answers(log)
    assert first.reason and first.entry == 0 and first.spent.trials == 0
    assert second.entry == 1 and second.spent.trials == 1
    assert "no candidate" in log.found()[0].candidate.main.text
