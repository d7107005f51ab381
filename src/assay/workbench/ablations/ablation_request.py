"""AblationRequest: what is to be left out, read from a text such as `context=limits,profile`."""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.generation.search_plan import CONTEXT_PARTS, FeedbackShown, SearchPlan
from assay.errors import UsageError

_KINDS = ("checks", "feedback", "prompt", "context")


@dataclass(frozen=True)
class Variant:
    """One thing that is left out or changed, in words, and the plan without it."""

    words: str
    plan: SearchPlan


@dataclass(frozen=True)
class AblationRequest:
    """Values by kind, in the order given."""

    checks: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    prompt: tuple[str, ...] = ()
    context: tuple[str, ...] = ()

    def variants(self, plan: SearchPlan) -> tuple[Variant, ...]:
        """The plan with one thing changed at a time."""
        found = [
            Variant(f"context {name}", plan.model_copy(update={"without_context": (name,)}))
            for name in self.context
        ]
        found += [
            Variant(
                f"feedback beyond {name}" if name == "status" else "feedback",
                plan.model_copy(update={"feedback": FeedbackShown(name)}),
            )
            for name in self.feedback
        ]
        found += [
            Variant(f"prompt other than {name}", _prompted(plan, name)) for name in self.prompt
        ]
        return tuple(found)


def ablation_request(text: str) -> AblationRequest:
    """Parts without `=` belong to the kind before them."""
    found: dict[str, list[str]] = {}
    kind = ""
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, equals, value = part.partition("=")
        kind = name if equals else kind
        if kind not in _KINDS:
            raise UsageError(
                f"--ablate '{part}' is none of {', '.join(f'{k}=...' for k in _KINDS)}"
            )
        found.setdefault(kind, []).append(value if equals else part)
    request = AblationRequest(**{name: tuple(values) for name, values in found.items()})
    _check("context", request.context, CONTEXT_PARTS)
    _check("feedback", request.feedback, (FeedbackShown.NONE.value, FeedbackShown.STATUS.value))
    if request.checks and len(found) > 1:
        raise UsageError("--ablate checks=... judges a stored run: it goes with nothing else")
    return request


def _check(kind: str, given: tuple[str, ...], known: tuple[str, ...]) -> None:
    for one in given:
        if one not in known:
            raise UsageError(f"--ablate {kind}={one}: known are {', '.join(known)}")


def _prompted(plan: SearchPlan, name: str) -> SearchPlan:
    changed = tuple(
        one.model_copy(update={"options": {**one.options, "prompt": name}})
        for one in plan.generators
    )
    return plan.model_copy(update={"generators": changed})
