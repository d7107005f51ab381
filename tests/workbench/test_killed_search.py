"""kill -9 at any moment: the search goes on, and nothing that was stored is paid again."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from assay.data.candidate import Candidate
from assay.data.generation.budget import Budget
from assay.data.generation.search_event import LlmCall
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.generators.candidate_generator import GenerationRequest, Proposal, Tell
from assay.generators.candidate_source import NoCandidate
from assay.workbench.search_log import SearchLog
from assay.workbench.search_results import search_results
from workbench.scripted_search import (
    OneByOne,
    ScriptedGenerator,
    ScriptedJudge,
    ScriptedSearch,
    plan_of,
)

SCRIPT = ("incorrect", "accepted 1.5", "none", "accepted 2", "dishonest 9", "accepted 1.7")
PLAN = plan_of(budget=Budget(trials=5))


class BilledGenerator(ScriptedGenerator):
    """Its calls are billed in a file, as a provider would; it dies where it is told to."""

    def __init__(self, bill: Path, dies: str) -> None:
        super().__init__(SCRIPT)
        self._bill, self._dies = bill, dies

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        def billed(event: Any) -> None:
            with self._bill.open("a") as file:
                file.write(event.key + "\n")
            self._die(f"billed {request.sample}")
            tell(event)
            self._die(f"answered {request.sample}")

        self._die(f"asked {request.sample}")
        return super().propose(request, billed)

    def _die(self, moment: str) -> None:
        if moment == self._dies:
            os.kill(os.getpid(), signal.SIGKILL)


class DyingJudge(ScriptedJudge):
    """Dies while it judges a candidate."""

    def __init__(self, dies: str) -> None:
        super().__init__()
        self._dies = dies

    def evaluate_many(
        self, task: Task, given: Iterable[Candidate], settings: Settings, show: Any, plan: Any
    ) -> Generator[Judgement, None, None]:
        for one in given:
            number = int(one.name.rpartition("-")[2])
            word = "confirming" if settings.confirms else "judging"
            if self._dies == f"{word} {number}":
                os.kill(os.getpid(), signal.SIGKILL)
        yield from super().evaluate_many(task, given, settings, show, plan)


def searched(folder: Path, dies: str = "", batch: int = 1) -> SearchLog:
    search = ScriptedSearch(folder, SCRIPT, PLAN, OneByOne(batch=batch), judge=DyingJudge(dies))
    search.generator = BilledGenerator(folder / "bill", dies)
    return search.go()


def attempts_of(log: SearchLog) -> list[tuple[int, str, str]]:
    return [(one.number, one.candidate, one.status) for one in log.state().attempts()]


def killed(folder: Path, dies: str, batch: int) -> None:
    """A process of its own that kills itself, as nobody could tell from outside."""
    child = os.fork()
    if not child:
        try:
            searched(folder, dies, batch)
        finally:
            os._exit(3)  # it should have died before
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


MOMENTS = ("asked 0", "billed 1", "answered 1", "answered 2", "judging 3", "confirming 3")


CASES = [*((moment, 1) for moment in MOMENTS), ("answered 1", 3), ("judging 3", 3)]


@pytest.fixture(scope="module")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> dict[int, SearchLog]:
    """Searches that nobody kills, by the size of their batches."""
    return {batch: searched(tmp_path_factory.mktemp("whole"), batch=batch) for batch in (1, 3)}


@pytest.mark.parametrize(("moment", "batch"), CASES)
def test_a_killed_search_ends_as_it_would_have(
    tmp_path: Path, wholes: dict[int, SearchLog], moment: str, batch: int
) -> None:
    whole = wholes[batch]
    killed(tmp_path / "cut", moment, batch)
    log = searched(tmp_path / "cut", batch=batch)
    assert attempts_of(log) == attempts_of(whole)
    assert [one.winner for one in search_results(log)] == [
        one.winner for one in search_results(whole)
    ]
    told = Counter(one.key for one in log.events if isinstance(one, LlmCall))
    assert set(told.values()) == {1} and log.state().spent.tokens == 100 * len(told)
    bills = Counter((tmp_path / "cut" / "bill").read_text().split())
    paid_twice = {key for key, count in bills.items() if count > 1}
    assert paid_twice == ({"call-1"} if moment == "billed 1" else set())  # never answered


def test_a_search_that_is_killed_again_and_again_comes_to_its_end(tmp_path: Path) -> None:
    for moment in MOMENTS:
        killed(tmp_path, moment, 1)
    (result,) = search_results(searched(tmp_path))
    assert result.winner and result.spent.trials == 5
