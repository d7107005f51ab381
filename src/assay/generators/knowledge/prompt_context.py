"""PromptContext: what a generator is told beside the task, in few tokens.

    explanation    how the parent is wrong
    limits         the least time, what binds it, and how far the parent is from it
    profile        where the parent's time goes
    knowledge      the page of the device
    retrieval      what helped on tasks like this one, a line each
    examples       whole sources of past attempts

The rule: parts share one cap of tokens, in this order. Where it is reached whole pieces are left
out: a line, or a source, since half a kernel misleads. What has nothing to say is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.data.device import Device
from assay.data.generation.attempt import Attempt
from assay.data.generation.search_state import SearchState, TaskState
from assay.data.limits import TaskLimits
from assay.generators.candidate_generator import ContextPart
from assay.generators.knowledge.device_page import page_of
from assay.generators.knowledge.retrieval import AttemptIndex

CHARACTERS_A_TOKEN = 4  # of code and English; an estimate
TOKENS = 2000
LIKE_TASKS = 3
Pieces = tuple[str, ...]  # none of them is cut
_BETWEEN = {"examples": "\n\n"}


@dataclass(frozen=True)
class PromptFacts:
    """What the parts are made from; everything beside the task may be missing."""

    task: TaskState
    state: SearchState
    parents: tuple[Attempt, ...] = ()
    shown: tuple[Attempt, ...] = ()
    device: Device | None = None
    limits: TaskLimits | None = None
    profile: tuple[str, ...] = ()  # sentences
    explanation: str = ""


def prompt_context(
    names: Sequence[str], facts: PromptFacts, tokens: int = TOKENS
) -> tuple[ContextPart, ...]:
    """The parts of these names that have something to say, within the cap."""
    left, found = tokens, []
    for name, make in PARTS.items():
        text = _within(make(facts), left, _BETWEEN.get(name, "\n")) if name in names else ""
        if text:
            found.append(ContextPart(name, text))
            left -= tokens_of(text)
    return tuple(found)


def tokens_of(text: str) -> int:
    """About how many tokens a text is."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def explanation_part(facts: PromptFacts) -> Pieces:
    """What is known of the failure of the parents."""
    said = [one.feedback or one.reason for one in facts.parents if not one.accepted]
    lines = "\n".join((facts.explanation, *said)).splitlines()
    return tuple(dict.fromkeys(one for one in lines if one.strip()))


def limits_part(facts: PromptFacts) -> Pieces:
    """The least time, and how near the parent is."""
    least = facts.limits.sol_us if facts.limits is not None else facts.task.sol_us
    if least is None:
        return ()
    line = f"No kernel needs less than {least:.4g} us"
    if facts.limits is not None:
        moved = facts.limits.bytes_read + facts.limits.bytes_written
        line += f": {moved} bytes, {sum(facts.limits.flops.values())} operations"
        line += f"; {facts.limits.bound} binds it"
    reached = [one.latency_us for one in facts.parents if one.accepted and one.latency_us]
    if reached:
        line += f". The parent takes {reached[0]:.4g} us, {100 * least / reached[0]:.0f} % of that"
    return (line + ".",)


def profile_part(facts: PromptFacts) -> Pieces:
    """The sentences of a profile, else the bottleneck that was measured."""
    bound = [f"Bound by {one.bottleneck}." for one in facts.parents if one.bottleneck]
    return facts.profile or tuple(bound[:1])


def knowledge_part(facts: PromptFacts) -> Pieces:
    """The page of the device."""
    page = page_of(facts.device) if facts.device is not None else None
    return tuple(page.text().splitlines()) if page is not None else ()


def retrieval_part(facts: PromptFacts) -> Pieces:
    """What the best attempts of tasks like this one were, a line each."""
    others = [one for one in facts.state.tasks if one.task != facts.task.task and one.best]
    index = AttemptIndex([one.best for one in others if one.best], others)
    parent = facts.parents[0] if facts.parents else None
    found = index.similar(facts.task, parent, LIKE_TASKS)
    return tuple(_learnt(one.attempt) for one in found)


def examples_part(facts: PromptFacts) -> Pieces:
    """Whole sources of what is shown; only what was accepted is an example."""
    return tuple(
        f"# {_learnt(one)}\n{one.source.strip()}"
        for one in facts.shown
        if one.accepted and one.source
    )


PARTS: dict[str, Callable[[PromptFacts], Pieces]] = {
    "explanation": explanation_part,
    "limits": limits_part,
    "profile": profile_part,
    "knowledge": knowledge_part,
    "retrieval": retrieval_part,
    "examples": examples_part,
}


def _learnt(one: Attempt) -> str:
    """An attempt in one line: task, speed, what was changed."""
    speed = f"{one.speedup:.2f}x the baseline" if one.speedup else "not timed"
    change = one.labels.get("direction", "")
    choices = ", ".join(f"{name}={value}" for name, value in sorted(one.choices.items()))
    about = "; ".join(text for text in (change and f"changed: {change}", choices) if text)
    return f"{one.task}: {speed}" + (f" ({about})" if about else "")


def _within(pieces: Pieces, tokens: int, between: str) -> str:
    """As many pieces, from the first, as the tokens allow."""
    kept = ""
    for one in pieces:
        longer = f"{kept}{between}{one}" if kept else one
        if tokens_of(longer) > tokens:
            break
        kept = longer
    return kept
