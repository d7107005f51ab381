"""ContextParts: what a generator is told beside the task, from the state and the parents' verdicts.

The rule: no part says more than a verdict prints to its user. An ask is told only what was known
when it was made, so that it can be told the same again, word for word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.data.device import Device
from assay.data.generation.attempt import Attempt
from assay.data.generation.search_state import SearchState
from assay.data.verdict import Verdict
from assay.generators.candidate_generator import ContextPart
from assay.generators.knowledge.prompt_context import PARTS, PromptFacts, prompt_context
from assay.workbench.feedback import explanation_text, short, speed_text

USUAL = tuple(PARTS)  # where an ask names none


@dataclass(frozen=True)
class ContextSource:
    """What the parts are made from."""

    task: str
    state: SearchState
    parents: tuple[Attempt, ...] = ()
    verdicts: tuple[Verdict, ...] = ()  # of the parents
    shown: tuple[Attempt, ...] = ()
    device: Device | None = None  # None: it is not known yet


def context_parts(names: Sequence[str], source: ContextSource) -> tuple[ContextPart, ...]:
    """The parts of those names that have something to say."""
    facts = PromptFacts(
        task=next(one for one in source.state.tasks if one.task == source.task),
        state=source.state,
        parents=source.parents,
        shown=source.shown,
        device=source.device,
        profile=tuple(dict.fromkeys(text for v in source.verdicts for text in profile_lines(v))),
        explanation="\n".join(filter(None, map(explanation_text, source.verdicts))),
    )
    return prompt_context(names, facts)


def profile_lines(verdict: Verdict) -> tuple[str, ...]:
    """Where its time goes, as far as its verdict says, in sentences."""
    found = [speed_text(verdict)]
    if verdict.own_share is not None:
        found.append(f"{verdict.own_share.share:.0%} of the computing time is in its own code")
    if verdict.limits is not None:
        found.append(f"bound by {verdict.limits.bound}")
    if verdict.timing:
        found += [short(remark) for remark in verdict.timing[0].remarks]
    return tuple(one for one in found if one)
