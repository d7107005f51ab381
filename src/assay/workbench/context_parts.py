"""ContextParts: what a generator is told beside the task, each part a short text with a name.

    profile        speed, share of its own code, and what binds the parents
    limits         the least time that any kernel of the task needs
    explanation    how a wrong parent is wrong
    knowledge      pages about the device
    retrieval      what was learnt on tasks like this one
    examples       sources of past attempts that the strategy wants shown

The rule: a part that has nothing to say is left out. No part says more than a verdict prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from assay.data.generation.attempt import Attempt
from assay.data.generation.search_state import SearchState
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.generators.candidate_generator import ContextPart
from assay.workbench.feedback import explanation_text, limits_text, short, speed_text

USUAL = ("profile", "limits", "explanation", "examples")  # where an ask names none
_MOST_EXAMPLES = 3


@dataclass(frozen=True)
class ContextSource:
    """What the parts are made from."""

    task: Task
    state: SearchState
    parents: tuple[Verdict, ...] = ()
    shown: tuple[Attempt, ...] = ()


def context_parts(names: Sequence[str], source: ContextSource) -> tuple[ContextPart, ...]:
    """The parts of those names that have something to say, in the order asked for."""
    found = ((name, _PARTS[name](source)) for name in dict.fromkeys(names) if name in _PARTS)
    return tuple(ContextPart(name, text) for name, text in found if text)


def _profile(source: ContextSource) -> str:
    return _lines(_profile_of(verdict) for verdict in source.parents)


def _profile_of(verdict: Verdict) -> str:
    parts = [speed_text(verdict)]
    if verdict.own_share is not None:
        parts.append(f"{verdict.own_share.share:.0%} of the computing time is in its own code")
    if verdict.limits is not None:
        parts.append(f"bound by {verdict.limits.bound}")
    if verdict.timing:
        parts += [short(remark) for remark in verdict.timing[0].remarks]
    return "; ".join(part for part in parts if part)


def _limits(source: ContextSource) -> str:
    stated = _lines(limits_text(verdict) for verdict in source.parents)
    if stated:
        return stated
    floors = [one.sol_us for one in source.state.tasks if one.task == source.task.id and one.sol_us]
    return f"limits: no kernel of this task needs less than {floors[0]:.4g} us" if floors else ""


def _explanation(source: ContextSource) -> str:
    return _lines(explanation_text(verdict) for verdict in source.parents)


def _examples(source: ContextSource) -> str:
    return "\n\n".join(
        f"An earlier attempt ({one.feedback or one.status}):\n{one.source}"
        for one in source.shown[:_MOST_EXAMPLES]
        if one.source
    )


def _lines(texts: Iterable[str]) -> str:
    found = [text for text in texts if text]
    return "\n".join(dict.fromkeys(found))


_PARTS: dict[str, Callable[[ContextSource], str]] = {
    "profile": _profile,
    "limits": _limits,
    "explanation": _explanation,
    "examples": _examples,
}
