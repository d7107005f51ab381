"""Every check, in the order in which they run.

Others add their own in the entry-point group `assay.checks` (name = "module:CHECK"); theirs run
after ours of the same stage, by name. The rule: one that cannot be loaded stays in the list and
says why, so that no verdict passes without it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from assay.checks.check import Check, CheckContext, Observations
from assay.data.check import CheckDeclaration, CheckStage, Cost

ENTRY_POINT_GROUP = "assay.checks"
_BUILT_IN = (
    "recycled_memory",
    "leftovers",
    "repeated_calls",
    "metamorphic_relations",
    "files_left",
    "process_state",
    "ablation",
    "device_kernels",
    "code_sampling",
    "repeated_content",
    "linked_objects",
    "asked_again",
    "failure_explanation",
)


def all_checks() -> tuple[Check, ...]:
    """Ours, then those of other distributions."""
    ours = [import_module(f"assay.checks.{name}").CHECK for name in _BUILT_IN]
    found = {check.declared.name: check for check in ours}
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda p: (p.name, p.value)):
        check = _loaded(point)
        if check.declared.name in found:
            check = _unusable(point, f"the name '{check.declared.name}' is taken")
        found[check.declared.name] = check
    return tuple(found.values())


def _loaded(point: EntryPoint) -> Check:
    origin = point.dist.name if point.dist is not None else point.value
    try:
        check = point.load()
        if not isinstance(check, Check):
            return _unusable(point, f"{point.value} is no Check but {type(check).__name__}")
    except Exception as error:  # whatever another distribution does when it is imported
        return _unusable(point, f"it cannot be loaded: {type(error).__name__}: {error}")
    declared = check.declared.model_copy(update={"origin": origin})
    return Check(declared, check.run, check.batches, check.phase)


def _unusable(point: EntryPoint, reason: str) -> Check:
    declared = CheckDeclaration(
        name=f"{point.name} ({point.value})",
        text="It cannot run.",
        kinds=(),
        cost=Cost.NOTHING,
        most="nothing",
        stages=(CheckStage.CALLED,),
        of_wrong=True,
        origin=point.dist.name if point.dist is not None else "",
        missing=reason,
    )
    return Check(declared, _failing(reason))


def _failing(reason: str) -> Callable[[CheckContext], Observations]:
    def fail(context: CheckContext) -> Observations:
        raise RuntimeError(reason)

    return fail
