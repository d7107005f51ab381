"""The generator of a choice; `replay` also takes the candidates of a stored run.

    --generator replay --option from=RUN     a folder or URL of a store, RUN#ID for one of several

The rule: of a stored run the texts alone are replayed, in the order in which they were given.
"""

from __future__ import annotations

from pathlib import Path

from assay.app.stored.stored_run import stored_run
from assay.data.generation.search_plan import GeneratorChoice
from assay.errors import UsageError
from assay.generators.candidate_generator import CandidateGenerator
from assay.generators.generator_registry import generator
from assay.generators.replay_generator import ReplayedCandidate, ReplayGenerator


def configured(choice: GeneratorChoice) -> CandidateGenerator:
    """With its options; a UsageError for one that it does not know."""
    place = choice.options.get("from", "")
    if choice.name == ReplayGenerator.name and set(choice.options) == {"from"} and _is_store(place):
        return ReplayGenerator(candidates_of(place))
    return generator(choice.name).configured(choice.options)


def candidates_of(place: str) -> tuple[ReplayedCandidate, ...]:
    """Every candidate of a stored run; a candidate of several files is a UsageError."""
    store, run = stored_run(place)
    with store:
        found = [(one.task.id, one.candidate) for one in store.entries(run)]
    for task, candidate in found:
        if len(candidate.sources) > 1:
            raise UsageError(f"{place}: {candidate.name} of {task} has several files")
    return tuple(ReplayedCandidate(task, one.main.text) for task, one in found)


def _is_store(place: str) -> bool:
    return "://" in place or Path(place.partition("#")[0]).is_dir()
