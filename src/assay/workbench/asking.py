"""Asking: one ask of a generator, from the event before it to the candidate in the store.

The rule: the event that it begins is stored first, each call the moment it is answered, and the
candidate together with the event that it ended. A process killed anywhere between asks again with
the same number and the answers that were paid. What a generator claims is stored as a claim.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.data.candidate import Candidate, Provenance
from assay.data.generation.budget import Spend
from assay.data.generation.search_event import AskEnded, AskStarted, LlmCall, ToolUse
from assay.data.generator import Generator
from assay.errors import AssayError
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
)
from assay.generators.candidate_source import NoCandidate
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.catalog import adapted
from assay.workbench.request_builder import RequestBuilder
from assay.workbench.search_log import SearchLog
from assay.workbench.state_reader import spent_on

_EMPTY = "# The generator gave no candidate.\n"


_LAST_CALLS = 1  # what an agent says while it is being ended; more is disregard of the budget


class BudgetSpentMidway(Exception):
    """Raised into a generator that goes on calling after its budget was spent."""


@dataclass
class _Calls:
    """The calls of one ask, stored as they are told."""

    log: SearchLog
    request: GenerationRequest
    before: tuple[LlmCall, ...]  # that were answered before the ask was cut off
    told: list[LlmCall] = field(default_factory=list)
    beyond: int = 0  # calls that were made although the budget was spent

    def tell(self, event: LlmCall | ToolUse) -> None:
        ask = self.request.sample
        if isinstance(event, ToolUse):
            self.log.tell(event.model_copy(update={"ask": ask}))
            return
        known = event.key in self.request.paid  # it was paid before: told again, it costs nothing
        call = event.model_copy(update={"ask": ask, "replayed": event.replayed or known})
        spent = self.request.left.exceeded(spent_on(self.all))
        self.beyond += bool(spent) and not call.replayed
        self.log.tell(call)
        self.told.append(call)
        if self.beyond > _LAST_CALLS:
            raise BudgetSpentMidway(f"the budget of {spent} is spent")

    @property
    def all(self) -> list[LlmCall]:
        return [*self.before, *self.told]


@dataclass(frozen=True)
class _Answer:
    """What came of an ask and what it cost; with a reason it stands for a missing candidate."""

    proposal: Proposal
    spent: Spend
    calls: list[LlmCall]
    reason: str = ""


class Asking:
    """Asks the generators of one search."""

    def __init__(self, log: SearchLog, generators: Mapping[str, CandidateGenerator]) -> None:
        self._log, self._generators = log, generators
        self._builder = RequestBuilder(log)

    def expected(self, started: AskStarted) -> Spend:
        """What the ask would cost, as its generator thinks, and the trial of its candidate."""
        request = self._builder.request(started)
        return self._generators[started.generator].expected(request) + Spend(trials=1)

    def ask(self, started: AskStarted) -> None:
        """Ask, and store what came of it; an ask that was cut off is made again."""
        record = self._log.asks().get(started.ask)
        if record is None:
            self._log.tell(started)
        request = self._builder.request(started)
        calls = _Calls(self._log, request, tuple(record.calls) if record else ())
        began_s = time.monotonic()
        answer = self._answer(self._generators[started.generator], request, calls)
        seconds = time.monotonic() - began_s + sum(one.seconds for one in calls.before)
        spent = spent_on(calls.all).model_copy(update={"seconds": seconds})
        if isinstance(answer, Proposal):
            self._store(started, _Answer(answer, _with(spent, answer.spent), calls.all))
        elif self._log.plan.count_missing:
            empty = Proposal(candidate_of_text(_EMPTY))
            self._store(started, _Answer(empty, spent, calls.all, answer.reason))
        else:
            self._log.tell(AskEnded(ask=started.ask, reason=answer.reason, spent=spent))

    def _answer(
        self, generator: CandidateGenerator, request: GenerationRequest, calls: _Calls
    ) -> Proposal | NoCandidate:
        """What the generator says; whatever it raises beside our own errors is no candidate."""
        try:
            answer = generator.propose(request, calls.tell)
            if isinstance(answer, Proposal):
                answer.candidate.model_dump_json()  # a ValueError where it is no text
            return answer
        except AssayError:
            raise
        except Exception as error:
            logging.getLogger(__name__).debug("generator %s", generator.name, exc_info=True)
            return NoCandidate(f"the generator failed: {type(error).__name__}: {error}")

    def _store(self, started: AskStarted, answer: _Answer) -> None:
        """The candidate as an entry of its own; content that is there already is no new trial."""
        task, proposal = self._builder.task(started.task), answer.proposal
        candidate = adapted(proposal.candidate, task)
        is_new = not answer.reason and self._log.entry_of(task.id, candidate.id) is None
        spent = answer.spent.model_copy(update={"trials": int(is_new)})
        made = self._provenance(started, proposal, candidate)
        made = made.model_copy(update=_costs(spent, answer.calls))
        name = f"{started.task}/{started.generator}-{started.ask:04}"
        candidate = candidate.model_copy(update={"name": name, "provenance": made})
        self._log.end_with(
            task,
            candidate,
            lambda number: AskEnded(
                ask=started.ask,
                candidate=candidate.id,
                entry=number,
                choices=dict(proposal.choices),
                rationale=proposal.rationale,
                reason=answer.reason,
                claimed=proposal.claimed,
                spent=spent,
            ),
        )

    def _provenance(
        self, started: AskStarted, proposal: Proposal, candidate: Candidate
    ) -> Provenance:
        """Who made it, from what, and what is claimed of it.

        A draft begins a sample of its task; what is made from another is a later round of its
        sample.
        """
        said = candidate.provenance
        parents = [self._log.judged(started.task, one) for one in started.parents]
        first = next((one.candidate.provenance for one in parents if one is not None), None)
        place = (self._drafts(started), 0)
        if first is not None:
            place = (first.sample or 0, (first.round or 0) + 1)
        return said.model_copy(
            update={
                "generator": said.generator or Generator(name=started.generator),
                "parents": started.parents,
                "sample": place[0],
                "round": place[1],
                "claimed": proposal.claimed or said.claimed,
            }
        )

    def _drafts(self, started: AskStarted) -> int:
        """Asks of this task and generator before, that began from nothing."""
        return sum(
            not one.started.parents
            and one.started.task == started.task
            and one.started.generator == started.generator
            for number, one in self._log.asks().items()
            if number < started.ask
        )


def _with(spent: Spend, more: Spend) -> Spend:
    """What was told, and what the generator says it spent beside; the time is ours."""
    return spent.model_copy(
        update={"tokens": spent.tokens + more.tokens, "dollars": spent.dollars + more.dollars}
    )


def _costs(spent: Spend, calls: list[LlmCall]) -> dict[str, object]:
    """What it cost, as far as that is known, in the words of a provenance."""
    paid = [one for one in calls if not one.replayed]
    cost: dict[str, object] = {"seconds": spent.seconds}
    for name in ("tokens_in", "tokens_out", "tokens_cached"):
        known = [getattr(one, name) for one in paid if getattr(one, name) is not None]
        if known:
            cost[name] = sum(known)
    if spent.dollars:
        cost["cost_usd"] = spent.dollars
    return cost
