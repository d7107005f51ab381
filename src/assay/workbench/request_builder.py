"""RequestBuilder: what a generator is asked for, made from the event that says it is asked.

The rule: an ask that was cut off is made again from its event alone, word for word: the same
sample, history and budget, so that calls which were paid are recognised by their keys.
"""

from __future__ import annotations

from assay.data.device import Device
from assay.data.generation.attempt import Attempt
from assay.data.generation.search_event import AskStarted, LlmCall
from assay.data.generation.search_plan import FeedbackShown
from assay.data.generation.search_state import SearchState
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.devices.device_registry import backend
from assay.generators.candidate_generator import GenerationRequest
from assay.workbench.context_parts import USUAL, ContextSource, context_parts
from assay.workbench.search_log import SearchLog

_SAME = {"retrieval": ("retrieval", "knowledge")}  # what an ablation leaves out by one name


class RequestBuilder:
    """Makes the requests of one search."""

    def __init__(self, log: SearchLog) -> None:
        self._log = log
        self._tasks = {task.id: task for task in log.plan.tasks}

    def task(self, name: str) -> Task:
        """The task of that id."""
        return self._tasks[name]

    def request(self, started: AskStarted) -> GenerationRequest:
        """What is asked for by an event, with what was known when it was told."""
        state = self._log.state(started.known)
        known = {one.candidate: one for one in self._attempts(state, started.task)}
        others = {one.candidate: one for one in self._attempts(state)}  # examples may be of others
        parents = tuple(known[one] for one in started.parents if one in known)
        shown = tuple(others[one] for one in started.shown if one in others)
        task = self._tasks[started.task]
        source = ContextSource(
            task=task.id,
            state=state,
            parents=parents,
            verdicts=self._verdicts(started),
            shown=shown,
            device=self._device(started.known),
        )
        return GenerationRequest(
            task=task,
            device=state.device,
            move=started.move,
            parents=parents,
            history=tuple(one for one in known.values() if one.generator == started.generator),
            waiting=self._waiting(started),
            context=context_parts(self._parts(started), source),
            note=started.note,
            sample=started.ask,
            seed=self._log.plan.seed,
            left=started.left,
            paid=self._paid(started.ask),
        )

    def _attempts(self, state: SearchState, task: str = "") -> list[Attempt]:
        """Those of a task, or of all, with no more of their verdicts than the plan has told."""
        found = [one for one in state.attempts() if task in ("", one.task)]
        if self._log.plan.feedback is FeedbackShown.FULL:
            return found
        return [one.model_copy(update={"reason": ""}) for one in found]

    def _waiting(self, started: AskStarted) -> tuple[Attempt, ...]:
        """Asked for side by side with this one; what became of them since is left out."""
        return tuple(
            Attempt(
                number=one.number,
                task=one.task,
                candidate=one.candidate,
                source=one.source,
                parents=one.parents,
                move=one.move,
                generator=one.generator,
                choices=one.choices,
            )
            for one in self._log.state(started.ask).attempts()
            if one.number >= started.known
            and (one.task, one.generator) == (started.task, started.generator)
        )

    def _verdicts(self, started: AskStarted) -> tuple[Verdict, ...]:
        """Of the parents; none where they are not to be told."""
        if self._log.plan.feedback is not FeedbackShown.FULL:
            return ()
        found = [self._log.judged(started.task, parent) for parent in started.parents]
        return tuple(one.verdict for one in found if one is not None and one.verdict is not None)

    def _device(self, known: int) -> Device | None:
        """As verdicts before that ask describe it; a processor of the host describes itself."""
        records = [one for number, one in self._log.asks().items() if number < known]
        entries = [one.ended.entry for one in records if one.ended is not None]
        found = self._log.found()
        for judged in (found[one] for one in entries if one is not None and one in found):
            if judged.verdict is not None:
                return judged.verdict.environment.device
        host = backend(self._log.run.settings.device)
        return None if host.accelerated else host.describe()

    def _parts(self, started: AskStarted) -> tuple[str, ...]:
        left_out = self._log.plan.without_context
        unwanted = {name for one in left_out for name in _SAME.get(one, (one,))}
        return tuple(name for name in started.context or USUAL if name not in unwanted)

    def _paid(self, ask: int) -> dict[str, LlmCall]:
        """Calls of this ask that were answered before it was cut off."""
        record = self._log.asks().get(ask)
        return {one.key: one for one in record.calls if not one.error} if record else {}
